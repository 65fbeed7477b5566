/**
 * What the swarm keeps of one deployment, in the form of swarmcli's chart engine, so that `swarmcli charts history` can read it: the
 * stack counts as a chart, its commit as the chart's version.
 */
export interface ReleaseRecord {
  /** The stack. */
  readonly release: string
  /** From 1. */
  readonly revision: number
  /** As stored; the label of the config tells how it went on. */
  readonly status: string
  readonly chart: { readonly name: string; readonly version: string }
  readonly values: RecordValues
  /** The manifest before interpolation; where there are several, one that includes them. */
  readonly manifest: string
  /** RFC 3339, in UTC. */
  readonly created: string
  /** `gha/octocat/shop:release/shop`. */
  readonly owner?: string | undefined
  /** Further manifests and contents of configs by path, relative to the workspace. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** Names and digests, never values. */
export interface RecordValues {
  /** The paths of the manifests, in the order in which they are merged. */
  readonly manifests: readonly string[]
  /** Variables that the manifest had a value of. */
  readonly variables: readonly string[]
  /** The manifest's key of each service → its image with the digest. */
  readonly images: ReadonlyMap<string, string>
  /** The manifest's key → the name in the swarm. */
  readonly secrets: ReadonlyMap<string, string>
  readonly configs: ReadonlyMap<string, string>
  /** Files that should be in `files` and are not: to such a revision there is no way back. */
  readonly omitted: readonly string[]
}

/** The most bytes of a record, compressed. Source: the chart engine's limit; Swarm itself takes 1000 KiB for a config. */
export const LARGEST_RECORD = 500 * 1024

/** The most bytes of one unpacked: a few MiB compress to 500 KiB, and far more is a trap. */
export const LARGEST_TEXT = 16 * 1024 * 1024

/** The most tokens of one's YAML, some eight a line: each service and each file has one line, and a text of any length is one token. */
export const MOST_TOKENS = 200_000

/** The name of a revision's config. */
export function recordName(release: string, revision: number): string {
  return `swarmcli.release.${release}.v${revision}`
}
