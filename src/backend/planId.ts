// A name for what a plan would write: the same for two runs that would write the same, and no help to guess what is in it.
import { scrypt } from 'node:crypto'
import { withReferenceNames } from '../convert/references.ts'
import type { Labels } from '../swarm/common.ts'
import { CREATED_LABEL, DIGEST_LABEL } from '../swarm/names.ts'
import type { ConfigSpec, SecretSpec } from '../swarm/secret.ts'
import type { PlannedStack } from './applyPlan.ts'
import type { LeftObject } from './differences.ts'
import { meaningOf } from './meaning.ts'
import type { FileStep } from './planFiles.ts'
import { networkNames } from './planServices.ts'

const KINDS = ['network', 'secret', 'config', 'service'] as const
const DIGITS = 8
/** One guess takes 16 MiB and some 30 ms. */
const COST = { N: 2 ** 14, r: 8, p: 1 }

/**
 * Four groups of hex digits with hyphens between them: what is done to networks, secrets, configs and services. Contents of secrets and
 * configs count, and so does every field of a service that is written; random salts, the credentials for registries and the names that
 * rotation finds do not.
 * @param cluster the swarm's id, which only those know who may ask a manager: nobody else can try out what a secret might be
 */
export async function planIdOf(planned: PlannedStack, left: readonly LeftObject[], cluster: string): Promise<string> {
  const { namespace } = planned.plan
  const writes = KINDS.map((kind) => JSON.stringify(writesOf(kind, planned, left)))
  const groups = await Promise.all(
    writes.map((text, index) => slowDigest(text, `${cluster} ${namespace} ${KINDS[index]}`)),
  )
  return groups.join('-')
}

/** What two plans differ in, such as `secrets and services`; undefined where one of them is no plan's id. */
export function differingKinds(expected: string, found: string): string | undefined {
  const pattern = new RegExp(`^[0-9a-f]{${DIGITS}}(?:-[0-9a-f]{${DIGITS}}){${KINDS.length - 1}}$`)
  if (!pattern.test(expected) || !pattern.test(found)) return undefined
  const [one, other] = [expected.split('-'), found.split('-')]
  return KINDS.filter((_, index) => one[index] !== other[index])
    .map((kind) => `${kind}s`)
    .join(', ')
    .replace(/, (\w+)$/, ' and $1')
}

// --- Internal helpers ---

function writesOf(kind: (typeof KINDS)[number], planned: PlannedStack, left: readonly LeftObject[]): unknown {
  const { plan } = planned
  const removals = left.filter((one) => one.kind === kind && one.isRemoved).map(({ name }) => name)
  return { removals: [...removals].sort(), writes: writes() }

  function writes(): unknown {
    switch (kind) {
      case 'network':
        return plan.networks.filter(({ action }) => action !== 'none').map(({ request }) => sorted(request))
      case 'secret':
        return plan.secrets.map((step) => fileWrite('secret', step, planned))
      case 'config':
        return plan.configs.map((step) => fileWrite('config', step, planned))
      default:
        return serviceWrites(planned)
    }
  }
}

/** By the manifest's key: the name of a new generation is made with a salt that this run drew. */
function fileWrite(
  kind: 'secret' | 'config',
  step: FileStep<SecretSpec & ConfigSpec>,
  { plan }: PlannedStack,
): unknown {
  const { Name: _name, Labels: labels, ...rest } = step.spec
  const { [DIGEST_LABEL]: _digest, [CREATED_LABEL]: _created, ...others }: Labels = labels ?? {}
  const { key } = plan.objects.find((object) => object.kind === kind && object.name === step.name) ?? { key: step.name }
  const isUpdate = step.live !== undefined
  return sorted({ key, isUpdate, isRotation: step.supersedes.length > 0, labels: others, ...rest })
}

function serviceWrites({ plan, observation }: PlannedStack): unknown {
  const renames = (kind: 'secret' | 'config'): ReadonlyMap<string, string> =>
    new Map(plan.objects.filter((object) => object.kind === kind).map(({ key, name }) => [name, `the ${kind} ${key}`]))
  const names = { secrets: renames('secret'), configs: renames('config') }
  return plan.services
    .filter(({ action }) => action !== 'none')
    .map(({ name, action, spec, fields }) => ({
      name,
      action,
      // The count of forced restarts is no part of the meaning.
      force: String(spec.TaskTemplate.ForceUpdate ?? 0),
      credentials: fields.includes('credentials'),
      meaning: [...meaningOf(withReferenceNames(spec, names), networkNames(observation))].sort(),
    }))
}

/** Keys in order, at every level. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one)]))
}

function slowDigest(text: string, salt: string): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(text, salt, DIGITS / 2, COST, (error, bytes) =>
      error === null ? resolve(bytes.toString('hex')) : reject(error),
    )
  })
}
