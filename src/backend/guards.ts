import type { ServiceObject, StackSpec } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import { isOrderLabel, isOwnLabel, isRecordName, ROLLOUT_LABEL, WAVE_LABEL } from '../swarm/names.ts'
import type { Observation } from './observe.ts'
import { isReleaseRecord } from './releaseRecords.ts'

type Report = (problem: Problem) => void

/**
 * Reports what no stack may touch: protected secrets, used or declared, under whatever target they would be mounted; release
 * records, likewise; names and labels by which this action knows its own.
 * @param forbidden names of protected secrets
 */
export function checkGuards(
  spec: StackSpec,
  { configs }: Pick<Observation, 'configs'>,
  forbidden: ReadonlySet<string>,
  report: Report,
): void {
  protectSecrets(spec, forbidden, report)
  protectRecords(spec, configs, report)
  protectLabels(spec, report)
}

// --- Internal helpers ---

function problem(message: string, position: Problem['position'], remedy: string): Problem {
  return { severity: 'error', code: 'forbidden', message, position, remedy }
}

function protectSecrets(
  { services, secrets, secretsAside = [] }: StackSpec,
  forbidden: ReadonlySet<string>,
  report: Report,
): void {
  // Swarm finds a secret by its name whatever the case.
  const names = new Set([...forbidden].map((name) => name.toLowerCase()))
  const remedy =
    'It is among the input "protected-secrets", or mounted under /run/secrets where the action runs. Use another secret.'
  const mounted = new Set<string>()
  for (const service of services) {
    for (const [index, { SecretName: name }] of (service.spec.TaskTemplate.ContainerSpec?.Secrets ?? []).entries()) {
      if (!names.has(name.toLowerCase())) continue
      mounted.add(name)
      const place = placeOf(service, `secrets.${index}`)
      report(problem(`service ${service.key} mounts the protected secret "${name}"`, place, remedy))
    }
  }
  // An external secret that a service mounts is told of there.
  const declared = secrets.filter(({ name, external }) => !external || !mounted.has(name))
  for (const { name, position } of [...declared, ...secretsAside]) {
    if (!names.has(name.toLowerCase())) continue
    report(problem(`the manifest declares the protected secret "${name}"`, position, remedy))
  }
}

/** A record holds manifests and contents of configs, and says whose a stack is. */
function protectRecords({ services, secrets, configs }: StackSpec, live: Observation['configs'], report: Report): void {
  const isRecord = (name: string): boolean => {
    const found = live.get(name)
    return found !== undefined && isReleaseRecord(found)
  }
  const other = 'Use another config: records are for this action and `swarmcli charts` only.'
  for (const service of services) {
    for (const [index, reference] of (service.spec.TaskTemplate.ContainerSpec?.Configs ?? []).entries()) {
      const { ConfigName: name, Runtime: runtime } = reference
      if (!isRecord(name)) continue
      const what = `service ${service.key} uses the config "${name}", a release record, which no service may read`
      report(problem(what, placeOf(service, runtime ? 'credential_spec' : `configs.${index}`), other))
    }
  }
  const remedy = 'Give it another "name:": those beginning with "swarmcli.release." are for the history of releases.'
  for (const { name, external, position } of secrets) {
    if (!external && isRecordName(name))
      report(problem(`the manifest declares the secret "${name}", whose name is reserved`, position, remedy))
  }
  for (const { name, external, position } of configs) {
    if (external) continue
    if (isRecord(name)) report(problem(`the manifest declares the config "${name}", a release record`, position, other))
    else if (isRecordName(name))
      report(problem(`the manifest declares the config "${name}", whose name is reserved`, position, remedy))
  }
}

/** Containers and volumes may bear such labels: nothing reads them there. */
function protectLabels({ services, networks, secrets, configs }: StackSpec, report: Report): void {
  const remedy = `Take it out: labels that begin with "com.swarmcli.", "swarmcli." or "com.swarm-stack-deploy." are this action's own. Only "${ROLLOUT_LABEL}" and "${WAVE_LABEL}" may be set, under "deploy.labels" of a service.`
  const check = (what: string, reserved: readonly string[], position: Problem['position']): void => {
    if (reserved.length === 0) return
    const names = reserved.map((name) => `"${name}"`).join(', ')
    report(problem(`${what} sets the reserved label ${names}`, position, remedy))
  }
  for (const service of services) {
    const place = placeOf(service, 'deploy.labels')
    check(`service ${service.key}`, Object.keys(service.spec.Labels ?? {}).filter(isOwnLabel), place)
  }
  const kinds = { network: networks, secret: secrets, config: configs }
  for (const [kind, objects] of Object.entries(kinds)) {
    for (const object of objects) {
      const names = object.external ? [] : Object.keys(object.spec.Labels ?? {})
      const reserved = names.filter((name) => isOwnLabel(name) || isOrderLabel(name))
      check(`the ${kind} "${object.key}"`, reserved, object.position)
    }
  }
}

function placeOf({ places, position }: ServiceObject, name: string): Problem['position'] {
  return places[name] ?? places[name.split('.', 1)[0] ?? ''] ?? position
}
