// What a variable holds may be a secret: no message about a manifest shows it, whatever is wrong with it.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertStack } from '../../src/convert/convertStack.ts'
import { forbiddable } from '../../src/convert/forbidden.ts'
import { loadTexts } from '../support/composeFiles.ts'

/** Everything that is said of a manifest whose one service has these lines, before and after conversion. */
function said(service: string, variables: Record<string, string>, topLevel = ''): string[] {
  const { stack, problems } = loadTexts([`services:\n  web:\n${service.replace(/^/gm, '    ')}\n${topLevel}`], {
    variables,
  })
  const found = stack === undefined ? [] : convertStack(stack, 'shop', { forbid: new Set(forbiddable) }).problems
  return [...problems, ...found].map(({ message, remedy }) => `${message}. ${remedy}`)
}

/** The service, `X`, and what must be said. `image: nginx` where the row has no image. */
const rows: readonly (readonly [service: string, value: string, said: RegExp])[] = [
  ['image: "${X}"', 'acme/Sesame', /invalid image reference for service web: .* Correct "\$\{X\}"/],
  ['image: "${X}"', 'reg.example/acme/Sesame:1', /repository name \(\$\{X\}\) must be lowercase/],
  ['image: "acme/${X}:1"', 'Sesame', /Correct "acme\/\$\{X\}:1"/],
  ['image: "${X}"', 'open sesame', /Correct "\$\{X\}"/],
  ['image: "${X:-nginx}"', 'a"Sesame"', /Correct "\$\{X\}"/],
  ['volumes: ["./${X}:/data"]', 'sesame', /bind source "\.\/\$\{X\}" becomes a path/],
  ['volumes: ["./x${X}:/data"]', 'sesame', /bind source "\.\/x\$\{X\}" becomes/],
  ['volumes: ["data-${X}s:/data"]', 'sesame', /undefined volume "data-\$\{X\}s"/],
  ['hostname: "{{.Task.ID}}a${X:-b}"', 'sesame'.repeat(10), /the hostname "\{\{\.Task\.ID\}\}a\$\{X:-b\}"/],
  ['volumes: ["${X}/a:/data"]', './Sesame', /bind source "\$\{X\}\/a"/],
  ['volumes: ["${X}"]', './Sesame:/data', /bind source "\$\{X\}"/],
  ['volumes: ["${X}:/data"]', 'sesame', /undefined volume "\$\{X\}"/],
  ['volumes: ["/a:${X}", "/b:${X}"]', '/open/sesame', /duplicate mount point "\$\{X\}"/],
  ['volumes: ["/secret/${X}:/a"]', 'sesame', /mounts "\/secret\/\$\{X\}" of the node/],
  ['volumes: [{type: "${X}", target: /a}]', 'sesame', /not "\$\{X\}"/],
  ['secrets: ["${X}"]', 'sesame', /undefined secret "\$\{X\}"/],
  ['configs: [{source: "${X}", target: /a}]', 'sesame', /undefined config "\$\{X\}"/],
  ['networks: ["${X}"]', 'sesame', /undefined network "\$\{X\}"/],
  ['hostname: "{{.Task.ID}}-${X}"', 'sesame'.repeat(10), /the hostname "\{\{\.Task\.ID\}\}-\$\{X\}"/],
  ['restart: "${X}"', 'sesame', /restart policy: \$\{X\}/],
  ['deploy: {mode: "${X}"}', 'sesame', /unknown mode: \$\{X\}/],
  ['deploy: {endpoint_mode: "${X}"}', 'sesame', /invalid endpoint mode "\$\{X\}"/],
  ['deploy: {restart_policy: {condition: "${X}"}}', 'sesame', /invalid restart condition "\$\{X\}"/],
  ['deploy: {update_config: {failure_action: "${X}"}}', 'sesame', /invalid failure action "\$\{X\}"/],
  ['deploy: {update_config: {order: "${X}"}}', 'sesame', /must be start-first or stop-first, not "\$\{X\}"/],
  ['deploy: {placement: {constraints: ["${X}"]}}', 'open sesame', /placement constraint "\$\{X\}"/],
  ['deploy: {resources: {limits: {memory: "${X}"}}}', 'sesame', /"\$\{X\}"/],
  ['deploy: {resources: {limits: {memory: "${X}"}}}', '54321', /\$\{X\} bytes of memory/],
  ['deploy: {replicas: "${X}"}', 'sesame', /the value that "\$\{X\}" stands for/],
  ['cap_add: ["${X}"]', 'Sesame', /adds \$\{X\}/],
  ['ports: ["${X}"]', 'sesame', /"\$\{X\}"/],
  ['ports: ["${X}:80", "${X}:81"]', '54321', /publishes port \$\{X\}\/tcp twice/],
  ['ports: ["${X}"]', '54321:54322', /publishes its port \$\{X\}/],
  ['command: "${X}"', 'open "sesame', /"\$\{X\}"/],
  ['stop_grace_period: "${X}"', 'sesame', /"\$\{X\}"/],
  ['dns: ["${X}", "${X}"]', 'sesame', /lists "\$\{X\}" twice/],
  ['deploy: {resources: {reservations: {devices: [{capabilities: ["${X}"]}]}}}', 'sesame', /not devices for "?\$\{X\}/],
  ['deploy: {resources: {reservations: {devices: [{capabilities: [gpu], count: "${X}"}]}}}', 'sesame', /"\$\{X\}"/],
  ['gpus: "${X}"', 'sesame', /"\$\{X\}"/],
  ['platform: "${X}"', 'open/sesame', /"\$\{X\}"/],
  ['profiles: ["${X}"]', 'sesame', /COMPOSE_PROFILES=\$\{X\}/],
  ['mem_limit: "${X}"', 'sesame', /"\$\{X\}"/],
  ['pids_limit: "${X}"', 'sesame', /"\$\{X\}"/],
  ['cpus: "${X}"', 'sesame', /"\$\{X\}"/],
  ['label_file: "${X}"', 'sesame', /"\$\{X\}"/],
  ['extends: "${X}"', 'sesame', /\$\{X\}/],
  ['extends: {service: a, file: "${X}"}', 'sesame.yml', /\$\{X\}/],
  ['ports: [{target: 80, published: "${X}"}]', 'sesame', /"\$\{X\}"/],
  ['ports: [{target: 80, published: "81", host_ip: "${X}"}]', 'sesame', /"\$\{X\}"/],
  ['env_file: [{path: "${X}"}]', 'sesame.env', /"\$\{X\}"/],
  ['env_file: ["${X}"]', 'sesame.env', /"\$\{X\}"/],
]

for (const [service, value, expected] of rows) {
  test(`${service} with X=${value} is told as written`, () => {
    const texts = said(/^image:/.test(service) ? service : `image: nginx\n${service}`, { X: value })
    assert.match(texts.join('\n'), expected)
    assert.doesNotMatch(texts.join('\n'), /sesame|5432\d/i)
  })
}

test('names of objects that a variable gives are told as written', () => {
  const top = 'secrets: {s: {name: "${X}", external: true}, t: {name: "${X}", external: true}}'
  const texts = said('image: nginx\nsecrets: [{source: s, target: a}, {source: t, target: a}]', { X: 'Sesame' }, top)
  assert.match(texts.join('\n'), /duplicate secret target for \$\{X\} not allowed, "a" is taken/)
  assert.doesNotMatch(texts.join('\n'), /Sesame/)
  const long = said('image: nginx\nconfigs: [c]', { X: 'Sesame'.repeat(12) }, 'configs: {c: {name: "${X}", file: a}}')
  assert.doesNotMatch(long.join('\n'), /Sesame/)
})

test('files that a variable names are told as written', () => {
  for (const [top, expected] of [
    ['include: ["${X}"]', /\$\{X\}/],
    ['secrets: {s: {file: "${X}"}}', /"\$\{X\}"/],
    ['configs: {c: {environment: "${X}"}}', /"\$\{X\}"/],
  ] as const) {
    const texts = said('image: nginx', { X: 'open/Sesame.yml' }, top).join('\n')
    assert.match(texts, expected)
    assert.doesNotMatch(texts, /Sesame/)
  }
})

test('a message keeps its own words, and the names that the manifest has in clear', () => {
  const service = 'image: "nginx:${TAG}"\nhostname: "${NAME}"\nuser: "${ROLE}"\nlabels: {n: "${N}"}\nsecrets: [nope]'
  const variables = { TAG: '1', NAME: 'web', ROLE: 'service', N: '4' }
  const declare = 'Declare it under the top-level "secrets:", with "external: true" if it exists outside this stack.'
  assert.deepEqual(said(service, variables), [`service web: undefined secret "nope". ${declare}`])
  const own = said('image: nginx\nuser: "${ROLE}"\nsecrets: [servicekey]', variables)
  assert.deepEqual(own, [`service web: undefined secret "servicekey". ${declare}`])
})

test('thousands of variables in thousands of messages take no time to speak of', () => {
  const count = 3000
  const services = Array.from(
    { length: count },
    (_, index) => `  s${index}: {image: nginx, volumes: ["./x\${V${index}}:/x"]}\n`,
  )
  const variables = Object.fromEntries(services.map((_, index) => [`V${index}`, `value${index}`]))
  const { stack } = loadTexts([`services:\n${services.join('')}`], { variables })
  assert.ok(stack)
  const { user: before } = process.cpuUsage()
  const { problems } = convertStack(stack, 'shop')
  assert.ok((process.cpuUsage().user - before) / 1e6 < 4)
  assert.equal(problems.length, count)
  assert.match(problems[0]?.message ?? '', /"\.\/x\$\{V0\}"/)
})
