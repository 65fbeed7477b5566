// What people reported as bugs of stack deployments, each as a small manifest of our own: what a user sees of it here.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { convertStack } from '../../src/convert/convertStack.ts'
import type { ServiceObject, StackSpec } from '../../src/convert/stackSpec.ts'
import type { ContainerSpec, TaskSpec } from '../../src/swarm/service.ts'
import { type LoadOptions, loadTexts } from '../support/composeFiles.ts'

/** The stack `demo` of these manifests, and all that is said of them: `severity file:line:column message → remedy`. */
function deploy(texts: string | readonly string[], options: LoadOptions = {}) {
  const { stack, problems } = loadTexts(typeof texts === 'string' ? [texts] : texts, options)
  const converted = stack === undefined ? undefined : convertStack(stack, 'demo')
  const said = [...problems, ...(converted?.problems ?? [])].map(
    ({ severity, position, message, remedy }) =>
      `${severity} ${position?.file}:${position?.line}:${position?.column} ${message} → ${remedy}`,
  )
  return { spec: converted?.spec, said }
}

/** The same where nothing is to be complained of. */
function accepted(texts: string | readonly string[], options: LoadOptions = {}): StackSpec {
  const { spec, said } = deploy(texts, options)
  assert.deepEqual(said, [])
  assert.ok(spec)
  return spec
}

function serviceOf({ services }: StackSpec, key: string): ServiceObject {
  return services.find((service) => service.key === key) ?? assert.fail(`no service ${key}`)
}

function taskOf(spec: StackSpec, key: string): TaskSpec {
  return serviceOf(spec, key).spec.TaskTemplate
}

function containerOf(spec: StackSpec, key: string): ContainerSpec {
  return taskOf(spec, key).ContainerSpec ?? assert.fail(`no container in ${key}`)
}

/** Ports as `published:target/protocol mode`. */
function portsOf(spec: StackSpec, key: string): string[] {
  const { Ports } = serviceOf(spec, key).spec.EndpointSpec ?? {}
  return (Ports ?? []).map(
    ({ PublishedPort, TargetPort, Protocol = 'tcp', PublishMode }) =>
      `${PublishedPort}:${TargetPort}/${Protocol} ${PublishMode}`,
  )
}

