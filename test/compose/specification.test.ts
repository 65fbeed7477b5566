// What the Compose Specification has beyond the docker CLI: translated, or ignored with one warning that says so.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadTexts, problemLines, saidOf } from '../support/composeFiles.ts'

test('the name of the stack: the last file that has one counts, and an emptied one is not passed over', () => {
  const named = (...texts: readonly string[]) => loadTexts(texts, { variables: { STAGE: 'test' } }).stack?.name
  assert.equal(named('services: {}'), undefined)
  assert.equal(named('name: shop\nservices: {}', 'services: {}'), 'shop')
  assert.equal(named('name: shop', 'name: "shop-${STAGE}"'), 'shop-test')
  assert.equal(named('name: "${GONE}"'), '')
  assert.deepEqual(problemLines(loadTexts(['name: 1'])), [
    'error 1.yml:1:7 name must be a string, but it is the integer 1',
  ])
})

test('conditions of depends_on are ignored like depends_on itself', () => {
  assert.deepEqual(saidOf('depends_on: {x: {condition: service_healthy, restart: true, required: false}, y: }'), [
    'warning 4:5 "depends_on" is ignored: Swarm starts services in no order',
  ])
})

const profiled = `services:
  a: {image: x}
  b: {image: x, profiles: [debug, test]}
  c: {image: x, profiles: ["\${P}"]}
`

test('services of profiles that are not active are left out, which is said once', () => {
  const result = loadTexts([profiled], { variables: { P: 'ci' } })
  assert.deepEqual(
    result.stack?.services.map(({ name }) => name),
    ['a'],
  )
  assert.deepEqual(problemLines(result), [
    'warning 1.yml:3:17 "profiles": these services are left out, as none of the profiles is active: b, c',
  ])
  for (const [active, names] of [
    ['test', ['a', 'b']],
    ['ci, debug', ['a', 'b', 'c']],
    ['*', ['a', 'b', 'c']],
  ] as const) {
    const { stack } = loadTexts([profiled], { variables: { P: 'ci', COMPOSE_PROFILES: active } })
    assert.deepEqual(
      stack?.services.map(({ name }) => name),
      names,
    )
  }
})
