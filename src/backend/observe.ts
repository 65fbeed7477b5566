import { randomBytes } from 'node:crypto'
import type { StackSpec } from '../convert/stackSpec.ts'
import { type Engine, EngineError } from '../engine/engine.ts'
import { NAMESPACE_LABEL, RELEASE_LABEL } from '../swarm/names.ts'
import type { Network } from '../swarm/network.ts'
import type { Node } from '../swarm/node.ts'
import type { Config, Secret } from '../swarm/secret.ts'
import type { Service } from '../swarm/service.ts'
import type { Task } from '../swarm/task.ts'
import { compareSecrets } from './compareSecrets.ts'
import { lookUpDigests } from './digests.ts'
import { type DigestAnswer, needsDigest } from './image.ts'
import type { Settings } from './options.ts'
import { isReleaseRecord } from './releaseRecords.ts'
import type { ResolveMode } from './resolveMode.ts'

/** What a plan is made from: everything that can be read before the first write. */
export interface Observation {
  /** What the engine speaks, such as `1.51`. */
  readonly apiVersion: string | undefined
  /** Every network, for the ids in live specs. */
  readonly networks: readonly Network[]
  /** Those that the stack names, whoever owns them, and those whose names begin so. */
  readonly secrets: ReadonlyMap<string, Secret>
  readonly configs: ReadonlyMap<string, Config>
  /** Whether secrets that somebody else made have the manifest's content, by name. */
  readonly comparedSecrets: ReadonlyMap<string, boolean>
  /** Drawn at random for this run, in hex: new secrets get their salts from it. */
  readonly salt: string
  readonly services: ReadonlyMap<string, Service>
  /** The release records of this stack, in no order. */
  readonly records: readonly Config[]
  readonly tasks: readonly Task[]
  readonly nodes: readonly Node[]
  /** By the image as the manifest writes it. */
  readonly digests: ReadonlyMap<string, DigestAnswer>
}

/** Reads it, all lists at once. */
export async function observe(
  engine: Engine,
  spec: StackSpec,
  mode: ResolveMode,
  settings: Settings,
): Promise<Observation> {
  const options = { signal: settings.signal }
  const named = (objects: readonly { readonly name: string }[]): { readonly name: readonly string[] } => ({
    name: objects.map((object) => object.name),
  })
  const images = spec.services.map((service) => service.image)
  // Without a look at the live services only `always` knows what to ask; it need not wait for them.
  const early = mode === 'always' ? lookUpDigests(engine, images, settings) : undefined
  const [networks, secrets, configs, records, services, tasks, nodes, earlyDigests] = await Promise.all([
    engine.listNetworks(undefined, options),
    spec.secrets.length === 0 ? [] : engine.listSecrets(named(spec.secrets), options),
    spec.configs.length === 0 ? [] : engine.listConfigs(named(spec.configs), options),
    engine.listConfigs({ label: [`${RELEASE_LABEL}=${spec.namespace}`] }, options),
    // By prefix and not by label, so that a stranger's service of the same name is seen.
    engine.listServices({ name: [`${spec.namespace}_`] }, options),
    engine.listTasks({ label: [`${NAMESPACE_LABEL}=${spec.namespace}`] }, options),
    engine.listNodes(undefined, options),
    early,
  ])
  const byName = new Map(services.map((service) => [service.Spec.Name ?? '', service]))
  const asked = spec.services.filter(({ image, name }) => needsDigest(mode, image, byName.get(name)))
  const secretsByName = new Map(secrets.map((secret) => [secret.Spec.Name ?? '', secret]))
  const [digests, predefined, comparedSecrets] = await Promise.all([
    earlyDigests ??
      lookUpDigests(
        engine,
        asked.map((service) => service.image),
        settings,
      ),
    inspectUnlisted(engine, spec, networks, byName, settings),
    compareSecrets(engine, spec, secretsByName, settings),
  ])
  return {
    apiVersion: engine.apiVersion,
    networks: [...networks, ...predefined],
    secrets: secretsByName,
    configs: new Map(configs.map((config) => [config.Spec.Name ?? '', config])),
    comparedSecrets,
    salt: randomBytes(16).toString('hex'),
    records: records.filter(isReleaseRecord),
    services: byName,
    tasks,
    nodes,
    digests,
  }
}

/** Swarm's own `host` and `bridge` have ids that no list shows; only live specs name them. */
async function inspectUnlisted(
  engine: Engine,
  spec: StackSpec,
  networks: readonly Network[],
  services: ReadonlyMap<string, Service>,
  { signal }: Settings,
): Promise<readonly Network[]> {
  const listed = new Set(networks.map((network) => network.Id))
  const attached = spec.services.flatMap(({ name }) => {
    const live = services.get(name)?.Spec
    return [...(live?.TaskTemplate.Networks ?? []), ...(live?.Networks ?? [])].map((network) => network.Target ?? '')
  })
  const unlisted = [...new Set(attached)].filter((target) => target !== '' && !listed.has(target))
  const found = await Promise.all(
    unlisted.map((id) =>
      engine.inspectNetwork(id, { signal }).catch((error: unknown) => {
        if (error instanceof EngineError && error.kind === 'not-found') return undefined
        throw error
      }),
    ),
  )
  return found.filter((network) => network !== undefined)
}