describe('refused before anything is written, with the place and what to do', () => {
  const rows: readonly (readonly [what: string, manifest: string | readonly string[], said: readonly RegExp[]])[] = [
    [
      'external_name, as an old compose config wrote it',
      'services:\n  api:\n    image: httpd\nsecrets:\n  key:\n    external: true\n    external_name: key\n',
      [/^error 1\.yml:7:5 there is no key "external_name" in secrets\.key → .*\bname\b/],
    ],
    [
      'configs in a file of version 3.2',
      'version: "3.2"\nservices:\n  api:\n    image: httpd\nconfigs:\n  site:\n    file: site.conf\n',
      [/^error 1\.yml:5:1 .*"configs".* from version 3\.3 on, .* says version 3\.2 → Remove the line `version`/],
    ],
    [
      "a port in the form of docker service create's --publish",
      'services:\n  api:\n    image: httpd\n    ports: ["published=8443,target=443,mode=host"]\n',
      [/^error 1\.yml:4:13 .*"published=8443,target=443,mode=host" is not a port.* → Write a mapping with the keys/],
    ],
    [
      'keys a level too deep and a level too shallow',
      'services:\n  api:\n    image: httpd\n    deploy:\n      volumes: [data:/data]\n    placement:\n      constraints: [node.role==worker]\n',
      [
        /^error 1\.yml:5:7 there is no key "volumes" in services\.api\.deploy → It belongs .*directly under a service/,
        /^error 1\.yml:6:5 there is no key "placement" in services\.api → It belongs under the service's `deploy`/,
      ],
    ],
    [
      'an anchor of another file',
      [
        'x-log: &log\n  logging: {driver: syslog}\nservices:\n  api:\n    <<: *log\n    image: httpd\n',
        'services:\n  job:\n    <<: *log\n    image: busybox\n',
      ],
      [/^error 2\.yml:3:9 the anchor &log .*is not defined before it in this file → .*from one file into another/],
    ],
    [
      'one block twice in a service',
      'services:\n  api:\n    deploy: {replicas: 3}\n    image: httpd\n    deploy:\n      mode: global\n',
      [/^error 1\.yml:5:5 the key "deploy" is already set at line 3 → Join the two/],
    ],
    [
      'two merge keys in a mapping',
      'x-one: &one {tty: true}\nx-two: &two {read_only: true}\nservices:\n  api:\n    <<: *one\n    <<: *two\n    image: httpd\n',
      [/^error 1\.yml:6:5 the key "<<" is already set at line 5 → Write one: `<<: \[\*first, \*second\]`/],
    ],
    [
      'a secret that no one declares',
      'services:\n  api:\n    image: httpd\n    secrets:\n      - token\n',
      [/^error 1\.yml:5:9 service api: undefined secret "token" → Declare it under the top-level "secrets:"/],
    ],
    [
      'a service that is only built',
      'services:\n  api:\n    build: ./api\n',
      [
        /^warning 1\.yml:3:5 "build" is ignored: nothing is built/,
        /^error 1\.yml:2:3 invalid image reference for service api: no image specified → Add "image:".*Swarm builds none/,
      ],
    ],
    [
      'a network of the driver bridge',
      'services:\n  api:\n    image: httpd\nnetworks:\n  default:\n    driver: bridge\n',
      [/^error 1\.yml:5:3 network default: driver "bridge" makes a network of one node.* → Remove the line/],
    ],
    [
      'two services that publish one port',
      'services:\n  first:\n    image: httpd\n    ports: ["8181:80"]\n  second:\n    image: httpd\n    ports: ["8181:81"]\n',
      [/^error 1\.yml:7:13 service second publishes port 8181\/tcp, as service first does.* → Publish one of them/],
    ],
  ]
  for (const [what, manifest, expected] of rows) {
    test(what, () => {
      const { spec, said } = deploy(manifest, { beside: { 'site.conf': 'x' } })
      assert.equal(spec, undefined)
      assert.equal(said.length, expected.length, said.join('\n'))
      for (const [index, pattern] of expected.entries()) assert.match(said[index] ?? '', pattern)
    })
  }
})

describe('what docker stack deploy refuses and the Compose Specification has', () => {
  test('an env file as path and whether it is required', () => {
    const spec = accepted(
      'services:\n  api:\n    image: httpd\n    env_file:\n      - path: there.env\n        required: true\n      - path: gone.env\n        required: false\n',
      { beside: { 'there.env': 'LEVEL=3\n' } },
    )
    assert.deepEqual(containerOf(spec, 'api').Env, ['LEVEL=3'])
  })

  test('conditions to start are accepted, and it is said that Swarm knows no order', () => {
    const { spec, said } = deploy(
      'services:\n  api:\n    image: httpd\n    depends_on:\n      store:\n        condition: service_started\n  store:\n    image: redis\n    depends_on: {disk: {condition: service_healthy}}\n  disk:\n    image: busybox\n',
    )
    assert.deepEqual(
      spec?.services.map(({ name }) => name),
      ['demo_api', 'demo_disk', 'demo_store'],
    )
    assert.equal(said.length, 1)
    assert.match(
      said[0] ?? '',
      /^warning 1\.yml:4:5 "depends_on" is ignored \(so are 1 more\): Swarm starts services in no order/,
    )
  })

  test('the name of the stack', () => {
    const { stack } = loadTexts(['name: shop\nservices:\n  api:\n    image: httpd\n'])
    assert.equal(stack?.name, 'shop')
  })

  test('the content of a config, in place', () => {
    const spec = accepted(
      'services:\n  api:\n    image: httpd\n    configs: [site]\nconfigs:\n  site:\n    content: |\n      Listen 80\n      ServerName ${HOST}\n',
      { variables: { HOST: 'a.example' } },
    )
    const [site] = spec.configs
    assert.ok(site && !site.external)
    assert.equal(Buffer.from(site.spec.Data ?? '', 'base64').toString(), 'Listen 80\nServerName a.example\n')
  })

  test('a secret out of a variable; without one there is no empty secret but an error', () => {
    const manifest =
      'services:\n  api:\n    image: httpd\n    secrets: [key]\nsecrets:\n  key:\n    environment: API_KEY\n'
    const [key] = accepted(manifest, { variables: { API_KEY: 'opensesame' } }).secrets
    assert.ok(key && !key.external)
    assert.equal(Buffer.from(key.spec.Data ?? '', 'base64').toString(), 'opensesame')
    for (const variables of [{}, { API_KEY: '' }]) {
      const { spec, said } = deploy(manifest, { variables })
      assert.equal(spec, undefined)
      assert.equal(said.length, 1)
      assert.match(
        said[0] ?? '',
        /^error 1\.yml:7:18 the variable "API_KEY", which is the content of the secret key, is (?:not set|empty)/,
      )
    }
  })

  test('what compose config prints', () => {
    const spec = accepted(
      'name: shop\nservices:\n  api:\n    image: httpd\n    networks:\n      default: null\n    ports:\n      - mode: ingress\n        target: 90\n        published: "8090"\n        protocol: tcp\nnetworks:\n  default:\n    name: shop_default\n',
    )
    assert.deepEqual(portsOf(spec, 'api'), ['8090:90/tcp ingress'])
    assert.deepEqual(taskOf(spec, 'api').Networks, [{ Target: 'shop_default', Aliases: ['api'] }])
  })
})

