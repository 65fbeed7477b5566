// `extends`, `!reset` and `!override`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service } from '../../src/compose/stack.ts'
import { loadTexts, problemLines } from '../support/composeFiles.ts'

function named(name: string, texts: readonly string[], beside: Readonly<Record<string, string>> = {}): Service {
  const result = loadTexts(texts, { beside })
  const service = result.stack?.services.find((candidate) => candidate.name === name)
  assert.ok(service, problemLines(result).join('\n'))
  assert.deepEqual(problemLines(result), [])
  return service
}

const base = `services:
  base:
    image: x
    tty: true
    command: [a]
    stop_grace_period: 10s
    environment: {A: one, B: one}
    labels: [l=1]
    cap_add: [NET_ADMIN]
    ports: ["80:80"]
    volumes: ["/srv:/data"]
    deploy: {replicas: 2, labels: {d: 1}, update_config: {delay: 5s, parallelism: 2}}
`

test('a service of the same file, which the extending one completes and overrides, with empty values too', () => {
  const web = named('web', [
    `${base}  web:
    extends: {service: base}
    tty: false
    command: []
    environment: ["A=", "C=3"]
    labels: {m: 2}
    cap_add: [SYS_TIME]
    ports: ["81:80"]
    volumes: ["/other:/data"]
    deploy: {update_config: {delay: 0s}}
`,
  ])
  assert.deepEqual([web.name, web.image, web.tty, web.command, web.stopGracePeriod], ['web', 'x', false, [], 10e9])
  assert.deepEqual(Object.fromEntries(web.environment), { A: '', B: 'one', C: '3' })
  assert.deepEqual(Object.fromEntries(web.labels), { l: '1', m: '2' })
  assert.deepEqual(web.capAdd, ['NET_ADMIN', 'SYS_TIME'])
  assert.deepEqual(
    web.ports.map(({ published }) => published),
    [80, 81],
  )
  assert.deepEqual(
    web.volumes.map(({ source }) => source),
    ['/other'],
  )
  assert.deepEqual(
    [web.deploy.replicas, web.deploy.updateConfig?.delay, web.deploy.updateConfig?.parallelism],
    [2, 0, 2],
  )
  assert.equal(web.places.service.line, 13)
})

test('the short form, through several services', () => {
  const web = named('web', [
    'services: {a: {image: x, user: "1"}, b: {extends: a, user: "0", hostname: h}, web: {extends: b, hostname: ""}}',
  ])
  assert.deepEqual([web.image, web.user, web.hostname], ['x', '0', ''])
})

test('a service of another file, with paths from that one, and only that service is looked at', () => {
  const web = named('web', ['services: {web: {extends: {file: lib/base.yml, service: base}, user: "1"}}'], {
    'lib/base.yml':
      'services:\n  base: {extends: root, env_file: base.env}\n  root: {image: x, volumes: ["./d:/d"]}\n  other: {imag: "$NOWHERE"}\n',
    'lib/base.env': 'A=1\n',
  })
  assert.deepEqual([web.image, web.user, web.environment.get('A'), web.volumes[0]?.source], ['x', '1', '1', '/w/lib/d'])
})

for (const [text, beside, said] of [
  [
    'services: {a: {extends: bas}, base: {image: x}}',
    {},
    'error 1.yml:1:25 there is no service "bas" in 1.yml to extend',
  ],
  ['services: {a: {extends: b, image: x}, b: {extends: a}}', {}, 'error 1.yml:1:25 the service a extends itself'],
  [
    'services: {a: {extends: {file: gone.yml, service: b}}}',
    {},
    'error 1.yml:1:32 the extended file "gone.yml" does not exist',
  ],
  [
    'services: {a: {extends: {file: gone.yml}}}',
    {},
    'error 1.yml:1:25 services.a.extends has no "service", which it needs',
  ],
  [
    'services: {a: {extends: {file: b.yml, service: b}}}',
    { 'b.yml': 'services: {b: {imag: x}}' },
    'error b.yml:1:16 there is no key "imag" in services.b',
  ],
] as const) {
  test(`refused: ${text}`, () => {
    const lines = problemLines(loadTexts([text], { beside }))
    assert.ok(lines.includes(said), lines.join('\n'))
  })
}

