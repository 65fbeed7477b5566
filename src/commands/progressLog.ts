import type { EngineError } from '../engine/engine.ts'
import type { Verdict } from '../health/verdict.ts'
import type { Log } from '../report/log.ts'

const MARKS = { converged: '✔', progressing: '…', failed: '✘' } as const

/** Says one line for each thing that is new about a service, and remembers when each came to its verdict. */
export function createProgressLog(log: Log, clock: () => number = Date.now) {
  const startedAt = clock()
  const settledAt = new Map<string, number>()
  let lastTrouble = ''
  const seconds = (): string => `${((clock() - startedAt) / 1000).toFixed(0).padStart(4)} s`
  return {
    verdicts(changed: readonly Verdict[], all: readonly Verdict[]): void {
      lastTrouble = ''
      for (const verdict of changed) {
        if (verdict.condition === 'progressing') settledAt.delete(verdict.name)
        else settledAt.set(verdict.name, clock())
        log.info(`${seconds()}  ${MARKS[verdict.condition]} ${verdict.key}: ${verdict.sentence}`)
      }
      if (changed.length === 0) {
        const open = all.filter(({ condition }) => condition === 'progressing').map(({ key }) => key)
        log.info(`${seconds()}  still waiting for ${open.join(', ')}`)
      }
    },
    trouble(error: EngineError): void {
      if (error.message !== lastTrouble)
        log.info(`${seconds()}  the manager could not be asked, trying again: ${error.message}`)
      lastTrouble = error.message
    },
    /** From the start of the wait to the service's verdict; undefined while it has none. */
    secondsOf(name: string): number | undefined {
      const at = settledAt.get(name)
      return at === undefined ? undefined : Math.round((at - startedAt) / 100) / 10
    },
  }
}
