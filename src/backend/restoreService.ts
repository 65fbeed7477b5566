import { isDeepStrictEqual } from 'node:util'
import { EngineError } from '../engine/engine.ts'
import { messageOf } from '../errors.ts'
import { CREDENTIALS_LABEL, RETRY_LABEL } from '../swarm/names.ts'
import type { Service, ServiceSpec } from '../swarm/service.ts'
import { differingFields, type Meaning, meaningOf } from './meaning.ts'
import type { Observation } from './observe.ts'
import { type ServiceStep, startedAgain, wouldRunAgain } from './planServices.ts'
import { removeObject } from './removeObject.ts'
import { ATTEMPTS, isKind, isUnclear, pause, type Writing, write } from './writing.ts'

/** A service that a deployment set out to write, whatever became of that. */
export interface TouchedService extends ServiceStep {
  /** Whether a live spec means what the deployment wanted. */
  readonly isWanted: (live: ServiceSpec) => boolean
}

/** What became of it. */
export type Restored =
  | PutBack
  /** It was not there before. */
  | { readonly kind: 'removed' }
  /** It has its spec from before: nothing was written, or nothing that makes it another. */
  | { readonly kind: 'as-before' }
  /** It keeps what the deployment wrote, on purpose; it is someone else's work by now, or gone; the engine refused. */
  | { readonly kind: 'kept' | 'lost' | 'refused'; readonly why: string }

export interface PutBack {
  readonly kind: 'put-back'
  readonly id: string
  /** Its `UpdatedAt` before the write; undefined where Swarm itself has put it back. */
  readonly previousUpdatedAt: string | undefined
  /** Whether a live spec is the one from before. */
  readonly isWanted: (live: ServiceSpec) => boolean
}

/**
 * Puts one service back. After a lost race, or a call whose fate is unknown, the swarm is read again, and what is to be done decided anew:
 * Swarm itself may have rolled it back meanwhile.
 * @param listed as just read
 */
export async function restoreService(
  service: TouchedService,
  listed: Service | undefined,
  observation: Pick<Observation, 'tasks' | 'nodes'>,
  writing: Writing,
): Promise<Restored> {
  const { log, signal } = writing.settings
  const { name } = service
  let live = listed
  let sentAt: string | undefined
  for (let attempt = 1; ; attempt++) {
    const next = decide(service, live, observation, sentAt)
    if ('kind' in next) return next
    const { current, spec } = next
    if (attempt === 1)
      log(spec === undefined ? `Removing service ${name}, which is new` : `Putting back service ${name}`)
    try {
      if (spec === undefined) await removeObject({ kind: 'service', id: current.ID, name }, writing)
      else {
        sentAt = current.UpdatedAt
        await update(current, spec, service, writing)
      }
      return spec === undefined ? { kind: 'removed' } : putBack(service, current, sentAt)
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      const mayHelp = isKind(error, 'version-conflict') || isKind(error, 'not-found') || isUnclear(error)
      if (!mayHelp || error.isFinal || attempt === ATTEMPTS) return { kind: 'refused', why: messageOf(error) }
      if (isUnclear(error)) await pause(attempt, signal)
      live = await reread(current.ID, writing)
    }
  }
}

// --- Internal helpers ---

/** What is to be written: the spec, or none to remove the service; or what there is to say already. */
function decide(
  service: TouchedService,
  live: Service | undefined,
  observation: Pick<Observation, 'tasks' | 'nodes'>,
  sentAt: string | undefined,
): Restored | { readonly current: Service; readonly spec: ServiceSpec | undefined } {
  const { live: before, isWanted, action } = service
  if (before === undefined) {
    if (live === undefined) return { kind: 'as-before' }
    return isWanted(live.Spec) ? { current: live, spec: undefined } : { kind: 'lost', why: CHANGED }
  }
  if (live === undefined || live.ID !== before.ID) return { kind: 'lost', why: 'someone else removed it meanwhile' }
  if (action === 'retry' && isWanted(live.Spec)) {
    return { kind: 'kept', why: 'it was only started again, and has its spec from before' }
  }
  if (isAgain(before.Spec, live.Spec)) {
    if (sentAt !== undefined) return putBack(service, live, sentAt)
    if (!isRolledBack(before, live)) return { kind: 'as-before' }
    // Swarm forgets an update to the very spec that it has while its updater is still at work.
    if (live.UpdateStatus?.State === 'rollback_paused') {
      return { current: live, spec: startedAgain(live.Spec, 'same-spec', live) }
    }
    return putBack(service, live, undefined)
  }
  if (!isWanted(live.Spec)) return { kind: 'lost', why: CHANGED }
  if (wouldRunAgain(before, observation)) {
    return { kind: 'kept', why: 'it runs to completion, and its spec from before would make it run again' }
  }
  return { current: live, spec: before.Spec }
}

const CHANGED = 'someone else changed it meanwhile'

function putBack(
  { live: before }: TouchedService,
  { ID: id }: Service,
  previousUpdatedAt: string | undefined,
): PutBack {
  const isWanted = (spec: ServiceSpec): boolean => before !== undefined && isAgain(before.Spec, spec)
  return { kind: 'put-back', id, previousUpdatedAt, isWanted }
}

/** The engine never shows a credential, but keeps the one before together with the spec before. */
async function update(current: Service, spec: ServiceSpec, { live: before }: TouchedService, writing: Writing) {
  const { PreviousSpec: previous } = current
  const isPrevious = before !== undefined && previous && isAgain(before.Spec, previous)
  const registryAuthFrom = isPrevious && !isAgain(before.Spec, current.Spec) ? 'previous-spec' : 'spec'
  await write(writing, `service ${current.Spec.Name}`, () =>
    writing.engine.updateService(current.ID, current.Version.Index, spec, { registryAuthFrom }),
  )
}

/** Whether a service has its spec from before again. Ids of networks do not change under it. */
function isAgain(before: ServiceSpec, live: ServiceSpec): boolean {
  return (
    differingFields(meaning(before), meaning(live)).length === 0 &&
    before.Labels?.[CREDENTIALS_LABEL] === live.Labels?.[CREDENTIALS_LABEL]
  )
}

function meaning(spec: ServiceSpec): Meaning {
  const { [RETRY_LABEL]: _counter, ...Labels } = spec.Labels ?? {}
  return meaningOf({ ...spec, Labels }, (target) => target)
}

/** By Swarm, and since the deployment began: a rollback of an older update is no answer to this one. */
function isRolledBack({ UpdateStatus: before }: Service, { UpdateStatus: now }: Service): boolean {
  return (now?.State ?? '').startsWith('rollback_') && !isDeepStrictEqual(before, now)
}

async function reread(id: string, { engine, settings }: Writing): Promise<Service | undefined> {
  try {
    return await engine.inspectService(id, { signal: settings.signal })
  } catch (error) {
    if (isKind(error, 'not-found')) return undefined
    throw error
  }
}