describe('several files', () => {
  const two = (first: string, second: string): StackSpec =>
    accepted([`services:\n  api:\n    image: httpd\n    ${first}\n`, `services:\n  api:\n    ${second}\n`])

  test('a command replaces the earlier one', () => {
    assert.deepEqual(containerOf(two('command: sleep 60', 'command: httpd-foreground'), 'api').Args, [
      'httpd-foreground',
    ])
  })

  test('a mount on the same target replaces the earlier one', () => {
    const spec = two('volumes: ["/var/old:/in"]', 'volumes: ["/var/new:/in"]')
    assert.deepEqual(containerOf(spec, 'api').Mounts, [{ Type: 'bind', Source: '/var/new', Target: '/in' }])
  })

  test('one port in both, short and long, is published once, as the later file says', () => {
    const spec = two('ports: ["8090:90"]', 'ports: [{target: 90, published: 8090, mode: host}]')
    assert.deepEqual(portsOf(spec, 'api'), ['8090:90/tcp host'])
  })
})

describe('YAML', () => {
  test('merge keys are resolved wherever they stand, and none is left as a key', () => {
    const spec = accepted(
      'x-base: &base\n  COLOR: red\nservices:\n  api:\n    image: httpd\n    environment:\n      <<: *base\n      SIZE: "4"\n' +
        '    deploy:\n      labels:\n        <<: &tier {tier: front}\n        team: web\n    labels: *tier\n',
    )
    assert.deepEqual(containerOf(spec, 'api').Env, ['COLOR=red', 'SIZE=4'])
    assert.deepEqual(serviceOf(spec, 'api').spec.Labels, {
      'com.docker.stack.image': 'httpd',
      'com.docker.stack.namespace': 'demo',
      team: 'web',
      tier: 'front',
    })
    assert.doesNotMatch(JSON.stringify(spec), /<</)
  })

  test('unquoted ports are no numbers to the base of sixty', () => {
    const spec = accepted(
      'services:\n  api:\n    image: httpd\n    ports:\n      - 2222:22\n      - 22:23\n      - 10:59\n',
    )
    assert.deepEqual(portsOf(spec, 'api'), ['10:59/tcp ingress', '22:23/tcp ingress', '2222:22/tcp ingress'])
  })
})

