import type { StackSpec } from '../convert/stackSpec.ts'
import type { Engine } from '../engine/engine.ts'
import { type ServiceState, serviceStates } from '../health/serviceState.ts'
import type { RegistryAuth } from '../registry/registryAuth.ts'
import type { Labels } from '../swarm/common.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'
import { type Application, applyPlan, beginPlan, type Deployment, type PlannedStack } from './applyPlan.ts'
import { createConfig, deleteConfig, inspectConfig, listConfigs, type StoredConfig } from './configStore.ts'
import type { Kept } from './kept.ts'
import { listStacks, type StackList } from './listStacks.ts'
import { type Observation, observe } from './observe.ts'
import { type BackendOptions, type Settings, withDefaults } from './options.ts'
import type { Orphans } from './orphans.ts'
import { createOverlayNetwork, removeOverlayNetwork } from './overlayNetwork.ts'
import { type Plan, planChanges } from './plan.ts'
import { planRemoval, type Removal } from './planRemoval.ts'
import { type Approved, findOrphans, foreseeOrphans, type Pruned, prune } from './prune.ts'
import { removeObject } from './removeObject.ts'
import { removeRecords } from './removeRecords.ts'
import { createSweep, removeStack } from './removeStack.ts'
import { type KeptVolume, removeVolumes } from './removeVolumes.ts'
import type { ResolveMode } from './resolveMode.ts'
import type { TouchedService } from './restoreService.ts'
import { type Restoration, restoreServices } from './restoreServices.ts'
import { servicesOnly } from './servicesOnly.ts'
import { readSnapshot } from './snapshot.ts'
import type { Remains } from './stackRemains.ts'
import type { Writing } from './writing.ts'

/**
 * Everything that is done to one swarm. The rules are in the files beside this one; here is only which belongs to what.
 * docs/backend.md is made of these comments. `@calls`: the calls of the engine, a line a step; those of one step are made at once or
 * in no order, `x2` is twice, and a `*` stands for as many as there is need of, or none.
 */
export class Backend {
  readonly #engine: Engine
  readonly #settings: Settings

  constructor(engine: Engine, options: BackendOptions = {}) {
    this.#engine = engine
    this.#settings = withDefaults(options)
  }

  /**
   * Makes the swarm as the stack wants it: networks, secrets, configs, services. Nothing is removed, and nothing is written before
   * everything that can be read has been checked: `updateSecret` of the second step asks with a version that can't be whether a secret
   * of someone else has the stack's content, and writes nothing. What is as wanted is left alone. The first failure ends it; what is
   * written then stays, as the journal tells.
   * @calls inspectDistribution*, listNetworks, listSecrets*, listConfigs, listConfigs*, listServices, listTasks, listNodes
   * @calls inspectDistribution*, inspectNetwork*, updateSecret*
   * @calls createNetwork*, listNetworks*
   * @calls createSecret*, updateSecret*, listSecrets*
   * @calls createConfig*, updateConfig*, listConfigs*
   * @calls createService*, updateService*, inspectService*, listServices*, createNetwork*, listNetworks*
   * @throws `DeployError` with all reasons at once, before the first write, where the stack can't be deployed on this swarm:
   *   `forbidden`, `missing-resource`, `conflict`, `unsupported` …
   * @throws `DeployError` at the manifest's line where the engine refuses a write: `engine`, `port-in-use`, `authentication`
   * @throws `DeployError` `conflict` where someone else wrote, created or removed a service meanwhile; `network` where a
   *   network that is being removed does not go; `cancelled` where `signal` was aborted
   * @throws `EngineError` where something can't be read
   */
  deployStack(spec: StackSpec, resolve: ResolveMode): Promise<Deployment> {
    return this.#deploy(spec, resolve, (plan) => plan)
  }

