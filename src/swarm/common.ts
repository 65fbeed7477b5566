// Shapes that several of the Engine's swarm objects share, named and cased as on the wire.
// Source: the Engine API's swagger.yaml and moby's api/types/swarm.

/** A 64-bit integer of the wire: a bigint where a double could not hold it exactly. */
export type Int64 = number | bigint

/** A span of time in nanoseconds. */
export type Nanoseconds = Int64

/** RFC 3339 with up to nine digits of a second, in UTC, by the manager's clock. */
export type Timestamp = string

export type Labels = Readonly<Record<string, string>>

/** The optimistic-concurrency counter: an update must name the `Index` that it read. */
export interface Version {
  readonly Index: number
}

/** What every stored object carries. `UpdatedAt` also moves when Swarm itself changes the object's status. */
export interface Meta {
  readonly Version: Version
  readonly CreatedAt: Timestamp
  readonly UpdatedAt: Timestamp
}

export interface Annotations {
  readonly Name?: string
  readonly Labels?: Labels | null
}

export interface Driver {
  readonly Name?: string
  readonly Options?: Labels | null
}

export interface Platform {
  readonly Architecture?: string
  readonly OS?: string
}
