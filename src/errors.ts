/** Why a run did not succeed: the values of the output `failure-reason`, each documented in docs/outputs.md. */
export type FailureCode =
  | 'input'
  | 'manifest'
  | 'unsupported'
  | 'connection'
  | 'host-key'
  | 'authentication'
  | 'not-a-manager'
  | 'forbidden'
  | 'missing-resource'
  | 'conflict'
  | 'engine'
  | 'image-pull'
  | 'crash-loop'
  | 'exited'
  | 'out-of-memory'
  | 'unhealthy'
  | 'no-suitable-node'
  | 'port-in-use'
  | 'mount'
  | 'network'
  | 'rejected'
  | 'rolled-back'
  | 'paused'
  | 'removed'
  | 'stalled'
  | 'timeout'
  | 'cancelled'
  | 'internal'

/** A point in a file of the workspace. `file` is relative to the workspace; line and column count from 1. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** One finding about what the workflow gave us: an input, a manifest, an image. */
export interface Problem {
  readonly severity: 'error' | 'warning'
  readonly code: FailureCode
  /** What is wrong and why: one sentence, no place in it. */
  readonly message: string
  readonly position?: Position | undefined
  /** The source line and a caret under the column, ready to print. */
  readonly excerpt?: string | undefined
  /** What to do about it, one sentence. */
  readonly remedy?: string | undefined
}

/** Ends a run: says what was being done, why it failed (`cause`) and what to do. */
export class DeployError extends Error {
  override readonly name = 'DeployError'
  readonly code: FailureCode
  readonly remedy: string | undefined
  readonly position: Position | undefined
  /** The manifest's key of the service that it is about, where it is about one. */
  readonly service: string | undefined
  /** All findings, where the failure is made of several. */
  readonly problems: readonly Problem[]

  constructor(
    code: FailureCode,
    message: string,
    options: {
      cause?: unknown
      remedy?: string | undefined
      position?: Position | undefined
      service?: string | undefined
      problems?: readonly Problem[]
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.remedy = options.remedy
    this.position = options.position
    this.service = options.service
    this.problems = options.problems ?? []
  }
}

/** The findings that an error is made of; the error itself where it is one alone. */
export function problemsOf({ code, message, remedy, position, problems }: DeployError): readonly Problem[] {
  return problems.length > 0 ? problems : [{ severity: 'error', code, message, remedy, position }]
}

/** The text of whatever was thrown, without a stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
