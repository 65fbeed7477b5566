import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service, Stack } from '../../src/compose/stack.ts'
import { convertStack } from '../../src/convert/convertStack.ts'
import {
  aFile,
  aMount,
  aNetwork,
  anUpdate,
  aPort,
  aReference,
  aService,
  aStack,
  at,
  aVolume,
} from '../support/stackValues.ts'

/** `severity line message`, one for each problem. */
function problemsOf(stack: Stack): string[] {
  const { spec, problems } = convertStack(stack, 'shop')
  assert.equal(
    spec === undefined,
    problems.some(({ severity }) => severity === 'error'),
  )
  for (const { remedy = '', message } of problems) assert.match(remedy, /\.$/, message)
  return problems.map(({ severity, position, message }) => `${severity} ${position?.line} ${message}`)
}

function problemsOfService(parts: Parameters<typeof aService>[0], others: Partial<Stack> = {}): string[] {
  return problemsOf(aStack({ services: [aService(parts)], ...others }))
}

test('a sound stack has no problems', () => {
  assert.deepEqual(problemsOfService({}), [])
})

test('all problems of a stack are found at once, in the order of its lines', () => {
  const web = aService({ image: '', secrets: [aReference('nope', { place: at(9) })], deploy: { mode: 'foo' } })
  const api = aService({
    name: 'api',
    image: 'acme/API',
    places: { service: at(20), image: at(21), deploy: at(25) },
    deploy: { mode: 'global', replicas: 2 },
  })
  assert.deepEqual(problemsOf(aStack({ services: [web, api], configs: new Map([['c', aFile('')]]) })), [
    'error 2 invalid image reference for service web: no image specified',
    'error 2 service web: unknown mode: foo',
    'error 9 service web: undefined secret "nope"',
    'error 21 invalid image reference for service api: invalid reference format: repository name (acme/API) must be lowercase',
    'error 25 service api: replicas can only be used with replicated or replicated-job mode',
    'error 60 config c: the file "./file.txt" is empty, and Swarm stores no empty config',
  ])
})

test('what a service names must be declared', () => {
  const service = {
    networks: new Map([['fron', null]]),
    configs: [aReference('x')],
    volumes: [aMount('volume', 'dato', '/a'), aMount('volume', 'data/sub', '/b')],
    credentialSpec: { config: 'y', file: '', registry: '' },
  }
  const declared = { networks: new Map([['front', aNetwork()]]), volumes: new Map([['data', aVolume()]]) }
  assert.deepEqual(problemsOfService(service, declared), [
    'error 2 service web: undefined config "y"',
    'error 2 service web: undefined network "fron" (did you mean "front"?)',
    'error 20 service web: undefined volume "dato" (did you mean "data"?)',
    'error 20 service web: undefined volume "data/sub"',
    'error 30 service web: undefined config "x"',
  ])
})

test('names that the engine refuses', () => {
  const long = 'n'.repeat(60)
  const file = (name: string) => new Map([[name, aFile('x')]])
  const dns = 'must consist of letters, digits, "-" and "_", and begin and end with a letter or digit'
  const rows: readonly [stack: Stack, problem: string | undefined][] = [
    [aStack({ services: [aService({ name: 'n'.repeat(58) })] }), undefined],
    [
      aStack({ services: [aService({ name: 'n'.repeat(59) })] }),
      `error 2 service ${'n'.repeat(59)}: its name in the swarm, "shop_${'n'.repeat(59)}", has 64 characters, and Swarm takes at most 63`,
    ],
    [
      aStack({ services: [aService({ name: 'a.b' })] }),
      `error 2 service a.b: its name in the swarm, "shop_a.b", ${dns}`,
    ],
    [aStack({ services: [aService({ name: 'a-' })] }), `error 2 service a-: its name in the swarm, "shop_a-", ${dns}`],
    [aStack({ secrets: file('n'.repeat(59)) }), undefined],
    [
      aStack({ secrets: file(long) }),
      `error 60 secret ${long}: its name in the swarm, "shop_${long}", has 65 characters, and Swarm takes at most 64`,
    ],
    [
      aStack({ configs: file(long) }),
      `error 60 config ${long}: its name in the swarm, "shop_${long}", has 65 characters, and Swarm takes at most 64`,
    ],
    [aStack({ configs: file('a.b') }), undefined],
    [
      aStack({
        services: [aService({ networks: new Map([['n', null]]) })],
        networks: new Map([['n', aNetwork({ name: 'my.net' })]]),
      }),
      `error 40 network n: its name in the swarm, "my.net", ${dns}`,
    ],
  ]
  for (const [stack, problem] of rows) assert.deepEqual(problemsOf(stack), problem === undefined ? [] : [problem])
})

