import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { NAMESPACE_LABEL } from '../../src/swarm/names.ts'
import {
  aFileObject,
  aNetworkObject,
  anExternalObject,
  aServiceObject,
  aStackSpec,
  configReference,
  secretReference,
} from './stackSpecs.ts'

const second = 1_000_000_000

/** A stack that uses every field that a manifest can set and every engine since 20.10 knows, in the form that is sent. */
export function everyField(namespace: string): StackSpec {
  const net = (key: string) => `${namespace}_${key}`
  return aStackSpec(namespace, {
    networks: [
      aNetworkObject(namespace, 'back', { Internal: true, IPAM: { Driver: '', Config: [{ Subnet: '10.98.7.0/24' }] } }),
      aNetworkObject(namespace, 'front', { Attachable: true, Options: { foo: 'bar' } }),
      anExternalObject('host'),
    ],
    secrets: [aFileObject(namespace, 'key', 's3cret', { team: 'shop' })],
    configs: [aFileObject(namespace, 'conf', 'hello')],
    services: [
      aServiceObject(namespace, 'agent', {
        container: { Healthcheck: { Test: ['NONE'] }, DNSConfig: {} },
        template: {
          RestartPolicy: {},
          Networks: [{ Target: net('front'), Aliases: ['agent'] }],
          Resources: { Limits: {}, Reservations: {} },
        },
        spec: {
          Mode: { Global: {} },
          EndpointSpec: { Mode: 'dnsrr' },
          UpdateConfig: { Parallelism: 1, MaxFailureRatio: 0, Order: '' },
          RollbackConfig: { Parallelism: 1, MaxFailureRatio: 0, Order: '' },
        },
      }),
      aServiceObject(namespace, 'everything', {
        container: {
          Command: ['/bin/sh', '-c', 'exec httpd -f -p 8080 -h /srv'],
          Args: ['httpd', '-f'],
          Hostname: 'hosty',
          Env: ['A=1', 'B=2', 'EMPTY=', 'NONE'],
          Dir: '/srv',
          User: '0:0',
          Labels: { [NAMESPACE_LABEL]: namespace, l1: 'x', empty: '' },
          Init: true,
          StopSignal: 'SIGTERM',
          TTY: true,
          OpenStdin: true,
          ReadOnly: true,
          Mounts: [
            {
              Type: 'volume',
              Source: net('data'),
              Target: '/data',
              VolumeOptions: { NoCopy: true, Labels: { [NAMESPACE_LABEL]: namespace } },
            },
            { Type: 'bind', Source: '/tmp', Target: '/hosttmp', ReadOnly: true },
            { Type: 'tmpfs', Target: '/t', TmpfsOptions: { SizeBytes: 1_000_000 } },
            { Type: 'bind', Source: '/var', Target: '/b', BindOptions: { Propagation: 'rslave' } },
            { Type: 'bind', Source: '/usr', Target: '/u', BindOptions: { Propagation: 'rprivate' } },
            { Type: 'volume', Target: '/anon', Consistency: 'cached' },
            {
              Type: 'volume',
              Source: net('drv'),
              Target: '/drv',
              VolumeOptions: {
                Labels: { [NAMESPACE_LABEL]: namespace },
                DriverConfig: { Name: 'local', Options: { type: 'tmpfs', device: 'tmpfs' } },
              },
            },
          ],
          Healthcheck: {
            Test: ['CMD-SHELL', 'true'],
            Interval: 90 * second,
            Timeout: 3 * second,
            StartPeriod: 5 * second,
            Retries: 2,
          },
          Hosts: ['10.0.0.2 bar', '10.0.0.1 foo'],
          DNSConfig: { Nameservers: ['9.9.9.9', '1.1.1.1'], Search: ['z.example', 'a.example'] },
          Secrets: [
            secretReference(namespace, 'key'),
            { ...secretReference(namespace, 'key'), File: { Name: '/x/y', UID: '10', GID: '11', Mode: 0o400 } },
          ],
          Configs: [configReference(namespace, 'conf', '/conf')],
          Isolation: 'default',
          Sysctls: { 'net.core.somaxconn': '1024' },
          CapabilityAdd: ['CAP_NET_ADMIN', 'CAP_SYS_TIME'],
          CapabilityDrop: ['CAP_MKNOD'],
          Ulimits: [
            { Name: 'nofile', Hard: 20_000, Soft: 10_000 },
            { Name: 'nproc', Hard: 10_000, Soft: 10_000 },
          ],
        },
        template: {
          Resources: {
            Limits: { NanoCPUs: 500_000_000, MemoryBytes: 67_108_864, Pids: 100 },
            Reservations: { NanoCPUs: 1_000_000, MemoryBytes: 10_485_760 },
          },
          RestartPolicy: { Condition: 'on-failure', Delay: 0, MaxAttempts: 3, Window: 60 * second },
          Placement: {
            Constraints: ['node.role==manager', 'node.platform.os==linux'],
            Preferences: [
              { Spread: { SpreadDescriptor: 'node.labels.z' } },
              { Spread: { SpreadDescriptor: 'node.labels.a' } },
            ],
            MaxReplicas: 2,
          },
          Networks: [
            { Target: net('back'), Aliases: ['everything'] },
            { Target: net('front'), Aliases: ['zz', 'aa', 'everything', 'everything'], DriverOpts: { k: 'v' } },
          ],
          LogDriver: { Name: 'json-file', Options: { 'max-size': '10m', 'max-file': '3' } },
        },
        spec: {
          Mode: { Replicated: { Replicas: 1 } },
          Labels: { team: 'shop', empty: '' },
          UpdateConfig: {
            Parallelism: 2,
            Delay: second,
            FailureAction: 'continue',
            Monitor: 5 * second,
            MaxFailureRatio: 0.3,
            Order: 'start-first',
          },
          RollbackConfig: {
            Parallelism: 0,
            Delay: second,
            FailureAction: 'pause',
            Monitor: 5 * second,
            MaxFailureRatio: 0.1,
            Order: 'stop-first',
          },
          EndpointSpec: {
            Mode: 'vip',
            Ports: [
              { TargetPort: 9000 },
              { Protocol: 'udp', TargetPort: 53, PublishedPort: 20_053 },
              { Protocol: 'tcp', TargetPort: 81, PublishedPort: 28_181, PublishMode: 'host' },
            ],
          },
        },
      }),
      aServiceObject(namespace, 'generic', {
        container: { StopGracePeriod: 0, Init: false, Healthcheck: {} },
        template: {
          LogDriver: {},
          Resources: { Reservations: { GenericResources: [{ DiscreteResourceSpec: { Kind: 'gpu', Value: 2 } }] } },
        },
        spec: { Mode: { Replicated: { Replicas: 0 } } },
      }),
      aServiceObject(namespace, 'global-job', { image: 'tb/job:1', spec: { Mode: { GlobalJob: {} } } }),
      aServiceObject(namespace, 'hosted', { template: { Networks: [{ Target: 'host' }] } }),
      aServiceObject(namespace, 'job', {
        image: 'tb/job:1',
        spec: { Mode: { ReplicatedJob: { MaxConcurrent: 2, TotalCompletions: 2 } } },
      }),
      aServiceObject(namespace, 'plain'),
      aServiceObject(namespace, 'plain-job', { image: 'tb/job:1', spec: { Mode: { ReplicatedJob: {} } } }),
    ],
  })
}