  /**
   * What a deployment would write, and what it was planned from. Writes nothing.
   * @param tell is told what was read before the plan is made, which may be refused
   * @calls inspectDistribution*, listNetworks, listSecrets*, listConfigs, listConfigs*, listServices, listTasks, listNodes
   * @calls inspectDistribution*, inspectNetwork*, updateSecret*
   * @throws as `deployStack` before its first write
   */
  async planStack(
    spec: StackSpec,
    resolve: ResolveMode,
    tell: (observation: Observation) => void = () => {},
  ): Promise<PlannedStack> {
    const settings = this.#settings
    const observation = await observe(this.#engine, spec, resolve, settings)
    tell(observation)
    return { plan: planChanges(spec, resolve, observation, settings), observation }
  }

  /**
   * Writes a plan, but for its services: those are written by what is handed back, in whatever order. The calls are those before them.
   * @calls createNetwork*, listNetworks*
   * @calls createSecret*, updateSecret*, listSecrets*
   * @calls createConfig*, updateConfig*, listConfigs*
   * @throws as `deployStack` from its first write on
   */
  beginStack(planned: PlannedStack): Promise<Application> {
    return beginPlan(planned, this.#writing())
  }

  /**
   * Undoes what a deployment did to services: each gets its spec from before, and the credential that was stored with it; new ones are
   * removed. Networks, secrets and configs stay. What someone else changed meanwhile is left alone. The answer, and `tell` as it goes on,
   * say what became of each.
   * @calls listServices*
   * @calls removeService*, updateService*, inspectService*
   * @throws `DeployError` `cancelled`. A refusal is part of the answer
   * @throws `EngineError` where something can't be read
   */
  restoreServices(
    touched: readonly TouchedService[],
    observation: Pick<Observation, 'tasks' | 'nodes'>,
    tell: (restoration: Restoration) => void = () => {},
  ): Promise<readonly Restoration[]> {
    return restoreServices(touched, observation, this.#writing(), tell)
  }

  /**
   * Only the services: what they refer to has to be there, with the content that the stack says.
   * @calls inspectDistribution*, listNetworks, listSecrets*, listConfigs, listConfigs*, listServices, listTasks, listNodes
   * @calls inspectDistribution*, inspectNetwork*, updateSecret*
   * @calls createService*, updateService*, inspectService*, listServices*, createNetwork*, listNetworks*
   * @throws as `deployStack`, and `missing-resource` with all that would have to be created
   */
  applyServices(spec: StackSpec, resolve: ResolveMode): Promise<Deployment> {
    return this.#deploy(spec, resolve, servicesOnly)
  }

  /**
   * What carries the stack's label and has left the manifest, and what of it `prune` would remove: as far as the stack itself tells, for
   * references from other stacks are not looked for. The release records are those that the plan was made from. Writes nothing.
   * @calls listServices, listNetworks, listSecrets, listConfigs
   * @throws `EngineError` where something can't be read
   */
  findOrphans(kept: Kept, { records }: Pick<Observation, 'records'>): Promise<Orphans> {
    return findOrphans(kept, records, this.#writing())
  }

  /**
   * What `prune` will find and remove once a plan is written, all of it runs, and its release record has made others superfluous. Writes
   * nothing.
   * @calls listServices, listNetworks, listSecrets, listConfigs x2
   * @throws `EngineError` where something can't be read
   */
  foreseeOrphans(
    kept: Kept,
    { plan }: { readonly plan: Pick<Plan, 'services'> },
    dropped: ReadonlySet<string>,
  ): Promise<Orphans> {
    return foreseeOrphans(kept, plan, dropped, this.#writing())
  }

  /**
   * Removes what has left the manifest, superseded generations of secrets and configs among it, as far as this action created it for this
   * owner, and nothing of the swarm refers to it: no live spec, no spec before that, no release record. For a stack that has converged.
   * Volumes are only named. A network that was in use is asked for again for up to 30 s.
   * @param approved nothing else is removed
   * @calls listServices, listNetworks, listSecrets, listConfigs x2, listVolumes
   * @calls removeService*
   * @calls listServices*, listNetworks*, listSecrets*, listConfigs*
   * @calls removeConfig*
   * @calls removeSecret*
   * @calls removeNetwork*
   * @throws `DeployError` `cancelled`
   * @throws `EngineError` where something can't be read. A refusal is part of the answer
   */
  prune(kept: Kept, approved?: Approved): Promise<Pruned> {
    return prune(kept, approved, this.#writing())
  }

  /**
   * Removes what carries the stack's label, but for volumes and release records, and looks whether it is gone. Repeatable. Does not
   * ask whose the stack is, and does not wait for tasks to end.
   * @calls listServices, listConfigs, listSecrets, listNetworks, listTasks, listNodes
   * @calls removeService*
   * @calls removeConfig*
   * @calls removeSecret*
   * @calls removeNetwork*
   * @calls listServices*, listConfigs*, listSecrets*, listNetworks*, listTasks*, listNodes*
   * @throws `DeployError` `engine` that names what is left, where the engine refuses; `input` for an empty name; `cancelled`
   * @throws `EngineError` where something can't be read
   */
  removeStack(name: string): Promise<void> {
    return removeStack(name, this.#writing())
  }

  /**
   * What a removal will find, once it is known that the stack is not somebody else's. Writes nothing.
   * @calls listServices x2, listConfigs x2, listSecrets, listNetworks, listTasks, listNodes x2, listVolumes, info
   * @throws `DeployError` `conflict` where the stack is somebody else's; `input` for an empty name
   * @throws `EngineError` where something can't be read
   */
  planRemoval(name: string, withVolumes: boolean): Promise<Removal> {
    return planRemoval(name, withVolumes, this.#writing())
  }

  /**
   * What removes a stack bit by bit: each call removes what it can, and answers what is left. The calls are those of one of them.
   * @calls listServices, listConfigs, listSecrets, listNetworks, listTasks, listNodes
   * @calls removeService*
   * @calls removeConfig*
   * @calls removeSecret*
   * @calls removeNetwork*
   * @calls listServices*, listConfigs*, listSecrets*, listNetworks*, listTasks*, listNodes*
   * @throws `DeployError` `input` for an empty name; `cancelled`
   * @throws `EngineError` where something can't be read. A refusal is part of the answer
   */
  sweepOf(name: string): () => Promise<Remains> {
    return createSweep(name, this.#writing())
  }

  /**
   * The removal's volumes, waiting up to 30 s for containers that are not gone yet; answers those that stay, and why.
   * @calls removeVolume*
   * @throws `DeployError` `cancelled`. A refusal is part of the answer
   */
  removeVolumes({ volumes }: Pick<Removal, 'volumes'>): Promise<readonly KeptVolume[]> {
    return removeVolumes(volumes, this.#writing())
  }

  /**
   * The removal's release records: the last thing to go.
   * @calls removeConfig*
   * @throws `EngineError`: the engine's refusal
   */
  removeRecords({ records }: Pick<Removal, 'records'>): Promise<void> {
    return removeRecords(records, this.#writing())
  }

  /**
   * All stacks of the swarm, by the labels of its services, networks, secrets, configs and release records, and one look at all their
   * services.
   * @calls listServices, listTasks x2, listNodes, listNetworks, listSecrets, listConfigs x2
   * @throws `EngineError` where something can't be read
   */
  listStacks(): Promise<StackList> {
    const { now, signal } = this.#settings
    return listStacks(this.#engine, now, { signal })
  }

  /**
   * Where the stack's services stand now, sorted by name; empty where there is no such stack.
   * @calls listServices, listTasks x2, listNodes
   * @throws `EngineError` where something can't be read
   */
  async stackServices(name: string): Promise<readonly ServiceState[]> {
    const { now, signal } = this.#settings
    return serviceStates(await readSnapshot(this.#engine, name, now, { signal }), name)
  }

  /**
   * Nothing to refresh: every read asks the swarm.
   * @calls none
   */
  async refreshSnapshot(): Promise<void> {}

  /**
   * The volumes with the stack's label on the node that answers, sorted: other nodes keep theirs to themselves.
   * @calls listVolumes
   * @throws `EngineError`
   */
  async stackVolumes(name: string): Promise<readonly string[]> {
    const volumes = await this.#engine.listVolumes({ label: [`${NAMESPACE_LABEL}=${name}`] })
    return volumes.map((volume) => volume.Name).sort()
  }

  /**
   * Removes a volume of the node that answers; one that is not there is none to remove.
   * @calls removeVolume
   * @throws `EngineError` `refused` where it is in use
   */
  removeVolume(name: string): Promise<void> {
    return removeObject({ kind: 'volume', id: name, name }, this.#writing())
  }

  /**
   * Stores a config with the labels given and the time; answers its id.
   * @calls createConfig
   * @throws `EngineError` `already-exists` where the name is taken, whatever is in it
   */
  createConfig(name: string, data: Uint8Array, labels: Labels): Promise<string> {
    return createConfig(this.#engine, name, data, labels, this.#settings.now())
  }

  /**
   * All configs of the swarm, in one call; contents only of release records.
   * @calls listConfigs
   * @throws `EngineError`
   */
  listConfigs(): Promise<readonly StoredConfig[]> {
    return listConfigs(this.#engine)
  }

  /**
   * The content of a config, by id or exact name.
   * @calls inspectConfig
   * @throws `EngineError` `not-found`
   */
  inspectConfig(name: string): Promise<Uint8Array> {
    return inspectConfig(this.#engine, name)
  }

  /**
   * Removes a config, by id or exact name.
   * @calls removeConfig
   * @throws `EngineError` `not-found`; `refused` where a service uses it
   */
  deleteConfig(name: string): Promise<void> {
    return deleteConfig(this.#engine, name)
  }

  /**
   * The name of every network → its scope, `swarm` or `local`. Where both exist, services see the swarm's.
   * @calls listNetworks
   * @throws `EngineError`
   */
  async networkScopes(): Promise<ReadonlyMap<string, string>> {
    const networks = await this.#engine.listNetworks()
    const swarmLast = [...networks].sort(
      (left, right) => Number(left.Scope === 'swarm') - Number(right.Scope === 'swarm'),
    )
    return new Map(swarmLast.map((network) => [network.Name, network.Scope]))
  }

  /**
   * The names of all secrets of the swarm.
   * @calls listSecrets
   * @throws `EngineError`
   */
  async secretNames(): Promise<ReadonlySet<string>> {
    const secrets = await this.#engine.listSecrets()
    return new Set(secrets.map((secret) => secret.Spec.Name ?? ''))
  }

  /**
   * Creates a network that belongs to no stack, so that no removal finds it. The driver is `overlay` where it is empty.
   * @calls createNetwork
   * @throws `EngineError` `already-exists`
   */
  createOverlayNetwork(name: string, driver = '', attachable = false): Promise<void> {
    return createOverlayNetwork(this.#engine, name, driver, attachable)
  }

  /**
   * Removes a network by its exact name; one that is not there is gone already.
   * @calls listNetworks
   * @calls removeNetwork*
   * @throws `EngineError` `refused` where it is in use
   */
  removeOverlayNetwork(name: string): Promise<void> {
    return removeOverlayNetwork(name, this.#writing())
  }

  /**
   * A copy that sends these credentials, each to the registry it is for.
   * @calls none
   */
  withRegistryAuth(registryAuth: RegistryAuth | undefined): Backend {
    return this.#with({ registryAuth })
  }

  /**
   * A copy that refuses stacks that mount or declare one of these secrets.
   * @calls none
   */
  withForbiddenSecrets(names: ReadonlySet<string>): Backend {
    return this.#with({ forbiddenSecrets: new Set(names) })
  }

  #writing(): Writing {
    return { engine: this.#engine, settings: this.#settings }
  }

  async #deploy(spec: StackSpec, resolve: ResolveMode, part: (plan: Plan) => Plan): Promise<Deployment> {
    const { plan, observation } = await this.planStack(spec, resolve)
    return applyPlan({ plan: part(plan), observation }, this.#writing())
  }

  #with(more: Partial<Settings>): Backend {
    return new Backend(this.#engine, { ...this.#settings, ...more })
  }
}
