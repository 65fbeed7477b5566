/** The runner's cancel: SIGINT first, SIGTERM 7.5 s later, and only to this process. */
export interface Interruption {
  readonly signal: AbortSignal
  /** Resolves `graceMs` after the first signal, or with the second; never without one. */
  readonly graceOver: Promise<void>
  /** Aborted with the second signal: nothing more is waited for. */
  readonly hurry: AbortSignal
  /** Takes the handlers away again. */
  dispose(): void
}

type Emitter = Pick<NodeJS.Process, 'on' | 'off' | 'exit'>

/**
 * The first signal asks the run to stop before its next write. A second one ends the wait for that, and only the report is left to be
 * written, which takes no time; a third ends the process.
 */
export function listenForInterruption(emitter: Emitter, graceMs: number): Interruption {
  const controller = new AbortController()
  const hurry = new AbortController()
  const { promise, resolve } = withResolvers()
  let timer: NodeJS.Timeout | undefined
  let signals = 0
  const handle = (): void => {
    signals++
    if (signals > 2) emitter.exit(130)
    if (signals === 2) {
      resolve()
      hurry.abort()
    }
    if (signals > 1) return
    timer = setTimeout(resolve, graceMs)
    timer.unref()
    controller.abort(new Error('the run was cancelled'))
  }
  emitter.on('SIGINT', handle)
  emitter.on('SIGTERM', handle)
  return {
    signal: controller.signal,
    graceOver: promise,
    hurry: hurry.signal,
    dispose: () => {
      clearTimeout(timer)
      emitter.off('SIGINT', handle)
      emitter.off('SIGTERM', handle)
    },
  }
}

// Promise.withResolvers is newer than the Node 20 that the demo runs on.
function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil
  })
  return { promise, resolve }
}
