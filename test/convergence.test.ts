// What docs/convergence.md tells is what the code says of recorded states.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { FailureCode } from '../src/errors.ts'
import { assess } from '../src/health/assess.ts'
import { causeOf } from '../src/health/causes.ts'
import { remedies } from '../src/health/remedies.ts'
import { diagnose } from '../src/rollout/diagnose.ts'
import { timeoutSentence } from '../src/rollout/timeout.ts'
import { fixture, fixtures } from './health/fixture.ts'
import { type CliAnswer, matrixSections, matrixTables } from './support/matrixTable.ts'

const page = fs.readFileSync(path.resolve(import.meta.dirname, '..', 'docs', 'convergence.md'), 'utf8')

/** Those that only come before there is anything to watch. */
const NOT_OF_A_WATCH: readonly FailureCode[] = [
  'input',
  'manifest',
  'unsupported',
  'connection',
  'host-key',
  'authentication',
  'not-a-manager',
  'forbidden',
  'engine',
  'cancelled',
  'internal',
]

const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (.+) \| (.+) \|$/gm)]
  .map(([, code = '', message = '', remedy = '']) => ({ code, message, remedy }))
  .filter(({ code }) => code in remedies)

/** `code message` of every recorded state, as a run would tell it when it fails or the time is up. */
async function messages(): Promise<ReadonlySet<string>> {
  const told = new Set<string>()
  for (const { expectation, snapshot } of fixtures()) {
    const verdict = assess(expectation, snapshot)
    if (verdict.condition === 'failed') told.add(`${verdict.code} ${verdict.sentence}`)
    if (verdict.condition === 'progressing') told.add(`${verdict.code ?? 'timeout'} ${timeoutSentence([verdict])}`)
  }
  const { expectation, snapshot } = fixture('slow-starting')
  const later = assess(expectation, { ...snapshot, now: snapshot.now + 70_000 })
  told.add(`${later.code} ${timeoutSentence([later])}`)
  const killed = fixture('oom-once')
  const engine = {
    taskLogs: async () => [],
    inspectContainer: async (Id: string) => ({ Id, State: { OOMKilled: true } }),
  }
  const { code, sentence } = await diagnose(engine, assess(killed.expectation, killed.snapshot), killed.snapshot, {
    localNode: undefined,
    logLines: 0,
  })
  told.add(`${code} ${sentence}`)
  return told
}

test('every reason for which a wait may fail is a row, with its advice', () => {
  const expected = Object.keys(remedies).filter((code) => !NOT_OF_A_WATCH.some((one) => one === code))
  assert.deepEqual(rows.map(({ code }) => code).sort(), expected.sort())
  for (const { code, remedy } of rows) assert.equal(remedy, remedies[code as FailureCode], code)
})

test('every message that the page shows is what the code says of a recorded state, or a text of dockerd that it reads so', async () => {
  const told = await messages()
  for (const { code, message } of rows) {
    assert.ok(told.has(`${code} ${message}`) || causeOf(message)?.code === code, `${code}: ${message}`)
  }
})

test('the tables beside the docker CLI show all rows that the live tests hold, and what the CLI answered to each', () => {
  const file = path.resolve(import.meta.dirname, 'fixtures', 'cliMatrix.json')
  const recorded: Record<string, CliAnswer> = JSON.parse(fs.readFileSync(file, 'utf8'))
  const labels = Object.values(matrixSections)
    .flat()
    .map(({ label }) => label)
  assert.deepEqual(Object.keys(recorded).sort(), labels.sort())
  assert.ok(page.includes(`\n${matrixTables(recorded)}\n`), '`npm run test:cli` writes them')
})
