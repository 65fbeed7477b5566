import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError } from '../engine/engine.ts'
import { DeployError } from '../errors.ts'
import type { Change } from './change.ts'
import { createNetwork } from './createNetworks.ts'
import type { Observation } from './observe.ts'
import type { Plan } from './plan.ts'
import type { NetworkStep } from './planNetworks.ts'
import { networkNames } from './planServices.ts'
import { stopIfCancelled, type Writing } from './writing.ts'

/** How long (ms) a network that is being removed is waited for: its last task may take all of its grace period to end. */
const GONE_WITHIN = 30_000

/** What lets go of a network that Swarm has forgotten and a node still lists. Seen with engine 20.10, of a job that was restarted over and over. */
export const HELD_NETWORK =
  'Where no task of the stack is left, restart the Docker daemon of the manager: it may hold a network for as long as it runs.'

/** Knows the stack's networks while its services are written. */
export interface NetworkKeeper {
  /** The name of a network by its id, also of one that this run created; a name stays as it is. */
  readonly nameOf: (target: string) => string
  /** Those that the plan had found, and that had to be created after all. */
  readonly recreated: readonly Change[]
  /**
   * Does the write of a service. After `docker stack rm` the networks stay in the lists until their last task has ended, though
   * Swarm has forgotten them: where it says so, the network is created again once it is gone, and the write repeated.
   */
  write<T>(call: () => Promise<T>): Promise<T>
}

/** @param created names by id of the networks that this run has created so far */
export function createNetworkKeeper(
  { namespace, networks }: Plan,
  observation: Observation,
  created: ReadonlyMap<string, string>,
  writing: Writing,
): NetworkKeeper {
  const { log, journal } = writing.settings
  const planned = networkNames(observation)
  const names = new Map(created)
  const found = new Map(networks.filter(({ action }) => action === 'none').map((step) => [step.request.Name, step]))
  const recreated: Change[] = []
  const comebacks = new Map<string, Promise<void>>()

  const bringBack = async (step: NetworkStep): Promise<void> => {
    const { Name: name } = step.request
    log(`Network ${name} is still being removed: it is created again as soon as it is gone`)
    const old = observation.networks.filter(({ Name }) => Name === name).map(({ Id }) => Id)
    const other = await untilGone(step, old, writing)
    if (other !== undefined) {
      names.set(other, name)
      return
    }
    const change: Change = { kind: 'network', name, action: 'create', fields: [] }
    journal.plan([change])
    names.set(await createNetwork(step, namespace, writing), name)
    recreated.push(change)
  }
  return {
    nameOf: (target) => names.get(target) ?? planned(target),
    recreated,
    async write(call) {
      const broughtBack = new Set<string>()
      for (;;) {
        try {
          return await call()
        } catch (error) {
          const step = found.get(missingNetwork(error) ?? '')
          if (step === undefined || broughtBack.has(step.request.Name)) throw error
          const { Name: name } = step.request
          broughtBack.add(name)
          const comeback = comebacks.get(name) ?? bringBack(step)
          comebacks.set(name, comeback)
          await comeback
        }
      }
    },
  }
}

/** The network that an engine did not find when it was to write a service. */
export function missingNetwork(error: unknown): string | undefined {
  return error instanceof EngineError ? /\bnetwork (\S+) not found/i.exec(error.message)?.[1] : undefined
}

// --- Internal helpers ---

/** Answers the id of another network of that name, should one have taken its place. */
async function untilGone(
  { request: { Name: name }, position }: NetworkStep,
  old: readonly string[],
  { engine, settings }: Writing,
): Promise<string | undefined> {
  const { signal, now } = settings
  const latest = now() + GONE_WITHIN
  for (;;) {
    stopIfCancelled(settings, `network ${name}`)
    const listed = await engine.listNetworks({ name: [name] }, { signal })
    const [live] = listed.filter(({ Name, Scope }) => Name === name && Scope === 'swarm')
    if (live === undefined) return undefined
    if (!old.includes(live.Id)) return live.Id
    if (now() >= latest) {
      throw new DeployError(
        'network',
        `network ${name} is being removed, and still there after ${GONE_WITHIN / 1000} s`,
        {
          position,
          remedy:
            'A task of the stack that was removed is still ending, for as long as its stop_grace_period allows. Run this again once `docker network ls` no longer lists the network. ' +
            HELD_NETWORK,
        },
      )
    }
    await sleep(300, undefined, signal && { signal }).catch(() => {})
  }
}