test('sizes of secrets and configs, on both sides of the limit', () => {
  const rows: readonly [kind: 'secrets' | 'configs', size: number, refused: boolean][] = [
    ['secrets', 0, true],
    ['secrets', 1, false],
    ['secrets', 511_999, false],
    ['secrets', 512_000, true],
    ['configs', 0, true],
    ['configs', 1_023_999, false],
    ['configs', 1_024_000, true],
  ]
  for (const [kind, size, refused] of rows) {
    const stack = aStack({ [kind]: new Map([['x', aFile('x'.repeat(size))]]) })
    assert.equal(problemsOf(stack).length, refused ? 1 : 0, `${kind} of ${size} bytes`)
  }
  const others = aStack({
    secrets: new Map([
      ['driven', aFile(undefined, { driver: 'vault' })],
      ['theirs', aFile(undefined, { external: true })],
    ]),
  })
  assert.deepEqual(problemsOf(others), [])
})

test('a port and protocol published twice', () => {
  const ingress = aPort(80)
  const host = aPort(80, { mode: 'host', place: at(11) })
  const bare = aPort(80, { mode: '', protocol: '', place: at(12) })
  const twice = 'publishes port 80/tcp twice, and Swarm gives a port to one only'
  const both = 'service web publishes port 80/tcp, as service api does'
  const rows: readonly [ports: readonly (readonly Service['ports'][number][])[], problems: string[]][] = [
    [[[ingress, aPort(80, { protocol: 'udp' })]], []],
    [[[aPort(0), aPort(0)]], []],
    [[[ingress, host]], [`error 11 service web ${twice}`]],
    [[[host, host]], [`error 11 service web ${twice}`]],
    [[[ingress, bare]], [`error 12 service web ${twice}`]],
    [[[ingress], [host]], [`error 10 ${both}, and Swarm gives a port to one only`]],
    [[[bare], [ingress]], [`error 12 ${both}, and Swarm gives a port to one only`]],
    [[[host], [host]], [`warning 11 ${both}, both in host mode: no node can run tasks of both`]],
  ]
  for (const [[web = [], api = []], problems] of rows) {
    const services = [aService({ name: 'api', ports: api }), aService({ name: 'web', ports: web })]
    assert.deepEqual(problemsOf(aStack({ services })), problems)
  }
})

test('duplicate targets', () => {
  const secrets = new Map([
    ['a', aFile('1')],
    ['b', aFile('2')],
  ])
  const service = {
    volumes: [aMount('tmpfs', '', '/a'), aMount('tmpfs', '', '/a', { place: at(21) })],
    secrets: [aReference('a'), aReference('b', { target: 'a', place: at(31) })],
    configs: [aReference('a'), aReference('b', { target: 'a', place: at(32) })],
  }
  assert.deepEqual(problemsOfService(service, { secrets, configs: secrets }), [
    'error 21 service web: duplicate mount point "/a"',
    'error 31 service web: duplicate secret target for shop_b not allowed, "a" is taken',
    'error 32 service web: duplicate config target for shop_b not allowed, "a" is taken',
  ])
})

test('mounts that contradict themselves', () => {
  const rows: readonly [mount: Service['volumes'][number], problem: string][] = [
    [aMount('volume', '', '/a', { bind: { propagation: '' } }), 'bind options are incompatible with type volume'],
    [aMount('bind', '/a', '/a', { tmpfs: { size: 1 } }), 'tmpfs options are incompatible with type bind'],
    [aMount('tmpfs', '/a', '/a'), 'invalid tmpfs source, source must be empty'],
    [aMount('npipe', '', '/a'), 'invalid npipe source, source cannot be empty'],
    [aMount('cluster', '', '/a'), 'invalid cluster source, source cannot be empty'],
    [aMount('nfs', 'x', '/a'), 'volume type must be volume, bind, tmpfs, npipe, image or cluster, not "nfs"'],
  ]
  for (const [mount, problem] of rows) {
    assert.deepEqual(problemsOfService({ volumes: [mount] }), [`error 20 service web: ${problem}`])
  }
})

