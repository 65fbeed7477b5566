// What a service spec means, as one flat map: the form in which a wanted spec and a live one are compared. The Engine adds
// defaults, names networks by id and drops what is empty, so that equal meaning is seldom equal JSON. Measured with engine 20.10.
import { CREATED_LABEL, CREDENTIALS_LABEL, WRITTEN_LABEL } from '../swarm/names.ts'
import type { ServiceSpec } from '../swarm/service.ts'
import { kindOfMode, modeFields } from './modeMeaning.ts'

/** Dotted field name (`image`, `env[LOG_LEVEL]`, `healthcheck.interval`) → value in a canonical text. Values are never shown. */
export type Meaning = ReadonlyMap<string, string>

interface Rule {
  /** Replaces the wire's name; an empty one leaves the level out. */
  readonly name?: string
  readonly ignore?: boolean
  /** What the Engine assumes where the field is absent. */
  readonly absent?: string
  /** Zero, false and empty differ from absent. */
  readonly keepZero?: boolean
  /** That the object is there means something, even if it is empty. */
  readonly presence?: boolean
  /** Every entry of the object is a field of its own, an empty value too. */
  readonly map?: boolean
  /** The order of the list means nothing, nor do repetitions. */
  readonly set?: boolean
  /** Each item is a field of its own, under this key. */
  readonly key?: (item: Readonly<Record<string, unknown>>) => string
  readonly float32?: boolean
}

const updateRules = (path: string): Readonly<Record<string, Rule>> => ({
  [path]: { presence: true },
  [`${path}.Order`]: { absent: 'stop-first' },
  [`${path}.FailureAction`]: { absent: 'pause' },
  [`${path}.MaxFailureRatio`]: { float32: true },
})

const container = 'TaskTemplate.ContainerSpec'
const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

/** By the wire's path, without list indexes. What is not here is compared leaf by leaf. */
const rules: Readonly<Record<string, Rule>> = {
  Name: { ignore: true },
  Labels: { map: true },
  Mode: { ignore: true },
  ...updateRules('UpdateConfig'),
  ...updateRules('RollbackConfig'),
  EndpointSpec: { name: '' },
  'EndpointSpec.Mode': { name: 'endpointMode', absent: 'vip' },
  'EndpointSpec.Ports': {
    name: 'ports',
    key: (port) =>
      `${text(port.PublishedPort || 'dynamic')}:${text(port.TargetPort)}/${text(port.Protocol || 'tcp')}/${text(port.PublishMode || 'ingress')}`,
  },
  'EndpointSpec.Ports.Protocol': { absent: 'tcp' },
  'EndpointSpec.Ports.PublishMode': { absent: 'ingress' },
  TaskTemplate: { name: '' },
  'TaskTemplate.ForceUpdate': { ignore: true },
  'TaskTemplate.Runtime': { absent: 'container' },
  'TaskTemplate.RestartPolicy': { presence: true },
  'TaskTemplate.RestartPolicy.Condition': { absent: 'any' },
  'TaskTemplate.RestartPolicy.Delay': { keepZero: true },
  'TaskTemplate.Resources.Reservations.GenericResources': { set: true },
  'TaskTemplate.Placement.Constraints': { name: 'constraints', set: true },
  // Derived from the image's digest, and the docker CLI forgets them when it keeps one.
  'TaskTemplate.Placement.Platforms': { ignore: true },
  'TaskTemplate.Networks': { name: 'networks', key: (network) => text(network.Target) },
  'TaskTemplate.Networks.Aliases': { set: true },
  'TaskTemplate.Networks.DriverOpts': { map: true },
  'TaskTemplate.LogDriver.Options': { map: true },
  [container]: { name: '' },
  [`${container}.Labels`]: { name: 'containerLabels', map: true },
  [`${container}.Dir`]: { name: 'workingDir' },
  [`${container}.TTY`]: { name: 'tty' },
  [`${container}.Init`]: { keepZero: true },
  [`${container}.StopGracePeriod`]: { keepZero: true },
  [`${container}.Isolation`]: { absent: 'default' },
  [`${container}.Hosts`]: { set: true },
  [`${container}.Groups`]: { set: true },
  [`${container}.CapabilityAdd`]: { set: true },
  [`${container}.CapabilityDrop`]: { set: true },
  [`${container}.DNSConfig`]: { name: 'dns' },
  [`${container}.Sysctls`]: { map: true },
  [`${container}.Ulimits`]: { key: (limit) => text(limit.Name) },
  [`${container}.Secrets`]: { key: (reference) => text(reference.SecretName) },
  [`${container}.Configs`]: { key: (reference) => text(reference.ConfigName) },
  [`${container}.Configs.Runtime`]: { presence: true },
  [`${container}.Mounts`]: { key: (mount) => text(mount.Target) },
  [`${container}.Mounts.Type`]: { absent: 'bind' },
  // The engine takes it and forgets it.
  [`${container}.Mounts.Consistency`]: { ignore: true },
  [`${container}.Mounts.BindOptions.Propagation`]: { absent: 'rprivate' },
  [`${container}.Mounts.VolumeOptions.Labels`]: { map: true },
  [`${container}.Mounts.VolumeOptions.DriverConfig.Options`]: { map: true },
}

