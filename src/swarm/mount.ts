// What tasks mount. Source: moby api/types/mount/mount.go. Members newer than API 1.41 name the version that brought them.
import type { Driver, Int64, Labels } from './common.ts'

export type MountType = 'bind' | 'volume' | 'tmpfs' | 'npipe' | 'image' | 'cluster'

/** Options are of the member named like the type. */
export interface Mount {
  readonly Type?: MountType
  /** A path of the node, a volume's name, or an image; absent for `tmpfs` and for a volume without a name. */
  readonly Source?: string
  /** A path in the container. */
  readonly Target?: string
  readonly ReadOnly?: boolean
  /** Only in engines before 1.12.0 was released; `ReadOnly` took its place. */
  readonly Writable?: boolean
  /** Taken and forgotten: no engine from 20.10 to 28.5 answers it. */
  readonly Consistency?: string
  readonly BindOptions?: BindOptions | null
  readonly VolumeOptions?: VolumeOptions | null
  /** API 1.48, for containers: engines up to 28.5 refuse an image's mount in a service. */
  readonly ImageOptions?: ImageOptions | null
  readonly TmpfsOptions?: TmpfsOptions | null
  /** API 1.42. */
  readonly ClusterOptions?: ClusterOptions | null
}

export type MountPropagation = 'rprivate' | 'private' | 'rshared' | 'shared' | 'rslave' | 'slave'

export interface BindOptions {
  readonly Propagation?: MountPropagation
  readonly NonRecursive?: boolean
  // The three that follow are for containers: engines up to 28.5 take them in a service, and forget them.
  /** API 1.42: create the folder on the node where it is missing. */
  readonly CreateMountpoint?: boolean
  /** API 1.44: submounts stay writable. */
  readonly ReadOnlyNonRecursive?: boolean
  /** API 1.44: an error where submounts can't be made read-only. */
  readonly ReadOnlyForceRecursive?: boolean
}

export interface VolumeOptions {
  readonly NoCopy?: boolean
  /** Only in engines before 1.12.0 was released; `NoCopy` took its place. */
  readonly Populate?: boolean
  readonly Labels?: Labels | null
  /** API 1.45. */
  readonly Subpath?: string
  readonly DriverConfig?: Driver | null
}

export interface ImageOptions {
  readonly Subpath?: string
}

export interface TmpfsOptions {
  readonly SizeBytes?: Int64
  /** Permission bits as a number: 01777 is 1023. */
  readonly Mode?: Int64
  /** API 1.46: flags such as `[["exec"]]`, and pairs such as `[["uid", "1000"]]`. */
  readonly Options?: readonly (readonly string[])[] | null
}

/** Has no member yet. */
export type ClusterOptions = Readonly<Record<string, never>>
