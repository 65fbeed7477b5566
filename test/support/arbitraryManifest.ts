// Random manifests that docker accepts, for properties: every key of the schema that changes what a swarm is asked for, in
// its short and long forms, without what docs/compatibility.md lists as a difference.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import fc, { type Arbitrary } from 'fast-check'
import { Document, visit } from 'yaml'

/** A manifest as values; `textOf` makes a file of it. */
export type Manifest = Readonly<Record<string, unknown>>

const networkNames = ['default', 'front', 'back-net', 'outer', 'hosts']
const volumeNames = ['data', 'cache_1', 'theirs']
const secretNames = ['token', 'key.pem', 'their-secret']
const configNames = ['site', 'page.html', 'their-config']
/** Files that manifests name; they lie beside them. */
export const besides: Readonly<Record<string, string>> = {
  'one.txt': 'first\n',
  'two.bin': '\u0000\u0001é',
  'app.env': '# words\nFROM_FILE=a b "c" $D\nEMPTY=\nBARE\nOUTSIDE\n',
}
/** What the manifests can see. */
export const variables: Readonly<Record<string, string>> = { HOME: '/home/user', OUTSIDE: 'from outside', TAG: '1.2-x' }

/** As JSON, which is YAML too, or as blocks, with quotes where the text could be taken for something else than text. */
export function textOf(value: Manifest, style: 'json' | 'blocks'): string {
  if (style === 'json') return `${JSON.stringify(value, null, 1)}\n`
  const document = new Document(value, { version: '1.1', aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && !isPlain(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString({ lineWidth: 0 }).replace(/^%YAML.*\n---\n/, '')
}

function isPlain(text: string): boolean {
  return (
    /^[a-z$./][^#:\n]*$/i.test(text) &&
    text === text.trim() &&
    !/^(?:y|yes|n|no|on|off|true|false|null|\.inf|\.nan)$/i.test(text)
  )
}

type Part = 'alone' | 'first' | 'second'

/** All keys may be absent, as far as `required` does not name them. */
function some(keys: Record<string, Arbitrary<unknown>>, required: readonly string[] = []): Arbitrary<Manifest> {
  return fc.record(keys, { requiredKeys: [...required], noNullPrototype: true })
}

/** Of items with variables at most one: they could stand for the same text. */
function unique<T>(item: Arbitrary<T>, maxLength = 3): Arbitrary<T[]> {
  const selector = (one: T): string => JSON.stringify(one).replaceAll('$$', '').match(/\$/)?.[0] ?? JSON.stringify(one)
  return fc.uniqueArray(item, { maxLength, selector })
}

const word = fc.stringMatching(/^[a-z][a-z0-9_-]{0,7}$/)
/** Text that YAML could take for something else, and variables in every form. */
const text = fc.oneof(
  { weight: 3, arbitrary: word },
  fc
    .string({ unit: 'grapheme', maxLength: 12 })
    .map((value) => value.replaceAll('$', '$$$$').replace(/[\p{C}\u2028\u2029]/gu, '')),
  fc.constantFrom(
    '',
    'yes',
    '0o17',
    '1:30',
    '~',
    'null',
    '1e3',
    '0x1F',
    ' padded ',
    'a\nb\n',
    '2001-01-01',
    '<<',
    '*a',
    '- x',
  ),
  fc.constantFrom(
    '${TAG}',
    'v${TAG}!',
    '$TAG',
    '${UNSET-Default}',
    '${UNSET:-Default}',
    '${TAG-Default}',
    '$$TAG',
    '$${TAG}',
    'a$$b',
  ),
)
const filled = text.filter((value) => value.trim() !== '')
const scalar = fc.oneof(
  text,
  fc.integer({ min: -9, max: 99_999 }),
  fc.constantFrom(1.5, -0.25, 1e21, 1e-7),
  fc.constant(null),
)
const duration = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 90 }), fc.constantFrom('s', 'm', 'h', 'ms'))
    .map(([count, unit]) => `${count}${unit}`),
  fc.constantFrom('1h30m', '1.5s', '90m0.25s', '100us'),
)
const atLeastAMillisecond = duration.filter((value) => !value.endsWith('us'))
const bytes = fc.constantFrom('64M', '1g', '20.5m', '100MB', '4194304', '1tb', '5242880b')
const cpus = fc.constantFrom('0.5', '2', '1e-1', '0.001', '1/4', '.25')
const port = fc.integer({ min: 1, max: 60_000 })