test('a service of another file that many extend is looked at once', () => {
  const services = Array.from({ length: 1000 }, (_, i) => `  s${i}: {extends: {file: b.yml, service: b}}\n`)
  const result = loadTexts([`services:\n${services.join('')}`], {
    beside: { 'b.yml': 'services: {b: {image: x, links: [y], hostname: "$NO"}}' },
  })
  assert.equal(result.stack?.services.length, 1000)
  assert.deepEqual(problemLines(result), [
    'warning b.yml:1:26 "links" is ignored: services find each other by their names on a common network',
    'warning b.yml:1:49 the variable NO is not set, so it becomes empty text',
  ])
})

test('a chain without end is bounded', () => {
  const services = Array.from({ length: 200 }, (_, index) => `  s${index}: {image: x, extends: s${index + 1}}\n`)
  const result = loadTexts([`services:\n${services.join('')}  s200: {image: x}\n`])
  assert.match(problemLines(result).join('\n'), /extend each other more than 50 deep/)
})

test('!reset takes a key out of the files before, !override replaces what it would be joined to', () => {
  const service = named('a', [
    'services:\n  a:\n    image: x\n    ports: ["80:80", "81:81"]\n    dns: [a]\n    user: "1"\n    environment: [A=1, B=2]\n    deploy: {labels: {x: 1, y: 2}, replicas: 3}\n',
    'services:\n  a:\n    ports: !override ["90:90"]\n    dns: !reset []\n    user: !reset null\n    environment: {A: !reset null}\n    deploy: {labels: !override {z: 3}, replicas: !reset }\n',
  ])
  assert.deepEqual(
    service.ports.map(({ published }) => published),
    [90],
  )
  assert.deepEqual([service.dns, service.user, [...service.environment.keys()]], [[], '', ['B']])
  assert.deepEqual([[...service.deploy.labels], service.deploy.replicas], [[['z', '3']], undefined])
})

test('an anchor in a value that is reset can be used, and both tags come along with a merge key', () => {
  const service = named('a', [
    'services: {a: {image: x, ports: ["80:80"], dns: [a]}}',
    'x-b: &b {ports: !override ["90:90"]}\nservices:\n  a:\n    <<: *b\n    dns: !reset &dns [c]\n    dns_search: *dns\n',
  ])
  assert.deepEqual([service.dns, service.dnsSearch], [[], ['c']])
  assert.deepEqual(
    service.ports.map(({ published }) => published),
    [90],
  )
})

test('!reset and !override in a service that extends another, and whole sections', () => {
  const web = named('web', [
    'services:\n  b: {image: x, ports: ["80:80"], dns: [a]}\n  web: {extends: b, ports: !reset [], dns: !override [c]}\n',
  ])
  assert.deepEqual([web.ports, web.dns], [[], ['c']])
  const { stack } = loadTexts([
    'services: {a: {image: x}, b: {image: x}}\nnetworks: {n: }\n',
    'services: {a: !reset null}\nnetworks: !reset {}\n',
  ])
  assert.deepEqual([stack?.services.map(({ name }) => name), stack?.networks.size], [['b'], 0])
})

test('an endless chain is told once for each fifty services, not for each of them', () => {
  const services = Array.from({ length: 400 }, (_, index) => `  s${index}: {image: b, extends: s${index + 1}}\n`)
  const said = problemLines(loadTexts([`services:\n${services.join('')}  s400: {image: b}\n`]))
  assert.equal(said.filter((line) => line.includes('more than 50 deep')).length, said.length)
  assert.ok(said.length > 0 && said.length < 10, String(said.length))
})
