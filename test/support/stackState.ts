import { meaningOf } from '../../src/backend/meaning.ts'
import { writtenLabel } from '../../src/backend/writtenLabel.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { decodeRecord } from '../../src/history/decodeRecord.ts'
import type { Labels } from '../../src/swarm/common.ts'
import {
  CREATED_LABEL,
  CREDENTIALS_LABEL,
  DIGEST_LABEL,
  NAMESPACE_LABEL,
  RELEASE_LABEL,
  TYPE_LABEL,
  WRITTEN_LABEL,
} from '../../src/swarm/names.ts'

/** Times, salted digests, and what is made of ids: that they are there is all that two runs have in common. */
const OWN_VALUES = new Set([
  CREATED_LABEL,
  CREDENTIALS_LABEL,
  DIGEST_LABEL,
  WRITTEN_LABEL,
  'com.swarmcli.created',
  'swarmcli.created',
])

/**
 * All that a swarm holds of a stack, apart from its name, ids, versions, times and salts: what two stacks, or one at two times, have in
 * common if the same was deployed. One line of JSON an object, sorted, so that a doubled one shows.
 */
export async function stackState(engine: Engine, namespace: string): Promise<readonly string[]> {
  const label = { label: [`${NAMESPACE_LABEL}=${namespace}`] }
  const [networks, secrets, configs, services, records] = await Promise.all([
    engine.listNetworks(label),
    engine.listSecrets(label),
    engine.listConfigs(label),
    engine.listServices(label),
    engine.listConfigs({ label: [`${RELEASE_LABEL}=${namespace}`] }),
  ])
  const isRecord = ({ Spec: { Labels } }: (typeof records)[number]): boolean => Labels?.[TYPE_LABEL] === 'release'
  const nameOf = (target: string): string => networks.find(({ Id }) => Id === target)?.Name ?? target
  const objects = [
    ...networks.map(({ Name, Scope, Attachable, Internal, Labels }) => {
      return {
        network: Name,
        Scope,
        Attachable: Attachable ?? false,
        Internal: Internal ?? false,
        Labels: plain(Labels),
      }
    }),
    ...secrets.map(({ Spec }) => ({ secret: Spec.Name, Labels: plain(Spec.Labels) })),
    ...configs
      .filter((config) => !isRecord(config))
      .map(({ Spec }) => ({ config: Spec.Name, Labels: plain(Spec.Labels), Data: Spec.Data })),
    ...services.map(({ Spec }) => {
      const written = Spec.Labels?.[WRITTEN_LABEL]
      const isWritten = written === undefined ? {} : { isWritten: written === writtenLabel(meaningOf(Spec, nameOf)) }
      return { service: Spec.Name, ...isWritten, Spec: { ...Spec, Labels: plain(Spec.Labels) } }
    }),
    ...records.filter(isRecord).map(({ Spec }) => {
      const { created: _time, files, ...record } = decodeRecord(Buffer.from(Spec.Data ?? '', 'base64'))
      return { record: Spec.Name, Labels: plain(Spec.Labels), ...record, files: [...files.keys()] }
    }),
  ]
  const names = new Map([
    ...networks.map(({ Id, Name }): [string, string] => [Id, Name]),
    ...[...secrets, ...configs].map(({ ID, Spec: { Name = '' } }): [string, string] => [ID, Name]),
    ...secrets.map(({ Spec: { Name = '' } }): [string, string] => [Name, Name.replace(/-[0-9a-f]{8}$/, '-SALTED')]),
  ])
  return objects
    .map((object) => {
      const text = JSON.stringify(object, (_key, value: unknown) => {
        if (value instanceof Map) return Object.fromEntries([...value].sort())
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
          return Object.fromEntries(Object.entries(value).sort())
        }
        return typeof value === 'bigint' ? String(value) : value
      })
      return [...names]
        .reduce((known, [name, shown]) => known.replaceAll(name, shown), text)
        .replaceAll(namespace, 'STACK')
    })
    .sort()
}

// --- Internal helpers ---

function plain(labels: Labels | null | undefined): Labels {
  const entries = Object.entries(labels ?? {}).map(([name, value]) => [name, OWN_VALUES.has(name) ? 'there' : value])
  return Object.fromEntries(entries.sort())
}