/** `KEY: value`, or a list of `KEY=value`. */
const pairs = fc.oneof(
  fc.dictionary(word, scalar, { maxKeys: 3, noNullPrototype: true }),
  unique(fc.tuple(word, text).map(([key, value]) => `${key}=${value}`)),
)
const pairsAsMap = fc.dictionary(word, scalar, { maxKeys: 3, noNullPrototype: true })
const options = fc.dictionary(word, fc.oneof(text, fc.integer({ min: 0, max: 99 })), {
  maxKeys: 3,
  noNullPrototype: true,
})
const command = fc.oneof(
  fc.array(text, { maxLength: 3 }),
  fc.constantFrom('run', 'sh -c "a b"', "echo 'x y' z", 'a\\ b c', 'x # no comment', 'a  b', '--flag="q"'),
)
const stringOrList = fc.oneof(filled, unique(filled))

/** Of two references to one object docker loses one in a merge: only a single file has them. */
function references(part: Part, names: readonly string[]): Arbitrary<unknown> {
  const long = (source: string): Arbitrary<Manifest> =>
    fc.record(
      {
        source: fc.constant(source),
        // No two references of a service have the same one.
        target: word.map((name) => `/run/${part}/${source}/${name}`),
        uid: fc.constantFrom('0', '1000'),
        gid: fc.constantFrom('0', '33'),
        mode: fc.constantFrom(0o440, 0o400, 256),
      },
      { requiredKeys: ['source'], noNullPrototype: true },
    )
  const name = fc.constantFrom(...names)
  const reference = fc.oneof(name, name.chain(long))
  const keyOf = (one: unknown): unknown => {
    const { source, target = source } = typeof one === 'string' ? { source: one } : (one as Record<string, unknown>)
    return part === 'alone' ? target : source
  }
  return fc.uniqueArray(reference, { maxLength: 3, selector: keyOf })
}

/** Every service has a range of its own, so that none is published twice. */
function ports(part: Part, service: number): Arbitrary<unknown> {
  const published = fc.integer({ min: 10_000 + service * 1000, max: 10_900 + service * 1000 })
  const protocol = part === 'alone' ? fc.constantFrom('tcp', 'udp', 'sctp') : fc.constant('tcp')
  const both = fc.tuple(published, port, protocol)
  const long = fc.tuple(both, fc.constantFrom('ingress', 'host')).map(([[from, target, kind], mode]) => ({
    item: { target, published: from, protocol: kind, mode },
    from,
  }))
  const short = both.map(([from, target, kind]) => ({ item: `${from}:${target}/${kind}`, from }))
  const one = fc.oneof(long, short)
  const listed = fc
    .uniqueArray(one, { maxLength: 3, selector: ({ from }) => from })
    .map((items) => items.map(({ item }) => item as unknown))
  if (part !== 'alone') return listed
  return fc.oneof(
    { weight: 3, arbitrary: listed },
    fc.tuple(published, port).map(([from, to]) => [`${from}-${from + 2}:${to}-${to + 2}`]),
    port.map((target) => [target]),
    port.map((target) => [String(target), { target: target + 1 }]),
  )
}

/** Over an empty list docker sorts the mounts of the second file, over none it does not: the first file has no empty one. */
function volumes(part: Part, service: number): Arbitrary<unknown> {
  const target = word.map((name) => `/mnt/${service}/${name}`)
  const named = fc.constantFrom(...volumeNames)
  const readOnly = { read_only: fc.boolean(), consistency: fc.constantFrom('consistent', 'cached', 'delegated') }
  const long = (type: string, keys: Record<string, Arbitrary<unknown>>): Arbitrary<Manifest> =>
    some(
      { type: fc.constant(type), target, ...keys },
      ['type', 'target', 'source'].filter((key) => key !== 'source' || 'source' in keys),
    )
  const volume = fc.oneof(
    fc
      .tuple(named, target, fc.constantFrom('', ':ro', ':rw', ':nocopy', ':ro,nocopy'))
      .map(([from, to, mode]) => `${from}:${to}${mode}`),
    fc
      .tuple(fc.constantFrom('/srv', './here', '../up', '~/home', '.'), target, fc.constantFrom('', ':ro', ':rslave'))
      .map(([from, to, mode]) => `${from}:${to}${mode}`),
    target,
    long('volume', { ...readOnly, source: named, volume: some({ nocopy: fc.boolean(), subpath: word }) }),
    long('bind', {
      ...readOnly,
      source: fc.constantFrom('/srv/x', './rel'),
      bind: some({ propagation: fc.constantFrom('rshared', 'private') }),
    }),
    long('tmpfs', { tmpfs: some({ size: fc.integer({ min: 0, max: 1_000_000 }) }) }),
    long('npipe', { source: fc.constant('\\\\.\\pipe\\engine') }),
  )
  const targetOf = (one: unknown): unknown => {
    if (typeof one !== 'string') return (one as Record<string, unknown>).target
    const parts = one.split(':')
    return parts[1] ?? parts[0]
  }
  return fc.uniqueArray(volume, { minLength: part === 'first' ? 1 : 0, maxLength: 4, selector: targetOf })
}

