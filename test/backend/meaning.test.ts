// The same meaning in two spellings, and each field that differs by its name.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { differingFields, meaningOf } from '../../src/backend/meaning.ts'
import type { ContainerSpec, ServiceSpec, TaskSpec } from '../../src/swarm/service.ts'

const names: Readonly<Record<string, string>> = { n1: 'shop_front', n2: 'host' }
const toName = (target: string): string => names[target] ?? target

function fields(live: ServiceSpec, wanted: ServiceSpec): readonly string[] {
  return differingFields(meaningOf(live, toName), meaningOf(wanted, toName))
}

const spec = (parts: Partial<ServiceSpec>): ServiceSpec => ({ TaskTemplate: {}, ...parts })
const task = (TaskTemplate: TaskSpec): ServiceSpec => ({ TaskTemplate })
const container = (ContainerSpec: ContainerSpec): ServiceSpec => ({ TaskTemplate: { ContainerSpec } })
const mount = (parts: object): ServiceSpec =>
  container({ Mounts: [{ Type: 'volume', Source: 'v', Target: '/d', ...parts }] })
const file = { Name: 'f', UID: '0', GID: '0', Mode: 292 }

describe('means the same', () => {
  const same: readonly (readonly [what: string, live: ServiceSpec, wanted: ServiceSpec])[] = [
    [
      'null, empty and absent',
      container({ Env: null, Args: [], Sysctls: {}, User: '', TTY: false, Healthcheck: {} }),
      container({}),
    ],
    ['no container and an empty one', task({}), container({})],
    ['runtime and isolation', task({ Runtime: 'container', ContainerSpec: { Isolation: 'default' } }), container({})],
    ['the force counter', task({ ForceUpdate: 3 }), task({ ForceUpdate: 0 })],
    ['platforms', task({ Placement: { Platforms: [{ OS: 'linux' }] } }), task({})],
    ['replicas', spec({ Mode: { Replicated: { Replicas: 1 } } }), spec({})],
    [
      'a replica count as bigint',
      spec({ Mode: { Replicated: { Replicas: 3 } } }),
      spec({ Mode: { Replicated: { Replicas: 3n } } }),
    ],
    [
      'counts of jobs',
      spec({ Mode: { ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 1 } } }),
      spec({ Mode: { ReplicatedJob: {} } }),
    ],
    [
      'completions as many as run at once',
      spec({ Mode: { ReplicatedJob: { MaxConcurrent: 2, TotalCompletions: 2 } } }),
      spec({ Mode: { ReplicatedJob: { MaxConcurrent: 2 } } }),
    ],
    ['the endpoint mode', spec({ EndpointSpec: { Mode: 'vip' } }), spec({ EndpointSpec: {} })],
    ['no endpoint', spec({ EndpointSpec: { Mode: 'vip' } }), spec({})],
    [
      'ports',
      spec({
        EndpointSpec: { Ports: [{ TargetPort: 80, PublishedPort: 8080, Protocol: 'tcp', PublishMode: 'ingress' }] },
      }),
      spec({ EndpointSpec: { Ports: [{ TargetPort: 80, PublishedPort: 8080 }] } }),
    ],
    [
      'the order of ports',
      spec({
        EndpointSpec: {
          Ports: [
            { TargetPort: 80, PublishedPort: 1 },
            { TargetPort: 81, PublishedPort: 2 },
          ],
        },
      }),
      spec({
        EndpointSpec: {
          Ports: [
            { TargetPort: 81, PublishedPort: 2 },
            { TargetPort: 80, PublishedPort: 1 },
          ],
        },
      }),
    ],
    [
      'two dynamic ports in another order',
      spec({
        EndpointSpec: {
          Ports: [
            { TargetPort: 80, Name: 'a' },
            { TargetPort: 80, Name: 'b' },
          ],
        },
      }),
      spec({
        EndpointSpec: {
          Ports: [
            { TargetPort: 80, Name: 'b' },
            { TargetPort: 80, Name: 'a' },
          ],
        },
      }),
    ],
    [
      'networks by id',
      task({ Networks: [{ Target: 'n1', Aliases: ['web'] }, { Target: 'n2' }] }),
      task({ Networks: [{ Target: 'host' }, { Target: 'shop_front', Aliases: ['web', 'web'] }] }),
    ],
    [
      'the deprecated place of networks',
      spec({ Networks: [{ Target: 'n1' }] }),
      task({ Networks: [{ Target: 'shop_front' }] }),
    ],
    [
      'the order of variables, hosts, capabilities, groups',
      container({ Env: ['A=1', 'B=2'], Hosts: ['1 a', '2 b'], CapabilityAdd: ['X', 'Y'], Groups: ['a', 'b'] }),
      container({ Env: ['B=2', 'A=1'], Hosts: ['2 b', '1 a'], CapabilityAdd: ['Y', 'X'], Groups: ['b', 'a'] }),
    ],
    [
      'the order of constraints',
      task({ Placement: { Constraints: ['a==1', 'b==2'] } }),
      task({ Placement: { Constraints: ['b==2', 'a==1'] } }),
    ],
    [
      'an empty restart policy',
      task({ RestartPolicy: { Condition: 'any', MaxAttempts: 0 } }),
      task({ RestartPolicy: {} }),
    ],
    [
      'an empty update block',
      spec({ UpdateConfig: { Parallelism: 1, MaxFailureRatio: 0, Order: 'stop-first', FailureAction: 'pause' } }),
      spec({ UpdateConfig: { Parallelism: 1, MaxFailureRatio: 0, Order: '' } }),
    ],
    [
      'a ratio as float32',
      spec({ UpdateConfig: { MaxFailureRatio: Math.fround(0.3) } }),
      spec({ UpdateConfig: { MaxFailureRatio: 0.3 } }),
    ],
    ['a mount without type', mount({ Type: 'bind' }), mount({ Type: undefined })],
    [
      'the propagation of a bind',
      mount({ Type: 'bind', BindOptions: { Propagation: 'rprivate' } }),
      mount({ Type: 'bind' }),
    ],
    ['the consistency of a mount', mount({}), mount({ Consistency: 'cached' })],
    ['empty volume options', mount({ VolumeOptions: {} }), mount({})],
    ['empty limits', task({ Resources: { Limits: {}, Reservations: {} } }), task({})],
    ['empty privileges', container({ Privileges: { CredentialSpec: null, NoNewPrivileges: false } }), container({})],
  ]
  for (const [what, live, wanted] of same) test(what, () => assert.deepEqual(fields(live, wanted), []))
})

