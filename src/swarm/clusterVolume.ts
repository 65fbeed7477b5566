// Volumes that the swarm itself manages, by CSI plugins (API 1.42). Source: moby api/types/volume/cluster_volume.go.
import type { Int64, Labels, Meta } from './common.ts'

/** The member `ClusterVolume` of a volume of `GET /volumes`. */
export interface ClusterVolume extends Meta {
  readonly ID: string
  readonly Spec: ClusterVolumeSpec
  /** One entry a node that has, or is to have, the volume. */
  readonly PublishStatus?: readonly PublishStatus[] | null
  /** Absent until the plugin has created the volume. */
  readonly Info?: VolumeInfo | null
}

/** Name and labels are those of the volume itself. */
export interface ClusterVolumeSpec {
  /** What a mount of `group:<name>` may choose from. */
  readonly Group?: string
  readonly AccessMode?: AccessMode | null
  readonly AccessibilityRequirements?: TopologyRequirement | null
  readonly CapacityRange?: CapacityRange | null
  readonly Secrets?: readonly VolumeSecret[] | null
  readonly Availability?: VolumeAvailability
}

export type VolumeAvailability = 'active' | 'pause' | 'drain'

export interface AccessMode {
  /** Whether one node at a time may use it, or several. */
  readonly Scope?: 'single' | 'multi'
  readonly Sharing?: 'none' | 'readonly' | 'onewriter' | 'all'
  readonly MountVolume?: TypeMount | null
  readonly BlockVolume?: TypeBlock | null
}

export interface TypeMount {
  readonly FsType?: string
  readonly MountFlags?: readonly string[] | null
}

export type TypeBlock = Readonly<Record<string, never>>

export interface TopologyRequirement {
  readonly Requisite?: readonly Topology[] | null
  readonly Preferred?: readonly Topology[] | null
}

/** Where a node stands, such as `{region: R1, zone: Z2}`. */
export interface Topology {
  readonly Segments?: Labels | null
}

/** In bytes; 0 means no bound. */
export interface CapacityRange {
  readonly RequiredBytes: Int64
  readonly LimitBytes: Int64
}

/** A secret of the swarm that is handed to the plugin under the name `Key`. */
export interface VolumeSecret {
  readonly Key: string
  readonly Secret: string
}

export interface PublishStatus {
  readonly NodeID?: string
  readonly State?: 'pending-publish' | 'published' | 'pending-node-unpublish' | 'pending-controller-unpublish'
  readonly PublishContext?: Labels | null
}

export interface VolumeInfo {
  /** Bytes. */
  readonly CapacityBytes?: Int64
  readonly VolumeContext?: Labels | null
  /** The plugin's own id, not Swarm's. */
  readonly VolumeID?: string
  readonly AccessibleTopology?: readonly Topology[] | null
}

/** A cluster volume that a task got. */
export interface VolumeAttachment {
  readonly ID?: string
  /** `Source` and `Target` of the task's mount. */
  readonly Source?: string
  readonly Target?: string
}