const updateKeys = {
  parallelism: fc.integer({ min: 0, max: 9 }),
  delay: duration,
  failure_action: fc.constantFrom('pause', 'continue'),
  monitor: duration,
  max_failure_ratio: fc.constantFrom(0, 0.1, 0.3, 1, 1e-7),
  order: fc.constantFrom('start-first', 'stop-first'),
}

function deploy(part: Part): Arbitrary<unknown> {
  const limits = { cpus, memory: bytes }
  const keys = {
    labels: pairs,
    endpoint_mode: fc.constantFrom('vip', 'VIP'),
    rollback_config: some({ ...updateKeys, failure_action: fc.constantFrom('pause', 'continue') }),
    resources: some({
      limits: some({ ...limits, pids: fc.integer({ min: 0, max: 999 }) }),
      reservations: some({
        ...limits,
        generic_resources: unique(
          fc.record({ discrete_resource_spec: fc.record({ kind: word, value: fc.integer({ min: 1, max: 9 }) }) }),
          2,
        ),
      }),
    }),
    restart_policy: some({
      condition: fc.constantFrom('none', 'on-failure', 'any'),
      delay: duration,
      max_attempts: fc.integer({ min: 0, max: 9 }),
      window: duration,
    }),
    placement: some({
      constraints: unique(fc.constantFrom('node.role == worker', 'node.labels.disk != hdd', 'node.hostname==a'), 2),
      preferences: unique(fc.constantFrom({ spread: 'node.labels.dc' }, { spread: 'node.labels.rack' }), 2),
      max_replicas_per_node: fc.integer({ min: 0, max: 9 }),
    }),
  }
  const replicas = fc.integer({ min: 0, max: 9 })
  const replicated = some({ ...keys, mode: fc.constant('replicated'), replicas, update_config: some(updateKeys) })
  // A mode in one file and the replicas in the other could contradict each other.
  if (part !== 'alone') return replicated
  return fc.oneof(
    { weight: 3, arbitrary: replicated },
    some({ ...keys, mode: fc.constant('global'), update_config: some(updateKeys) }, ['mode']),
    some({ ...keys, mode: fc.constant('replicated-job'), replicas }, ['mode']),
    some({ ...keys, mode: fc.constant('global-job') }, ['mode']),
  )
}

/** Options of a network that both files name are merged by us only: the second file has none. */
function attachments(part: Part): Arbitrary<unknown> {
  const attachment =
    part === 'second'
      ? fc.constant(null)
      : fc.oneof(fc.constant(null), some({ aliases: unique(word), driver_opts: options }))
  return fc.oneof(
    unique(fc.constantFrom(...networkNames)),
    fc.dictionary(fc.constantFrom(...networkNames), attachment, { maxKeys: 3, noNullPrototype: true }),
  )
}

