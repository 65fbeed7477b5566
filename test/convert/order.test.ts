// In which order the services of a manifest are to be written, and which orders there can't be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertStack } from '../../src/convert/convertStack.ts'
import { loadTexts, problemLines } from '../support/composeFiles.ts'

/** `b` of wave 1, sequential, after a and c: `b 1 sequential < a c`; nothing of services without an order. */
function convert(services: string, variables = {}) {
  const result = loadTexts([`services:\n${services}`], { variables })
  assert.ok(result.stack, problemLines(result).join('\n'))
  const { spec, problems } = convertStack(result.stack, 'shop')
  return {
    orders: spec?.services.flatMap(({ key, order }) =>
      order === undefined
        ? []
        : [`${key} ${order.wave}${order.isSequential ? ' sequential' : ''}${['', ...order.after].join(' < ')}`],
    ),
    said: problems.map(
      ({ severity, position, message }) => `${severity} ${position?.line}:${position?.column} ${message}`,
    ),
    remedies: problems.map(({ remedy }) => remedy),
  }
}

const service = (name: string, keys = '', labels = ''): string =>
  `  ${name}: {image: x${keys && `, ${keys}`}${labels && `, deploy: {labels: {${labels}}}`}}\n`
const wave = (number: number | string): string => `com.swarmcli.wave: ${number}`
const sequential = 'com.swarmcli.rollout: sequential'
const job = (name: string): string => `  ${name}: {image: x, deploy: {mode: replicated-job}}\n`

for (const [what, manifest, orders, said] of [
  ['no label: no order', service('a') + service('b'), [], []],
  [
    'depends_on without a label orders nothing, and one warning says so',
    service('a', 'depends_on: [b, nobody]') + service('b', 'depends_on: {a: {}}'),
    [],
    ['warning 2:17 "depends_on" is ignored (so are 1 more): Swarm starts services in no order'],
  ],
  ['an empty depends_on is none', service('a', 'depends_on: []'), [], []],
  [
    'waves, as numbers and as text, negative ones too',
    service('a', '', wave(2)) + service('b', '', wave('"-1"')) + service('c'),
    ['a 2', 'b -1'],
    [],
  ],
  ['sequential', service('a', '', sequential), ['a 0 sequential'], []],
  ['labels as a list', '  a: {image: x, deploy: {labels: ["com.swarmcli.wave=3"]}}\n', ['a 3'], []],
  [
    'what a labelled service depends on comes first, and what that depends on',
    service('app', 'depends_on: {db: {condition: service_healthy}}', wave(1)) +
      service('db', 'depends_on: [disk]') +
      service('disk') +
      service('other'),
    ['app 1 < db < disk', 'db 0 < disk', 'disk 0'],
    [],
  ],
  [
    'what has no wave itself is drawn into an earlier one',
    service('migrate', 'depends_on: [db]', wave(-1)) + service('db', 'depends_on: [disk]') + service('disk'),
    ['db -1 < disk', 'disk -1', 'migrate -1 < db < disk'],
    [],
  ],
  [
    'a service that need not be there, and the end of a job',
    service('app', 'depends_on: {gone: {required: false}, job: {condition: service_completed_successfully}}', wave(1)) +
      job('job'),
    ['app 1 < job', 'job 0'],
    [],
  ],
  [
    'the end of what does not end is warned of',
    service('app', 'depends_on: {db: {condition: service_completed_successfully}}', sequential) + service('db'),
    ['app 0 sequential < db', 'db 0'],
    ['warning 2:32 service app waits for the end of db, which is no job: it counts as ready once it runs steadily'],
  ],
  [
    'a label of the containers',
    `  a:\n    image: x\n    labels: {${wave(1)}, ${sequential}}\n`,
    [],
    ['warning 4:5 service a: com.swarmcli.wave and com.swarmcli.rollout as a label of its containers orders nothing'],
  ],
  [
    'labels that say nothing',
    service('a', '', wave('soon')) + service('b', '', wave(1.5)) + service('c', '', 'com.swarmcli.rollout: true'),
    undefined,
    [
      'error 2:26 service a: the label "com.swarmcli.wave" is "soon", and not a whole number of at most six digits',
      'error 3:26 service b: the label "com.swarmcli.wave" is "1.5", and not a whole number of at most six digits',
      'error 4:26 service c: the label "com.swarmcli.rollout" is "true", which says nothing',
    ],
  ],
  [
    'a name that no service has',
    service('app', 'depends_on: [databose]', wave(1)) + service('database'),
    undefined,
    ['error 2:32 service app depends on "databose", which is no service of the stack (did you mean "database"?)'],
  ],
  [
    'itself',
    service('a', 'depends_on: [a]', wave(1)),
    undefined,
    ['error 2:30 services depend on each other in a circle: a → a'],
  ],
  [
    'circles, each told once',
    service('a', 'depends_on: [b]', wave(1)) +
      service('b', 'depends_on: [c]') +
      service('c', 'depends_on: [b]') +
      service('d', 'depends_on: [e]', sequential) +
      service('e', 'depends_on: [d]'),
    undefined,
    [
      'error 4:30 services depend on each other in a circle: b → c → b',
      'error 6:30 services depend on each other in a circle: d → e → d',
    ],
  ],
  [
    'waves against depends_on',
    service('app', 'depends_on: [db]', wave(1)) +
      service('db', '', wave(2)) +
      service('x', 'depends_on: [db]', sequential),
    undefined,
    [
      'error 2:32 service app of wave 1 depends on db of wave 2, which comes later',
      'error 4:30 service x of wave 0 depends on db of wave 2, which comes later',
    ],
  ],
] as const) {
  test(`order: ${what}`, () => {
    const found = convert(manifest)
    assert.deepEqual([found.orders, found.said], [orders, said])
    for (const remedy of found.remedies) assert.match(remedy ?? '', /\S/)
  })
}

test('a wave from a variable is shown as it is written', () => {
  const { orders, said } = convert(service('a', '', `com.swarmcli.wave: "\${WAVE}"`), { WAVE: 'planted-value' })
  assert.equal(orders, undefined)
  assert.doesNotMatch(said.join('\n'), /planted-value/)
})

test('a chain of a thousand services is put in order', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `s${String(index).padStart(4, '0')}`)
  const chain = names.map((name, index) =>
    service(name, index === 0 ? '' : `depends_on: [${names[index - 1]}]`, index === 999 ? sequential : ''),
  )
  assert.equal(convert(chain.join('')).orders?.length, 1000)
})
