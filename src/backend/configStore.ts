// Configs as a store of release records. Source: the chart engine's storage of swarmcli.
import type { CallOptions, Engine } from '../engine/engine.ts'
import type { Labels } from '../swarm/common.ts'
import { isReleaseRecord } from './releaseRecords.ts'

/** Beside the record's own labels, as swarmcli itself writes it: when, RFC 3339 in UTC. */
const STORED_LABEL = 'swarmcli.created'

export interface StoredConfig {
  readonly id: string
  readonly name: string
  readonly labels: Labels
  /** Only of release records. */
  readonly data?: Uint8Array | undefined
}

/** Rejects with the engine's own error, so that the caller can tell `already-exists`. */
export async function createConfig(
  engine: Engine,
  name: string,
  data: Uint8Array,
  labels: Labels,
  now: number,
  options?: CallOptions,
): Promise<string> {
  const Labels = { ...labels, [STORED_LABEL]: new Date(now).toISOString() }
  return engine.createConfig({ Name: name, Labels, Data: Buffer.from(data).toString('base64') }, options)
}

/** Every config of the swarm, in one call. */
export async function listConfigs(engine: Engine): Promise<readonly StoredConfig[]> {
  const configs = await engine.listConfigs()
  return configs.map((config) => ({
    id: config.ID,
    name: config.Spec.Name ?? '',
    labels: config.Spec.Labels ?? {},
    ...(isReleaseRecord(config) && { data: Buffer.from(config.Spec.Data ?? '', 'base64') }),
  }))
}

/** By id or name. */
export async function inspectConfig(engine: Engine, name: string): Promise<Uint8Array> {
  const { Spec: spec } = await engine.inspectConfig(name)
  return Buffer.from(spec.Data ?? '', 'base64')
}

/** By id or exact name; one that is not there is an error. */
export async function deleteConfig(engine: Engine, name: string): Promise<void> {
  await engine.removeConfig(name)
}