function service(part: Part, index: number): Arbitrary<Manifest> {
  const healthcheck = {
    interval: atLeastAMillisecond,
    timeout: atLeastAMillisecond,
    start_period: atLeastAMillisecond,
    start_interval: atLeastAMillisecond,
    retries: fc.integer({ min: 0, max: 9 }),
  }
  const test = fc.oneof(
    word,
    unique(word, 2).map((words) => ['CMD', ...words]),
    fc.constant(['NONE']),
  )
  return some(
    {
      image: fc.constantFrom('nginx', 'nginx:${TAG}', 'reg.example:5000/a/b:1', `a/b@sha256:${'ab'.repeat(32)}`),
      command,
      entrypoint: command,
      environment: pairs,
      ...(part !== 'second' && { env_file: fc.oneof(fc.constant('app.env'), fc.constant(['./app.env'])) }),
      hostname: fc.constantFrom('h1', '{{.Node.ID}}'),
      user: fc.constantFrom('1000', '1:2', 'www'),
      working_dir: word.map((name) => `/${name}`),
      labels: pairs,
      cap_add: unique(fc.constantFrom('NET_ADMIN', 'cap_sys_time', 'CHOWN', 'ALL')),
      cap_drop: unique(fc.constantFrom('KILL', 'CAP_CHOWN', 'mknod')),
      dns: stringOrList,
      dns_search: stringOrList,
      extra_hosts: fc.oneof(
        unique(fc.tuple(word, fc.constantFrom('10.0.0.1', '::1')).map(([host, address]) => `${host}:${address}`)),
        fc.dictionary(word, fc.constantFrom('10.0.0.2', 'fe80::1'), { maxKeys: 2, noNullPrototype: true }),
      ),
      healthcheck: some(part === 'second' ? healthcheck : { ...healthcheck, test }),
      init: fc.boolean(),
      isolation: fc.constantFrom('default', 'process'),
      ...(part !== 'second' && {
        logging: some({ driver: fc.constantFrom('json-file', 'syslog'), options: pairsAsMap }, ['driver']),
      }),
      networks: attachments(part),
      ports: ports(part, index),
      read_only: fc.boolean(),
      restart: fc.constantFrom('no', 'always', 'on-failure', 'on-failure:3', 'unless-stopped'),
      secrets: references(part, secretNames),
      configs: references(part, configNames),
      stdin_open: fc.boolean(),
      stop_grace_period: duration,
      stop_signal: fc.constantFrom('SIGTERM', 'SIGUSR1'),
      sysctls: pairs,
      tty: fc.boolean(),
      ulimits: fc.dictionary(
        fc.constantFrom('nofile', 'nproc', 'core'),
        fc.oneof(
          fc.integer({ min: -1, max: 99_999 }),
          fc.record({ soft: fc.integer({ min: 0, max: 9 }), hard: fc.integer({ min: 9, max: 99 }) }),
        ),
        { maxKeys: 3, noNullPrototype: true },
      ),
      volumes: volumes(part, index),
      deploy: deploy(part),
    },
    part === 'second' ? [] : ['image'],
  )
}

function manifestOf(part: Part): Arbitrary<Manifest> {
  const file = fc.constantFrom('one.txt', './two.bin')
  const object = some({ file, labels: pairs, template_driver: fc.constant('golang') }, ['file'])
  const network = fc.oneof(
    fc.constant(null),
    some({
      driver: fc.constantFrom('overlay', 'weave'),
      driver_opts: options,
      internal: fc.boolean(),
      attachable: fc.boolean(),
      labels: pairs,
      ipam: some({
        driver: word,
        config: unique(fc.constantFrom({ subnet: '10.1.0.0/16' }, { subnet: '10.2.0.0/24' }, {}), 2),
      }),
    }),
  )
  const volume = fc.oneof(fc.constant(null), some({ name: word, driver: word, driver_opts: options, labels: pairs }))
  const services = fc.record(
    { web: service(part, 0), 'api-2': service(part, 1), job_3: service(part, 2) },
    { requiredKeys: part === 'second' ? [] : ['web'], noNullPrototype: true },
  )
  // A service that only the second file has needs an image there.
  const sound = part === 'second' ? services.map(({ web }) => (web === undefined ? {} : { web })) : services
  return fc.record({
    services: sound,
    networks: fc.record({
      default: network,
      front: network,
      'back-net': network.map((one) => ({ ...one, name: 'their-back' })),
      outer: fc.constantFrom<object>({ external: true }, { external: true, name: 'outside' }),
      hosts: fc.constantFrom<object>({ external: true, name: 'host' }),
    }),
    volumes: fc.record({ data: volume, cache_1: volume, theirs: fc.constantFrom<object>({ external: true }) }),
    secrets: fc.record({
      token: object,
      'key.pem': object,
      'their-secret': fc.constantFrom<object>({ external: true }),
    }),
    configs: fc.record({
      site: object,
      'page.html': object,
      'their-config': fc.constantFrom<object>({ external: true, name: 'c9' }),
    }),
  })
}

/** A single file. */
export const manifest: Arbitrary<Manifest> = manifestOf('alone')

/**
 * Two files, the second over the first. What the docker CLI loses in a merge does not occur: ports of both files are published
 * tcp ports, only the first has tests of health and logging.
 */
export const twoManifests: Arbitrary<readonly [Manifest, Manifest]> = fc.tuple(
  manifestOf('first'),
  manifestOf('second'),
)
