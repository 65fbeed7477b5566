/** One call of the Engine API, without the version in its path. */
export interface EngineRequest {
  /** What is asked, for the error: `create service shop_web`. */
  readonly doing: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Begins with a slash; ids and names in it are escaped. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>> | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  readonly registryAuth?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Asked without a version in the path, which means the daemon's newest: its answer saves the round trip that finds out which. */
  readonly anyVersion?: boolean
  /**
   * Whom the engine only passes it on to, for the error: `its registry`. They may take their time, and what they have trouble with is no trouble of
   * the manager.
   */
  readonly passedOnTo?: string | undefined
  /** Sent at once, beside the bound on calls under way: asks whether those will ever end. */
  readonly isUrgent?: boolean
}

export interface EngineAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
}

/** The path as it goes over the wire. */
export function wirePath(version: string | undefined, { path, query = {} }: EngineRequest): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  return `${version === undefined ? '' : `/v${version}`}${path}${search}`
}