test('what deploys and then does not work is warned of', () => {
  const rows: readonly [service: Parameters<typeof aService>[0], problem: string][] = [
    [
      { volumes: [aMount('bind', '/home/runner/conf', '/a', { writtenSource: './conf' })] },
      'warning 20 service web: the bind source "./conf" becomes a path of the runner, which the nodes do not have',
    ],
    [
      { volumes: [aMount('volume', '', 'data')] },
      'warning 20 service web: the mount target "data" is not an absolute path, and no task will start with it',
    ],
    [
      { secrets: [aReference('s', { uid: 'www' })] },
      'warning 30 service web: uid "www" of the secret "s" is not a number, and no task will start with it',
    ],
    [
      { ports: [aPort(80, { mode: 'host' })], deploy: { updateConfig: anUpdate({ order: 'start-first' }) } },
      `warning 10 service web: with "order: start-first" a new task can't bind the host port 80 while the old one on that node holds it`,
    ],
    [
      { hostname: `{{.Task.ID}}-${'h'.repeat(38)}` },
      `warning 2 service web: the hostname "{{.Task.ID}}-${'h'.repeat(38)}" grows to 64 characters or more, and no task starts with over 63`,
    ],
    [
      { deploy: { placement: { constraints: ['dummy'], preferences: [], maxReplicasPerNode: 0 } } },
      `warning 2 service web: the engine will refuse the placement constraint "dummy", which it can't read`,
    ],
  ]
  const secrets = new Map([['s', aFile('x')]])
  for (const [service, problem] of rows) assert.deepEqual(problemsOfService(service, { secrets }), [problem])
  assert.deepEqual(problemsOfService({ hostname: `{{.Node.Hostname}}-{{.Task.ID}}-${'h'.repeat(36)}` }), [])
})

test('what the engine would refuse after the first writes is refused before', () => {
  const limits = { nanoCpus: 1, memoryBytes: 0, pids: 0 }
  const reservations = { nanoCpus: 0, memoryBytes: 512, genericResources: [undefined] }
  const rows: readonly [service: Parameters<typeof aService>[0], problem: RegExp][] = [
    [{ deploy: { mode: 'global-job', updateConfig: anUpdate() } }, /jobs may not have an update config/],
    [
      { deploy: { updateConfig: anUpdate({ failureAction: 'stop' }) } },
      /invalid failure action "stop" in update_config/,
    ],
    [{ deploy: { updateConfig: anUpdate({ maxFailureRatio: 2 }) } }, /max_failure_ratio 2 is not within 0 and 1/],
    [{ deploy: { updateConfig: anUpdate({ delay: -1 }) } }, /the update delay is negative/],
    [{ deploy: { restartPolicy: { condition: 'always' } } }, /invalid restart condition "always"/],
    [{ deploy: { restartPolicy: { condition: 'any', window: -1 } } }, /the restart window is negative/],
    [{ deploy: { endpointMode: 'dns' } }, /invalid endpoint mode "dns"/],
    [{ deploy: { endpointMode: 'dnsrr' }, ports: [aPort(80)] }, /can't be used with endpoint mode dnsrr/],
    [{ deploy: { resources: { limits } } }, /1e-9 cpus are too few/],
    [{ deploy: { resources: { reservations } } }, /512 bytes of memory are too few[\s\S]*no discrete_resource_spec/],
    [{ healthcheck: { test: [], disable: false, startPeriod: 1000 } }, /the healthcheck's start_period is below 1ms/],
    [{ healthcheck: { test: ['CMD', 'x'], disable: true } }, /test and disable can't be set at the same time/],
    [{ restart: 'sometimes' }, /unknown restart policy: sometimes/],
    [{ restart: ':3' }, /no policy provided before colon/],
    [{ restart: 'on-failure:x' }, /maximum retry count must be an integer/],
    [{ credentialSpec: { config: '', file: 'a', registry: 'b' } }, /cannot specify both "File" and "Registry"/],
  ]
  for (const [service, problem] of rows) {
    const problems = problemsOfService(service).join('\n')
    assert.match(problems, /^error/)
    assert.match(problems, problem)
  }
  assert.deepEqual(problemsOfService({ deploy: { mode: 'replicated-job', rollbackConfig: anUpdate() } }), [])
  assert.deepEqual(problemsOfService({ deploy: { endpointMode: 'dnsrr' }, ports: [aPort(80, { mode: 'host' })] }), [])
})

test('a network of one node cannot serve a stack', () => {
  const networks = new Map([['front', aNetwork({ driver: 'bridge' })]])
  assert.deepEqual(problemsOfService({ networks: new Map([['front', null]]) }, { networks }), [
    'error 40 network front: driver "bridge" makes a network of one node, and swarm services can only use swarm-wide ones',
  ])
})

test('an image that an unset variable emptied names the variable', () => {
  assert.deepEqual(problemsOfService({ image: 'nginx:', imageVariables: ['TAG'] }), [
    'error 2 invalid image reference for service web: invalid reference format, because TAG has no value',
  ])
})
