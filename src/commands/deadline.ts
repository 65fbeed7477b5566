import { steadyNow } from '../steadyNow.ts'

/** A bound on time that can be started anew, as a signal. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Whether it has passed. */
  readonly passed: boolean
  /** Milliseconds until it passes; 0 once it has. */
  remaining(): number
  /** Gives the whole time again, from now: the contract's `timeout` does so at the first write. */
  restart(): void
  /** Lets the process end. */
  clear(): void
}

export function createDeadline(milliseconds: number, now: () => number = steadyNow): Deadline {
  const controller = new AbortController()
  let ends = 0
  let timer: NodeJS.Timeout | undefined
  // A timer of more than 2^31 ms fires at once: wait in pieces.
  const arm = (): void => {
    timer = setTimeout(
      () => (now() >= ends ? controller.abort(new Error('the time is up')) : arm()),
      Math.min(ends - now(), 2 ** 31 - 1),
    )
  }
  const restart = (): void => {
    clearTimeout(timer)
    ends = now() + milliseconds
    arm()
  }
  restart()
  return {
    signal: controller.signal,
    get passed() {
      return controller.signal.aborted
    },
    remaining: () => Math.max(0, ends - now()),
    restart,
    clear: () => clearTimeout(timer),
  }
}
