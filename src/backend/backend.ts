import type { StackSpec } from '../convert/stackSpec.ts'
import type { Engine } from '../engine/engine.ts'
import { type ServiceState, serviceStates } from '../health/serviceState.ts'
import type { RegistryAuth } from '../registry/registryAuth.ts'
import type { Labels } from '../swarm/common.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'
import { applyPlan, type Deployment } from './applyPlan.ts'
import { createConfig, deleteConfig, inspectConfig, listConfigs, type StoredConfig } from './configStore.ts'
import { observe } from './observe.ts'
import { type BackendOptions, type Settings, withDefaults } from './options.ts'
import { createOverlayNetwork, removeOverlayNetwork } from './overlayNetwork.ts'
import { handover } from './ownership.ts'
import { type Plan, planChanges } from './plan.ts'
import { planRemoval, type Removal } from './planRemoval.ts'
import { removeObject } from './removeObject.ts'
import { removeRecords } from './removeRecords.ts'
import { createSweep, removeStack } from './removeStack.ts'
import { type KeptVolume, removeVolumes } from './removeVolumes.ts'
import type { ResolveMode } from './resolveMode.ts'
import { servicesOnly } from './servicesOnly.ts'
import { readSnapshot } from './snapshot.ts'
import type { Remains } from './stackRemains.ts'
import type { Writing } from './writing.ts'

/** Everything that is done to one swarm. The rules are in the files beside this one; here is only which belongs to what. */
export class Backend {
  readonly #engine: Engine
  readonly #settings: Settings

  constructor(engine: Engine, options: BackendOptions = {}) {
    this.#engine = engine
    this.#settings = withDefaults(options)
  }

  /**
   * Makes the swarm as the stack wants it: networks, secrets, configs, services. Nothing is removed, and nothing is written before
   * everything that can be read has been checked. Throws a DeployError.
   */
  deployStack(spec: StackSpec, resolve: ResolveMode): Promise<Deployment> {
    return this.#deploy(spec, resolve, (plan) => plan)
  }

  /** Only the services: what they refer to has to be there, with the content that the stack says. */
  applyServices(spec: StackSpec, resolve: ResolveMode): Promise<Deployment> {
    return this.#deploy(spec, resolve, servicesOnly)
  }

  /** Removes what carries the stack's label, but for volumes and release records. Idempotent. */
  removeStack(name: string): Promise<void> {
    return removeStack(name, this.#writing())
  }

  /** What a removal will find, once it is known that the stack is not somebody else's: that throws `conflict`. Writes nothing. */
  planRemoval(name: string, withVolumes: boolean): Promise<Removal> {
    return planRemoval(name, withVolumes, this.#writing())
  }

  /** What removes a stack bit by bit: each call removes what it can, and answers what is left. */
  sweepOf(name: string): () => Promise<Remains> {
    return createSweep(name, this.#writing())
  }

  /** The removal's volumes, waiting for containers that are not gone yet; answers those that stay, and why. */
  removeVolumes({ volumes }: Pick<Removal, 'volumes'>): Promise<readonly KeptVolume[]> {
    return removeVolumes(volumes, this.#writing())
  }

  /** The removal's release records: the last thing to go. */
  removeRecords({ records }: Pick<Removal, 'records'>): Promise<void> {
    return removeRecords(records, this.#writing())
  }

  /** Where the stack's services stand now, sorted by name; empty where there is no such stack. */
  async stackServices(name: string): Promise<readonly ServiceState[]> {
    const { now, signal } = this.#settings
    return serviceStates(await readSnapshot(this.#engine, name, now, { signal }), name)
  }

  /** Nothing to refresh: every read asks the swarm. */
  async refreshSnapshot(): Promise<void> {}

  /** The volumes with the stack's label on the node that answers, sorted: other nodes keep theirs to themselves. */
  async stackVolumes(name: string): Promise<readonly string[]> {
    const volumes = await this.#engine.listVolumes({ label: [`${NAMESPACE_LABEL}=${name}`] })
    return volumes.map((volume) => volume.Name).sort()
  }

  /** Removes a volume of the node that answers; one that is in use is an error, one that is not there is none. */
  removeVolume(name: string): Promise<void> {
    return removeObject({ kind: 'volume', id: name, name }, this.#writing())
  }

  /** Stores a config with the labels given and the time; rejects with the engine's own error. Answers its id. */
  createConfig(name: string, data: Uint8Array, labels: Labels): Promise<string> {
    return createConfig(this.#engine, name, data, labels, this.#settings.now())
  }

  /** All configs of the swarm, in one call; contents only of release records. */
  listConfigs(): Promise<readonly StoredConfig[]> {
    return listConfigs(this.#engine)
  }

  inspectConfig(name: string): Promise<Uint8Array> {
    return inspectConfig(this.#engine, name)
  }

  /** One that is not there is an error. */
  deleteConfig(name: string): Promise<void> {
    return deleteConfig(this.#engine, name)
  }

  /** The name of every network → its scope, `swarm` or `local`. Where both exist, services see the swarm's. */
  async networkScopes(): Promise<ReadonlyMap<string, string>> {
    const networks = await this.#engine.listNetworks()
    const swarmLast = [...networks].sort(
      (left, right) => Number(left.Scope === 'swarm') - Number(right.Scope === 'swarm'),
    )
    return new Map(swarmLast.map((network) => [network.Name, network.Scope]))
  }

  async secretNames(): Promise<ReadonlySet<string>> {
    const secrets = await this.#engine.listSecrets()
    return new Set(secrets.map((secret) => secret.Spec.Name ?? ''))
  }

  /** Belongs to no stack, so that no removal finds it. The driver is `overlay` where it is empty. */
  createOverlayNetwork(name: string, driver = '', attachable = false): Promise<void> {
    return createOverlayNetwork(this.#engine, name, driver, attachable)
  }

  /** By exact name; one that is not there is gone already. */
  removeOverlayNetwork(name: string): Promise<void> {
    return removeOverlayNetwork(name, this.#writing())
  }

  /** A copy that sends these credentials, each to the registry it is for. */
  withRegistryAuth(registryAuth: RegistryAuth | undefined): Backend {
    return this.#with({ registryAuth })
  }

  /** A copy that refuses stacks that mount or declare one of these secrets. */
  withForbiddenSecrets(names: ReadonlySet<string>): Backend {
    return this.#with({ forbiddenSecrets: new Set(names) })
  }

  #writing(): Writing {
    return { engine: this.#engine, settings: this.#settings }
  }

  async #deploy(spec: StackSpec, resolve: ResolveMode, part: (plan: Plan) => Plan): Promise<Deployment> {
    const settings = this.#settings
    const observation = await observe(this.#engine, spec, resolve, settings)
    const plan = part(planChanges(spec, resolve, observation, settings))
    const change = handover(spec.namespace, observation, settings)
    if (change !== undefined) settings.log(change)
    settings.onPlan(plan, observation)
    return applyPlan(plan, observation, { engine: this.#engine, settings })
  }

  #with(more: Partial<Settings>): Backend {
    return new Backend(this.#engine, { ...this.#settings, ...more })
  }
}