describe('variables', () => {
  test('two dollars are one, and what they protect is no variable', () => {
    const spec = accepted('services:\n  api:\n    image: httpd\n    command: ["echo", "$${HOST}", "5$$"]\n', {
      variables: { HOST: 'h' },
    })
    assert.deepEqual(containerOf(spec, 'api').Args, ['echo', '${HOST}', '5$'])
  })

  test('a .env beside the manifest is not read, and the tag that is missing then is named', () => {
    const { spec, said } = deploy('services:\n  api:\n    image: httpd:${RELEASE}\n', {
      beside: { '.env': 'RELEASE=2.4\n' },
    })
    assert.equal(spec, undefined)
    assert.equal(said.length, 2)
    assert.match(said[0] ?? '', /^warning 1\.yml:3:18 the variable RELEASE is not set/)
    assert.match(
      said[1] ?? '',
      /^error 1\.yml:3:12 invalid image reference for service api: invalid reference format, because RELEASE has no value → Give RELEASE a value/,
    )
  })

  test('an unset variable is empty and warned of once; its default is not; a bare key stays away', () => {
    const lines = ['A=${GONE}', 'B=${GONE-one}', 'C=${GONE:-two}', 'D', 'E=${GONE}'].map((line) => `      - ${line}\n`)
    const { spec, said } = deploy(`services:\n  api:\n    image: httpd\n    environment:\n${lines.join('')}`)
    assert.ok(spec)
    assert.deepEqual(containerOf(spec, 'api').Env, ['A=', 'B=one', 'C=two', 'D', 'E='])
    assert.equal(said.length, 1)
    assert.match(said[0] ?? '', /^warning 1\.yml:5:11 the variable GONE is not set/)
  })

  test('an env file: bare names come from outside or not at all, nothing is replaced, quotes stay', () => {
    const spec = accepted('services:\n  api:\n    image: httpd\n    env_file: app.env\n', {
      beside: { 'app.env': '# words\nPLAIN=x\nEMPTY=\nABSENT\nOUTSIDE\nQUOTED=$USER and "more"\n' },
      variables: { OUTSIDE: 'in', USER: 'me' },
    })
    assert.deepEqual(containerOf(spec, 'api').Env, ['EMPTY=', 'OUTSIDE=in', 'PLAIN=x', 'QUOTED=$USER and "more"'])
  })

  test('a variable in a key is not replaced, which is said where the key is missed', () => {
    const manifest =
      'networks:\n  ${NET}:\n    external: true\nservices:\n  api:\n    image: httpd\n    networks: ["${NET}"]\n'
    for (const variables of [{ NET: 'outer' }, {}]) {
      const { spec, said } = deploy(manifest, { variables })
      assert.equal(spec, undefined)
      const errors = said.filter((line) => line.startsWith('error'))
      assert.equal(errors.length, 1)
      assert.match(
        errors[0] ?? '',
        /^error 1\.yml:7:16 service api: undefined network .* → .*not replaced.*"name: \$\{NET\}"/,
      )
    }
  })

  test('a count with a default', () => {
    const spec = accepted('services:\n  api:\n    image: httpd\n    deploy: {replicas: "${COUNT:-3}"}\n')
    assert.deepEqual(serviceOf(spec, 'api').spec.Mode, { Replicated: { Replicas: 3 } })
  })
})