describe('differs', () => {
  const different: readonly (readonly [live: ServiceSpec, wanted: ServiceSpec, expected: readonly string[]])[] = [
    [container({ Image: 'a' }), container({ Image: 'b' }), ['image']],
    [spec({ Labels: { a: '1', b: '' } }), spec({ Labels: { a: '2' } }), ['labels[a]', 'labels[b]']],
    [container({ Labels: { a: '1' } }), container({ Labels: {} }), ['containerLabels[a]']],
    [
      container({ Env: ['A=1', 'B', 'C='] }),
      container({ Env: ['A=2', 'B=', 'D=x=y'] }),
      ['env[A]', 'env[B]', 'env[C]', 'env[D]'],
    ],
    [container({ Command: ['a', 'b'] }), container({ Command: ['b', 'a'] }), ['command']],
    [container({ Args: ['a b'] }), container({ Args: ['a', 'b'] }), ['args']],
    [
      container({
        Dir: '/a',
        TTY: true,
        OpenStdin: true,
        ReadOnly: true,
        User: 'u',
        Hostname: 'h',
        StopSignal: 'TERM',
      }),
      container({}),
      ['hostname', 'openStdin', 'readOnly', 'stopSignal', 'tty', 'user', 'workingDir'],
    ],
    [container({}), container({ Init: false }), ['init']],
    [container({}), container({ StopGracePeriod: 0 }), ['stopGracePeriod']],
    [
      container({ DNSConfig: { Nameservers: ['1', '2'] } }),
      container({ DNSConfig: { Nameservers: ['2', '1'] } }),
      ['dns.nameservers'],
    ],
    [
      container({ Healthcheck: { Test: ['NONE'] } }),
      container({ Healthcheck: { Interval: 5 } }),
      ['healthcheck.interval', 'healthcheck.test'],
    ],
    [container({ Sysctls: { a: '1' } }), container({ Sysctls: { a: '2' } }), ['sysctls[a]']],
    [
      container({ Ulimits: [{ Name: 'n', Hard: 1, Soft: 1 }] }),
      container({ Ulimits: [{ Name: 'n', Hard: 2, Soft: 1 }] }),
      ['ulimits[n]'],
    ],
    [mount({}), mount({ ReadOnly: true }), ['mounts[/d]']],
    [mount({ VolumeOptions: { Labels: { a: '' } } }), mount({}), ['mounts[/d]']],
    [mount({ BindOptions: { NonRecursive: true } }), mount({}), ['mounts[/d]']],
    [
      container({ Secrets: [{ SecretID: '1', SecretName: 's', File: file }] }),
      container({ Secrets: [{ SecretID: '1', SecretName: 's', File: { ...file, Mode: 256 } }] }),
      ['secrets[s]'],
    ],
    [
      container({ Configs: [{ ConfigID: '1', ConfigName: 'c', File: file }] }),
      container({ Configs: [{ ConfigID: '1', ConfigName: 'c', Runtime: {} }] }),
      ['configs[c]'],
    ],
    [
      container({ Configs: [{ ConfigID: 'gone', ConfigName: 'c', File: file }] }),
      container({ Configs: [{ ConfigID: 'new', ConfigName: 'c', File: file }] }),
      ['configs[c]'],
    ],
    [container({ CapabilityDrop: ['X'] }), container({}), ['capabilityDrop']],
    [container({ Privileges: { NoNewPrivileges: true } }), container({}), ['privileges.noNewPrivileges']],
    [container({ OomScoreAdj: 5 }), container({}), ['oomScoreAdj']],
    [
      task({ Resources: { Limits: { NanoCPUs: 1, Pids: 2 } } }),
      task({ Resources: { Reservations: { MemoryBytes: 1 } } }),
      ['resources.limits.nanoCPUs', 'resources.limits.pids', 'resources.reservations.memoryBytes'],
    ],
    [task({ RestartPolicy: { Delay: 0 } }), task({ RestartPolicy: {} }), ['restartPolicy.delay']],
    [task({ RestartPolicy: { Condition: 'none' } }), task({}), ['restartPolicy', 'restartPolicy.condition']],
    [
      task({
        Placement: { Preferences: [{ Spread: { SpreadDescriptor: 'a' } }, { Spread: { SpreadDescriptor: 'b' } }] },
      }),
      task({
        Placement: {
          Preferences: [{ Spread: { SpreadDescriptor: 'b' } }, { Spread: { SpreadDescriptor: 'a' } }],
          MaxReplicas: 1,
        },
      }),
      ['placement.maxReplicas', 'placement.preferences'],
    ],
    [task({ Placement: { Constraints: ['a==1'] } }), task({}), ['constraints']],
    [
      task({ Networks: [{ Target: 'n1' }] }),
      task({ Networks: [{ Target: 'shop_front', Aliases: ['a'] }, { Target: 'other' }] }),
      ['networks[other]', 'networks[shop_front]'],
    ],
    [
      task({ LogDriver: { Name: 'a', Options: { x: '1' } } }),
      task({ LogDriver: { Name: 'b' } }),
      ['logDriver.name', 'logDriver.options[x]'],
    ],
    [spec({ Mode: { Replicated: { Replicas: 0 } } }), spec({}), ['replicas']],
    [
      spec({ UpdateConfig: { Parallelism: 0 } }),
      spec({ UpdateConfig: { Parallelism: 1 } }),
      ['updateConfig.parallelism'],
    ],
    [spec({}), spec({ RollbackConfig: { Order: 'start-first' } }), ['rollbackConfig', 'rollbackConfig.order']],
    [spec({ EndpointSpec: { Mode: 'dnsrr' } }), spec({}), ['endpointMode']],
    [
      spec({ EndpointSpec: { Ports: [{ TargetPort: 80, PublishedPort: 8080 }] } }),
      spec({ EndpointSpec: { Ports: [{ TargetPort: 80, PublishMode: 'host' }] } }),
      ['ports[8080:80/tcp/ingress]', 'ports[dynamic:80/tcp/host]'],
    ],
  ]
  for (const [live, wanted, expected] of different) {
    test(expected.join(', '), () => {
      assert.deepEqual(fields(live, wanted), expected)
      assert.deepEqual(fields(wanted, live), expected)
    })
  }
})
