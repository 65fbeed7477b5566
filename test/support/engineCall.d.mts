/** One HTTP call to an engine's unix socket; rejects with the engine's own message when the status is 400 or above. */
export declare function engineCall(
  socket: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<{
  readonly status: number
  readonly text: string
  /** Undefined where the answer is not JSON. */
  readonly json: unknown
}>