describe('what Swarm is asked for', () => {
  test('an external secret keeps its name', () => {
    const spec = accepted(
      'services:\n  api:\n    image: httpd\n    secrets: [pass]\nsecrets:\n  pass:\n    external: true\n',
    )
    assert.deepEqual(
      spec.secrets.map(({ name, external }) => ({ name, external })),
      [{ name: 'pass', external: true }],
    )
    assert.equal(containerOf(spec, 'api').Secrets?.[0]?.SecretName, 'pass')
  })

  test('labels of volumes are no matter of the version', () => {
    const spec = accepted(
      'version: "3.0"\nservices:\n  api:\n    image: httpd\n    volumes: ["data:/data"]\nvolumes:\n  data:\n    labels: {keep: "1"}\n',
    )
    assert.equal(containerOf(spec, 'api').Mounts?.[0]?.VolumeOptions?.Labels?.keep, '1')
  })

  test('ulimits, as one number and as two, and capabilities', () => {
    const container = containerOf(
      accepted(
        'services:\n  api:\n    image: httpd\n    cap_add: [SYS_TIME]\n    ulimits:\n      nproc: 512\n      core: {soft: -1, hard: -1}\n',
      ),
      'api',
    )
    assert.deepEqual(container.Ulimits, [
      { Name: 'core', Hard: -1, Soft: -1 },
      { Name: 'nproc', Hard: 512, Soft: 512 },
    ])
    assert.deepEqual(container.CapabilityAdd, ['CAP_SYS_TIME'])
  })

  test('the owner of a config must be a number, which is said although the engine takes a name', () => {
    const { spec, said } = deploy(
      'services:\n  api:\n    image: httpd\n    configs:\n      - {source: site, target: /site, uid: apache, gid: "33"}\nconfigs:\n  site:\n    file: site.conf\n',
      { beside: { 'site.conf': 'x' } },
    )
    assert.ok(spec)
    assert.equal(said.length, 1)
    assert.match(said[0] ?? '', /^warning 1\.yml:5:9 service api: uid "apache" of the config "site" is not a number/)
  })

  test('a template of the host name that outgrows 63 characters', () => {
    const { spec, said } = deploy(
      'services:\n  a-service-with-a-name-of-forty-characters:\n    image: httpd\n    hostname: "{{.Service.Name}}.{{.Task.ID}}"\n',
    )
    assert.ok(spec)
    assert.equal(said.length, 1)
    assert.match(
      said[0] ?? '',
      /^warning 1\.yml:4:15 .*grows to \d+ characters or more, and no task starts with over 63/,
    )
  })

  test('jobs', () => {
    const spec = accepted(
      'services:\n  some:\n    image: busybox\n    deploy: {mode: replicated-job, replicas: 4}\n  each:\n    image: busybox\n    deploy: {mode: global-job}\n',
    )
    assert.deepEqual(serviceOf(spec, 'some').spec.Mode, { ReplicatedJob: { MaxConcurrent: 4, TotalCompletions: 4 } })
    assert.deepEqual(serviceOf(spec, 'each').spec.Mode, { GlobalJob: {} })
  })

  test('no replicas and no restarts, as schedulers outside of Swarm want it', () => {
    const spec = accepted(
      'services:\n  nightly:\n    image: busybox\n    deploy: {replicas: 0, restart_policy: {condition: none}}\n',
    )
    assert.deepEqual(serviceOf(spec, 'nightly').spec.Mode, { Replicated: { Replicas: 0 } })
    assert.deepEqual(taskOf(spec, 'nightly').RestartPolicy, { Condition: 'none' })
  })

  test('the networks of the engine itself are used by name, and nothing is looked up or made', () => {
    for (const name of ['host', 'bridge', 'none']) {
      const spec = accepted(
        `services:\n  api:\n    image: httpd\n    networks: [outside]\nnetworks:\n  outside: {external: true, name: ${name}}\n`,
      )
      assert.deepEqual(spec.networks, [])
      assert.deepEqual(taskOf(spec, 'api').Networks, [{ Target: name }])
    }
  })

  test('a host port with start-first is warned of', () => {
    const { spec, said } = deploy(
      'services:\n  api:\n    image: httpd\n    ports: [{target: 443, published: 8443, mode: host}]\n    deploy: {update_config: {order: start-first}}\n',
    )
    assert.ok(spec)
    assert.equal(said.length, 1)
    assert.match(
      said[0] ?? '',
      /^warning 1\.yml:4:13 .*can't bind the host port 8443 while the old one.* → Use "order: stop-first"/,
    )
  })

  test('a relative bind is a path of the runner, which is said', () => {
    const { spec, said } = deploy('services:\n  api:\n    image: httpd\n    volumes: ["./files:/files"]\n')
    assert.equal(spec && containerOf(spec, 'api').Mounts?.[0]?.Source, '/w/files')
    assert.equal(said.length, 1)
    assert.match(
      said[0] ?? '',
      /^warning 1\.yml:4:15 .*"\.\/files" becomes a path of the runner, which the nodes do not have → Set "bind-root"/,
    )
  })

  test('an absolute bind is what it says, and the options of a volume travel with its mount', () => {
    const spec = accepted(
      'services:\n  api:\n    image: httpd\n    volumes: ["/etc/app:/etc/app:ro", "share:/share"]\nvolumes:\n  share:\n    driver: local\n    driver_opts: {type: nfs, device: ":/export", o: "addr=192.0.2.1"}\n',
    )
    const [bind, volume] = containerOf(spec, 'api').Mounts ?? []
    assert.deepEqual(bind, { Type: 'bind', Source: '/etc/app', Target: '/etc/app', ReadOnly: true })
    assert.deepEqual(volume?.VolumeOptions?.DriverConfig, {
      Name: 'local',
      Options: { device: ':/export', o: 'addr=192.0.2.1', type: 'nfs' },
    })
  })

  test('contents: empty ones, and those at the limit of Swarm, are refused; a byte less is not', () => {
    const manifest = (kind: string): string =>
      `services:\n  api:\n    image: httpd\n    ${kind}: [one]\n${kind}:\n  one:\n    file: one.bin\n`
    const rows: readonly (readonly [kind: string, limit: number])[] = [
      ['secrets', 512_000],
      ['configs', 1_024_000],
    ]
    for (const [kind, limit] of rows) {
      const of = (size: number) => deploy(manifest(kind), { beside: { 'one.bin': Buffer.alloc(size, 'x') } })
      assert.match(of(0).said.join(), /^error 1\.yml:6:3 \w+ one: the file "one\.bin" is empty/)
      assert.match(
        of(limit).said.join(),
        /^error 1\.yml:6:3 \w+ one: the file "one\.bin" has \d+ bytes, and Swarm takes fewer/,
      )
      assert.deepEqual(of(limit - 1).said, [])
    }
  })
})

