import type { StackSpec } from '../convert/stackSpec.ts'
import { DeployError, type Problem } from '../errors.ts'
import type { ConfigSpec, SecretSpec } from '../swarm/secret.ts'
import type { Change } from './change.ts'
import { forEngine } from './engineAge.ts'
import { type UsedObject, usedObjects, withFileNames } from './fileNames.ts'
import { checkGuards } from './guards.ts'
import type { Observation } from './observe.ts'
import type { PlanSettings } from './options.ts'
import { ownerStamp } from './ownership.ts'
import { type FileStep, planConfigs, planSecrets } from './planFiles.ts'
import { type NetworkStep, planNetworks } from './planNetworks.ts'
import { planServices, type ServiceStep } from './planServices.ts'
import type { ResolveMode } from './resolveMode.ts'
import { warnOfRolledBack } from './rolledBack.ts'
import { type VolumeDrift, volumeDrifts } from './volumeDrift.ts'

/** What a deployment will write, and what it leaves alone. */
export interface Plan {
  readonly namespace: string
  /** Every network of the stack's own, also those that are there. */
  readonly networks: readonly NetworkStep[]
  /** Those whose settings would change, if docker changed any. */
  readonly volumes: readonly VolumeDrift[]
  readonly secrets: readonly FileStep<SecretSpec>[]
  readonly configs: readonly FileStep<ConfigSpec>[]
  /** Every service of the stack, also those that are left alone. */
  readonly services: readonly ServiceStep[]
  /** What the services will use, with the names in the swarm. */
  readonly objects: readonly UsedObject[]
  /** In the order of the writes. */
  readonly changes: readonly Change[]
  readonly warnings: readonly Problem[]
}

/** Pure. Throws one DeployError with all the reasons why this stack can't be deployed on this swarm. */
export function planChanges(
  spec: StackSpec,
  mode: ResolveMode,
  observation: Observation,
  settings: PlanSettings,
): Plan {
  const problems: Problem[] = []
  const report = (problem: Problem): void => {
    problems.push(problem)
  }
  checkGuards(spec, observation, settings.forbiddenSecrets, report)
  const stamp = ownerStamp(spec.namespace, observation, settings, report)
  const networks = planNetworks(spec, observation, report)
  const volumes = volumeDrifts(spec, observation, report)
  const secrets = planSecrets(spec, observation, settings, report)
  const configs = planConfigs(spec, observation, settings, report)
  const named = withFileNames(spec, { secrets: secrets.names, configs: configs.names })
  const known = forEngine(named, observation.apiVersion, report)
  const services = planServices(known, mode, observation, { ...settings, stamp }, report)
  warnOfRolledBack(services, observation, report)
  refuseOn(problems, spec.namespace)
  return {
    namespace: spec.namespace,
    networks,
    volumes,
    secrets: secrets.steps,
    configs: configs.steps,
    services,
    objects: usedObjects(named),
    changes: [
      ...networks.flatMap(({ action, request }): readonly Change[] =>
        action === 'none' ? [] : [{ kind: 'network', name: request.Name, action, fields: [] }],
      ),
      ...secrets.changes,
      ...configs.changes,
      ...services.flatMap(({ name, action, fields }): readonly Change[] =>
        action === 'none' ? [] : [{ kind: 'service', name, action, fields }],
      ),
    ],
    warnings: problems,
  }
}

/** Throws if there is an error among the findings. */
export function refuseOn(problems: readonly Problem[], namespace: string): void {
  const errors = problems.filter((problem) => problem.severity === 'error')
  const [first] = errors
  if (first === undefined) return
  const message =
    errors.length === 1
      ? `stack ${namespace} is not deployed: ${first.message}`
      : `stack ${namespace} is not deployed, for ${errors.length} reasons: ${errors.map((error) => error.message).join('; ')}`
  throw new DeployError(first.code, message, { remedy: first.remedy, position: first.position, problems: errors })
}
