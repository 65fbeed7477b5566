import type { Progress } from './context.ts'

/**
 * What is known of a run so far.
 * @param tell is told what the run is at, and the stack's name as soon as it is known
 */
export function createProgress(tell: (stack: string | undefined, doing: string) => void): Progress {
  let doing: string | undefined
  let stackName: string | undefined
  const changed = (): void => {
    if (doing !== undefined) tell(stackName, doing)
  }
  return {
    changes: [],
    services: [],
    get doing() {
      return doing
    },
    set doing(value) {
      doing = value
      changed()
    },
    get stackName() {
      return stackName
    },
    set stackName(value) {
      stackName = value
      changed()
    },
  }
}
