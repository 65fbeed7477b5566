// What the real engine makes of a service spec before it stores it. Measured with engine 20.10.
import type { Network } from '../../src/swarm/network.ts'
import type { ServiceMode, ServiceSpec, UpdateConfig } from '../../src/swarm/service.ts'

/** With the Engine's defaults, and networks by id. `networkOf` throws for a name that it does not know. */
export function storedSpec(spec: ServiceSpec, networkOf: (target: string) => Network): ServiceSpec {
  const { TaskTemplate: template } = spec
  const { ContainerSpec: container, RestartPolicy: policy, ...rest } = template
  return withoutNull({
    ...spec,
    Labels: spec.Labels ?? {},
    TaskTemplate: {
      ...rest,
      ...(container && { ContainerSpec: { ...container, Isolation: container.Isolation || 'default' } }),
      ...(policy && {
        RestartPolicy: { ...policy, Condition: policy.Condition || 'any', MaxAttempts: policy.MaxAttempts ?? 0 },
      }),
      ...(template.Networks && {
        Networks: template.Networks.map((network) => ({ ...network, Target: networkOf(network.Target ?? '').Id })),
      }),
      ForceUpdate: template.ForceUpdate ?? 0,
      Runtime: template.Runtime ?? 'container',
    },
    Mode: storedMode(spec.Mode),
    ...(spec.UpdateConfig && { UpdateConfig: storedUpdate(spec.UpdateConfig) }),
    ...(spec.RollbackConfig && { RollbackConfig: storedUpdate(spec.RollbackConfig) }),
    ...(spec.EndpointSpec && {
      EndpointSpec: {
        ...spec.EndpointSpec,
        Mode: spec.EndpointSpec.Mode || 'vip',
        ...(spec.EndpointSpec.Ports && {
          Ports: spec.EndpointSpec.Ports.map((port) => ({
            ...port,
            Protocol: port.Protocol || 'tcp',
            PublishMode: port.PublishMode || 'ingress',
          })),
        }),
      },
    }),
  })
}

function storedMode(mode: ServiceMode | undefined): ServiceMode {
  if (mode?.Global) return { Global: {} }
  if (mode?.GlobalJob) return { GlobalJob: {} }
  if (mode?.ReplicatedJob) {
    const { MaxConcurrent = 1, TotalCompletions = MaxConcurrent } = mode.ReplicatedJob
    return { ReplicatedJob: { MaxConcurrent, TotalCompletions } }
  }
  return { Replicated: { Replicas: mode?.Replicated?.Replicas ?? 1 } }
}

function storedUpdate(config: UpdateConfig): UpdateConfig {
  return { ...config, Order: config.Order || 'stop-first', FailureAction: config.FailureAction || 'pause' }
}

/** Without what a round trip through the Engine's JSON loses. */
function withoutNull<T>(value: T): T {
  return kept(value) as T
}

function kept(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(kept)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null)
  return Object.fromEntries(members.map(([key, member]) => [key, kept(member)]))
}
