import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'

/** Holds a rendered text against its file in test/fixtures/report; `UPDATE_GOLDENS=1` writes the file anew. */
export function assertGolden(name: string, actual: string): void {
  const file = new URL(`../fixtures/report/${name}`, import.meta.url)
  if (process.env.UPDATE_GOLDENS === '1') writeFileSync(file, actual)
  assert.equal(actual, readFileSync(file, 'utf8'))
}
