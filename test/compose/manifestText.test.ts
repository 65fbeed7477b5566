// What a plan may show of a manifest's values: only what its files hold in plain text.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manifestText } from '../../src/compose/manifestText.ts'

const source = `services:
  web:
    environment:
      PLAIN: debug
      PASSWORD: \${DB_PASSWORD}
    command: run --password=\${DB_PASSWORD} --pin=\${PIN} --name "a b"
`
const texts = new Map([['hunter2', '${DB_PASSWORD}']])
const values = new Map([
  ['hunter2', 'DB_PASSWORD'],
  ['12', 'PIN'],
])
const show = manifestText({ values, texts }, [Buffer.from(source)])

const cases: readonly (readonly [what: string, value: string, shown: string | undefined])[] = [
  ['plain text', 'debug', 'debug'],
  ['a whole text with a variable', 'hunter2', '${DB_PASSWORD}'],
  ['what a variable held, alone', '12', '${PIN}'],
  ['a word with a variable in it', '--password=hunter2', '--password=${DB_PASSWORD}'],
  ['a word with a short value in it', '--pin=12', undefined],
  ['a value of an env file', 'from-a-file', undefined],
  ['nothing', '', ''],
]

test('a value stands beside its key, or somewhere else by chance', () => {
  assert.equal(show('debug', 'PLAIN'), 'debug')
  assert.equal(show('debug', 'PASSWORD'), undefined)
  assert.equal(show('hunter2', 'PASSWORD'), '${DB_PASSWORD}')
})

for (const [what, value, shown] of cases) test(what, () => assert.equal(show(value), shown))
