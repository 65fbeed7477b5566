import { isDeepStrictEqual } from 'node:util'
import { DeployError } from '../errors.ts'
import type { Service, ServiceSpec } from '../swarm/service.ts'
import { createNamed } from './createNamed.ts'
import { bearsCredentials } from './credentialsLabel.ts'
import { missingNetwork, type NetworkKeeper } from './networkKeeper.ts'
import type { ServiceStep } from './planServices.ts'
import { ATTEMPTS, isKind, isUnclear, mayHaveGotThrough, pause, refusedWrite, type Writing, write } from './writing.ts'

/**
 * Creates or updates one service, and answers its id. After a lost race, or a call whose fate is unknown, the swarm is read again:
 * still what the plan was made from, the write is repeated; already what is wanted, it is done; anything else is somebody else's
 * work, and ends the run. A race is told wherever the swarm holds neither what the plan was made from nor what this run has written.
 */
export async function writeService(
  step: ServiceStep,
  isWanted: (live: ServiceSpec) => boolean,
  networks: Pick<NetworkKeeper, 'write'>,
  writing: Writing,
): Promise<string> {
  const { log } = writing.settings
  const { name, action, fields, live } = step
  const words = {
    create: 'Creating',
    update: 'Updating',
    retry: 'Starting again',
    credentials: 'Sending the credentials for',
    none: 'Leaving',
  }
  const differing = fields.length > 0 && action !== 'credentials' ? `: ${fields.join(', ')}` : ''
  log(`${words[action]} service ${name}${differing}`)
  const { registryAuth } = authFor(step.spec, writing)
  // What means the same need not have restarted anything.
  const isRestarted = (found: ServiceSpec): boolean =>
    (found.TaskTemplate.ForceUpdate ?? 0) >= (step.spec.TaskTemplate.ForceUpdate ?? 0)
  const isOurs = (found: ServiceSpec): boolean =>
    isWanted(found) && isRestarted(found) && bearsCredentials(found.Labels, registryAuth)
  try {
    return await networks.write(() =>
      live === undefined ? create(step, isOurs, writing) : update(step, live, isOurs, writing),
    )
  } catch (error) {
    throw refusedWrite(error, { position: step.position, service: step.key })
  }
}

// --- Internal helpers ---

async function create(step: ServiceStep, isWanted: (spec: ServiceSpec) => boolean, writing: Writing): Promise<string> {
  const { engine } = writing
  const { name, spec } = step
  const service = await createNamed(
    writing,
    `service ${name}`,
    () => engine.createService(spec, authFor(spec, writing)),
    async (mayBeOurs) => {
      const found = (await engine.listServices({ name: [name] })).find(({ Spec }) => Spec.Name === name)
      if (found === undefined) return undefined
      if (!isWanted(found.Spec)) throw lostRace(step, 'was created by someone else', undefined, writing)
      if (!mayBeOurs || !bearsLabelsOf(spec, found.Spec)) tellOfRace(step, writing)
      return { id: found.ID, warnings: [] }
    },
  )
  warn(step, service.warnings, writing)
  return service.id
}

async function update(
  step: ServiceStep,
  planned: Service,
  isWanted: (spec: ServiceSpec) => boolean,
  writing: Writing,
): Promise<string> {
  const { engine, settings } = writing
  const { name, spec } = step
  let current = planned
  let mayBeOurs = false
  for (let attempt = 1; ; attempt++) {
    try {
      const { warnings } = await write(writing, `service ${name}`, () =>
        engine.updateService(current.ID, current.Version.Index, spec, authFor(spec, writing)),
      )
      warn(step, warnings, writing)
      return current.ID
    } catch (error) {
      if (missingNetwork(error) !== undefined) throw error
      if (isKind(error, 'not-found')) throw lostRace(step, 'was removed by someone else', error, writing)
      if (!isKind(error, 'version-conflict') && !isUnclear(error)) throw error
      if (isUnclear(error)) await pause(attempt, settings.signal)
      mayBeOurs ||= mayHaveGotThrough(error)
      current = await reread(step, planned, error, writing)
      if (!isStill(planned, current, step)) {
        if (!isWanted(current.Spec)) throw lostRace(step, 'was changed by someone else', error, writing)
        if (!mayBeOurs || !bearsLabelsOf(spec, current.Spec)) tellOfRace(step, writing)
        return adopted(current, step, writing)
      }
      if (attempt < ATTEMPTS) continue
      throw isUnclear(error) ? error : restless(step, error)
    }
  }
}

function restless({ name, position, key }: ServiceStep, cause: unknown): DeployError {
  const message = `service ${name} could not be updated: it had another version at each of ${ATTEMPTS} tries, though the same spec`
  return new DeployError('conflict', message, {
    cause,
    position,
    service: key,
    remedy:
      'Something writes it all the time, or Swarm is moving its update on. Wait until it is quiet, then run this again.',
  })
}

async function reread(step: ServiceStep, planned: Service, cause: unknown, writing: Writing): Promise<Service> {
  try {
    return await writing.engine.inspectService(planned.ID)
  } catch (error) {
    throw isKind(error, 'not-found') ? lostRace(step, 'was removed by someone else', cause, writing) : error
  }
}

/** Swarm itself moves the version with each step of an update, so that only spec, job run and, for a paused one, state count. */
function isStill(planned: Service, current: Service, { action }: ServiceStep): boolean {
  const isPaused = ({ UpdateStatus: status }: Service): boolean => /^(rollback_)?paused$/.test(status?.State ?? '')
  return (
    isDeepStrictEqual(planned.Spec, current.Spec) &&
    planned.JobStatus?.JobIteration.Index === current.JobStatus?.JobIteration.Index &&
    (action !== 'retry' || isPaused(planned) === isPaused(current))
  )
}

/** Labels are kept as they were sent, and those of our own tell our write from one of another client that means the same. */
function bearsLabelsOf(sent: ServiceSpec, live: ServiceSpec): boolean {
  return Object.entries(sent.Labels ?? {}).every(([label, value]) => live.Labels?.[label] === value)
}

function adopted(service: Service, { name }: ServiceStep, { settings }: Writing): string {
  settings.journal.start(`service ${name}`)
  settings.journal.done(`service ${name}`)
  return service.ID
}

function tellOfRace({ name, position }: ServiceStep, { settings }: Writing): void {
  settings.onOutOfBandChange(name)
  settings.warn({
    severity: 'warning',
    code: 'conflict',
    message: `service ${name} was written by someone else while this run was at it`,
    position,
    remedy: 'Let one deployment of a stack run at a time: give the job a "concurrency:" group.',
  })
}

function lostRace(step: ServiceStep, what: string, cause: unknown, writing: Writing): DeployError {
  tellOfRace(step, writing)
  return new DeployError('conflict', `service ${step.name} ${what} after this run had looked at it`, {
    cause,
    position: step.position,
    service: step.key,
    remedy:
      'Find out who else deploys here, then run it again. A "concurrency:" group keeps runs of one workflow apart.',
  })
}

function warn({ name, position }: ServiceStep, warnings: readonly string[], { settings }: Writing): void {
  for (const text of warnings) {
    settings.warn({ severity: 'warning', code: 'engine', message: `service ${name}: ${text}`, position })
  }
}

/** By the image that is written, digest and all. */
function authFor(spec: ServiceSpec, { settings }: Writing): { readonly registryAuth: string | undefined } {
  return { registryAuth: settings.registryAuth?.headerFor(spec.TaskTemplate.ContainerSpec?.Image ?? '') }
}
