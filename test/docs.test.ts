import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { INPUTS } from '../src/inputs/table.ts'
import { OUTPUT_NAMES } from '../src/report/outputs.ts'

const root = path.resolve(import.meta.dirname, '..')

test('the pages on inputs, outputs, the manifest and the backend are what action.yml and the code say', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
})

test('every input is a row of docs/inputs.md with its default', () => {
  const rows = rowsOf('docs/inputs.md')
  for (const [name, { default: standard }] of Object.entries(INPUTS)) {
    const [, , shown = ''] = rows.get(`\`${name}\``) ?? assert.fail(`no row for ${name}`)
    assert.equal(shown.trim(), standard === '' ? '' : `\`${standard}\``, name)
  }
})

test('every output is a row of docs/outputs.md', () => {
  const rows = rowsOf('docs/outputs.md')
  for (const name of OUTPUT_NAMES) assert.ok(rows.has(`\`${name}\``), name)
})

test('every difference in docs/compatibility.md is held by a test that exists', () => {
  const [, ...sections] = readFileSync(path.join(root, 'docs/compatibility.md'), 'utf8').split('\n## ')
  const rows = sections
    .filter((section) => !section.startsWith('Not yet'))
    .flatMap((section) => section.split('\n').filter((line) => /^\| (?!Where \|)/.test(line)))
  assert.ok(rows.length > 15)
  for (const row of rows) {
    const named = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file)
    assert.ok(named.length > 0, `no test in: ${row}`)
    for (const file of named) assert.ok(existsSync(path.join(root, file)), `${file} does not exist: ${row}`)
  }
})

function rowsOf(file: string): ReadonlyMap<string, readonly string[]> {
  const lines = readFileSync(path.join(root, file), 'utf8').split('\n')
  const rows = lines.filter((line) => line.startsWith('| `')).map((line) => line.split(/(?<!\\)\|/))
  return new Map(rows.map((cells) => [cells[1]?.trim() ?? '', cells]))
}