/**
 * @param networkName the name of a network that a live spec names by id; a name stays as it is
 */
export function meaningOf(spec: ServiceSpec, networkName: (target: string) => string): Meaning {
  const fields = new Map<string, string>()
  const { Env: env, ...containerSpec } = spec.TaskTemplate.ContainerSpec ?? {}
  const { Networks: oldNetworks, Labels: labels, ...rest } = spec
  // Who may pull the image is no part of what runs, nor is what was written before, or who created it and when.
  const { [CREATED_LABEL]: _created, [CREDENTIALS_LABEL]: _login, [WRITTEN_LABEL]: _written, ...Labels } = labels ?? {}
  const attached = spec.TaskTemplate.Networks ?? []
  const networks = (attached.length > 0 ? attached : (oldNetworks ?? [])).map((network) => ({
    ...network,
    Target: networkName(network.Target ?? ''),
  }))
  fields.set('mode', kindOfMode(spec.Mode))
  for (const [field, count] of modeFields(spec.Mode)) fields.set(field, count)
  for (const variable of env ?? []) add(fields, `env[${variable.split('=', 1)[0]}]`, variable)
  walk(
    { ...rest, Labels, TaskTemplate: { ...spec.TaskTemplate, ContainerSpec: containerSpec, Networks: networks } },
    '',
    '',
    fields,
  )
  return fields
}

/** The names of the fields in which two specs differ, sorted; empty where they mean the same. */
export function differingFields(live: Meaning, wanted: Meaning): readonly string[] {
  const names = new Set([...live.keys(), ...wanted.keys()])
  const differing = [...names].filter((name) => live.get(name) !== wanted.get(name))
  return differing.sort()
}

// --- Internal helpers ---

function walk(value: unknown, path: string, name: string, fields: Map<string, string>): void {
  const rule = rules[path] ?? {}
  if (rule.ignore === true) return
  if (Array.isArray(value)) walkList(value, path, name, rule, fields)
  else if (typeof value === 'object' && value !== null) walkObject(value, path, name, rule, fields)
  else walkLeaf(value, name, rule, fields)
}

function walkObject(value: object, path: string, name: string, rule: Rule, fields: Map<string, string>): void {
  if (rule.presence === true) fields.set(name, 'given')
  for (const [key, member] of Object.entries(value)) {
    if (rule.map === true) fields.set(`${name}[${key}]`, JSON.stringify(member))
    else {
      const inner = path === '' ? key : `${path}.${key}`
      const own = rules[inner]?.name ?? camelCase(key)
      // A name of its own is a name of the top level.
      const outer = rules[inner]?.name === undefined && name !== '' ? `${name}.${own}` : own
      walk(member, inner, outer, fields)
    }
  }
}

function walkList(
  items: readonly unknown[],
  path: string,
  name: string,
  rule: Rule,
  fields: Map<string, string>,
): void {
  if (rule.key !== undefined) {
    for (const item of items) if (isRecord(item)) add(fields, `${name}[${rule.key(item)}]`, canonical(item, path))
    return
  }
  const texts = items.map((item) => canonical(item, path))
  if (texts.length > 0) fields.set(name, JSON.stringify(rule.set === true ? [...new Set(texts)].sort() : texts))
}

function walkLeaf(value: unknown, name: string, rule: Rule, fields: Map<string, string>): void {
  if (value === undefined || value === null) return
  const isZero = value === '' || value === false || Number(value) === 0
  if (isZero && rule.keepZero !== true) return
  const canonicalText = rule.float32 === true ? String(Math.fround(Number(value))) : String(value)
  if (canonicalText !== rule.absent) fields.set(name, canonicalText)
}

/** One item of a list as one text. */
function canonical(item: unknown, path: string): string {
  if (typeof item !== 'object' || item === null) return String(item)
  const parts = new Map<string, string>()
  walkObject(item, path, '', {}, parts)
  return JSON.stringify([...parts].sort())
}

/** Items under one key are taken together, whatever their order. */
function add(fields: Map<string, string>, name: string, value: string): void {
  const known = fields.get(name)
  const values: unknown = known === undefined ? [] : JSON.parse(known)
  fields.set(name, JSON.stringify([...(Array.isArray(values) ? values : []), value].sort()))
}

function camelCase(key: string): string {
  return key.slice(0, 1).toLowerCase() + key.slice(1)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
