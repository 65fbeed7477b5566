import { spawn } from 'node:child_process'

/** More than any login has (bytes). */
const LONGEST_ANSWER = 64 * 1024

export interface HelperRun {
  /** Absolute path of the program. */
  readonly file: string
  /** What it reads: the registry's address. */
  readonly serverAddress: string
  /** All that it gets to know of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** How long it may take (ms). */
  readonly timeout: number
  readonly signal: AbortSignal
}

/** How a helper ended, with what it printed; or why it did not end well, in words that hold nothing of what it printed. */
export type HelperEnd = { readonly code: number; readonly stdout: string } | { readonly failure: string }

/**
 * Runs `docker-credential-NAME get`, without a shell and outside of any checkout. When its time is over it is ended with whatever it started,
 * and so it is when the run was asked to stop; then this rejects with the signal's reason. Source of the protocol: docker/docker-credential-helpers.
 */
export function runHelper({ file, serverAddress, env, timeout, signal }: HelperRun): Promise<HelperEnd> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    // A group of its own, so that a script's children can be ended with it.
    const child = spawn(file, ['get'], { cwd: '/', env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
    const chunks: Buffer[] = []
    let size = 0
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      settle()
    }
    const kill = (settle: () => void): void => {
      child.stdout.destroy()
      killGroup(child.pid)
      end(settle)
    }
    const fail = (failure: string): void => kill(() => resolve({ failure }))
    const stop = (): void => kill(() => reject(signal.reason))
    const timer = setTimeout(() => fail(`did not answer within ${timeout / 1000} s`), timeout)
    signal.addEventListener('abort', stop, { once: true })
    child.on('error', (error) => fail(`could not be started (${'code' in error ? error.code : error.name})`))
    child.on('close', (code, by) => {
      if (code === null) fail(`was ended by ${by}`)
      else end(() => resolve({ code, stdout: Buffer.concat(chunks).toString('utf8') }))
    })
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > LONGEST_ANSWER) fail(`printed more than ${LONGEST_ANSWER / 1024} KiB`)
    })
    // One that reads nothing closes the pipe.
    child.stdin.on('error', () => {})
    child.stdin.end(serverAddress)
  })
}

// --- Internal helpers ---

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}