describe('what is deployed again is the same', () => {
  test('whatever the order in the file: environment, networks, labels', () => {
    const spec = (environment: string, networks: string, labels: string): string =>
      JSON.stringify(
        accepted(
          `services:\n  api:\n    image: httpd\n    environment: {${environment}}\n    networks: [${networks}]\n    labels: {${labels}}\nnetworks: {one: {}, two: {}, three: {}}\n`,
        ).services.map((service) => service.spec),
      )
    assert.equal(
      spec('Z: 9, B: 2, M: 5', 'two, one, three', 'b: x, a: y'),
      spec('M: 5, Z: 9, B: 2', 'three, two, one', 'a: y, b: x'),
    )
  })

  test('nothing of a run is in it: neither counters nor digests nor labels other than those of the file', () => {
    const spec = accepted('services:\n  api:\n    image: python:3.12\n    labels: {build: "${SHA}"}\n', {
      variables: { SHA: 'f00' },
    })
    assert.equal(taskOf(spec, 'api').ForceUpdate, 0)
    assert.equal(containerOf(spec, 'api').Image, 'python:3.12')
    assert.deepEqual(containerOf(spec, 'api').Labels, { build: 'f00', 'com.docker.stack.namespace': 'demo' })
    assert.equal(serviceOf(spec, 'api').spec.Labels?.['com.docker.stack.image'], 'python:3.12')
  })

  test('networks that services share are named in the same way everywhere', () => {
    const spec = accepted(
      'services:\n  one:\n    image: httpd\n    networks: [left, middle]\n  two:\n    image: httpd\n    networks: [right, middle]\nnetworks: {left: {}, middle: {}, right: {}}\n',
    )
    const targets = (key: string) => taskOf(spec, key).Networks?.map(({ Target }) => Target)
    assert.deepEqual(targets('one'), ['demo_left', 'demo_middle'])
    assert.deepEqual(targets('two'), ['demo_middle', 'demo_right'])
  })

  test('flags of the default network', () => {
    const [network] = accepted(
      'services:\n  api:\n    image: httpd\nnetworks:\n  default: {internal: true, attachable: true}\n',
    ).networks
    assert.ok(network && !network.external)
    assert.deepEqual([network.name, network.spec.Internal, network.spec.Attachable], ['demo_default', true, true])
  })
})
