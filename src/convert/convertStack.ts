import { asWritten } from '../compose/asWritten.ts'
import type { Stack } from '../compose/stack.ts'
import type { Problem } from '../errors.ts'
import { scopedName } from '../swarm/names.ts'
import { convertService } from './convertService.ts'
import { convertConfigs, convertSecrets, secretsAside } from './fileObjects.ts'
import { checkForbidden, type Forbiddable } from './forbidden.ts'
import type { MountOptions } from './mounts.ts'
import { convertNetworks } from './networks.ts'
import { convertOrder } from './order.ts'
import { checkPublishedPorts } from './publishedPorts.ts'
import type { StackSpec } from './stackSpec.ts'
import { by, byteOrder } from './wire.ts'

export interface ConvertOptions extends MountOptions {
  /** What the workflow forbids to its manifests: each use is an error at its line. */
  readonly forbid?: ReadonlySet<Forbiddable> | undefined
}

export interface Conversion {
  /** Undefined where one of the problems is an error. */
  readonly spec: StackSpec | undefined
  /** All of them, warnings too, by file, line and column. Excerpts are left to whoever has the files. */
  readonly problems: readonly Problem[]
}

/**
 * What `docker stack deploy` 28 sends for a stack, object by object, and everything that the Engine, or a task's start,
 * would refuse of it. Where the docker CLI loses what the file says, this does what the file says.
 */
export function convertStack(stack: Stack, namespace: string, options: ConvertOptions = {}): Conversion {
  const problems: Problem[] = []
  const report = (problem: Problem): void => {
    problems.push(problem)
  }
  const orders = convertOrder(stack, report)
  const spec: StackSpec = {
    namespace,
    networks: convertNetworks(stack, namespace, report),
    secrets: convertSecrets(stack, namespace, report),
    secretsAside: secretsAside(stack, namespace),
    configs: convertConfigs(stack, namespace, report),
    services: [...stack.services].sort(by(({ name }) => name)).map((service) => {
      const order = orders.get(service.name)
      return { ...convertService(service, stack, namespace, options, report), ...(order && { order }) }
    }),
    ...(stack.inactive && { inactive: stack.inactive.map((name) => scopedName(namespace, name)) }),
  }
  checkPublishedPorts(stack, report)
  checkForbidden(stack, options.forbid ?? new Set(), report)
  const refused = problems.some(({ severity }) => severity === 'error')
  const { services, networks, volumes, secrets, configs, written = nothing } = stack
  const names = [networks, volumes, secrets, configs].flatMap((definitions) => [...definitions.keys()])
  const show = asWritten(written, new Set([...services.map(({ name }) => name), ...names]))
  return { spec: refused ? undefined : spec, problems: problems.sort(inOrder).map(show) }
}

/** What a stack that no file was read for has of variables. */
const nothing = { values: new Map(), texts: new Map() }

function inOrder(left: Problem, right: Problem): number {
  const [one, other] = [left.position, right.position]
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined)
  return byteOrder(one.file, other.file) || one.line - other.line || one.column - other.column
}
