import type { PlannedStack } from './applyPlan.ts'
import type { ObjectDifference } from './differences.ts'
import { ABSENT } from './fieldText.ts'
import { networkDrift } from './networkDrift.ts'
import type { NetworkStep } from './planNetworks.ts'
import { subnetsOf } from './subnets.ts'

export function networkDifference(
  { action, request, position }: NetworkStep,
  { observation }: PlannedStack,
): ObjectDifference {
  const { Name: name } = request
  const live = observation.networks.find((network) => network.Name === name && network.Scope === 'swarm')
  const drift = live === undefined ? [] : networkDrift(request, live)
  return {
    kind: 'network',
    name,
    action,
    position,
    more: 0,
    fields: action === 'none' ? [] : settings(request).map(([field, text]) => ({ field, old: ABSENT, new: text })),
    // The values are in the plan's warning; those of a driver's options are for fewer eyes.
    notes:
      drift.length === 0
        ? []
        : [
            `it has other settings than the manifest (${drift.map(({ setting }) => setting).join(', ')}), and stays: a network can't be changed`,
          ],
  }
}

// --- Internal helpers ---

/** What is worth saying of a network that is created. Values of its driver's options are not. */
function settings(request: NetworkStep['request']): readonly (readonly [field: string, text: string])[] {
  const subnets = [...subnetsOf(request.IPAM)]
  return [
    ['driver', request.Driver || 'overlay'],
    ...(['Attachable', 'Internal', 'EnableIPv6'] as const).flatMap((key) =>
      request[key] === true ? [[`${key.slice(0, 1).toLowerCase()}${key.slice(1)}`, 'true'] as const] : [],
    ),
    ...Object.keys(request.Options ?? {}).map((option) => [`options[${option}]`, '(not shown)'] as const),
    ...(subnets.length === 0 ? [] : [['subnets', subnets.join(', ')] as const]),
  ]
}
