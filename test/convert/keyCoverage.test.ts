import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { goldenFixtures } from '../support/convertFixtures.ts'
import { effectiveKeys } from './effectiveKeys.ts'

/** Below these stand names that the author chose. */
const named = /^(?:services|networks|volumes|secrets|configs|services\.\*\.(?:networks|ulimits))$/

function keysOf(value: unknown, prefix: string, found: Set<string>): Set<string> {
  if (Array.isArray(value)) for (const item of value) keysOf(item, `${prefix}[]`, found)
  else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      const name = named.test(prefix) ? '*' : key
      const place = prefix === '' ? name : `${prefix}.${name}`
      found.add(place)
      keysOf(inner, place, found)
    }
  }
  return found
}

test('every key that has an effect in a swarm occurs in a manifest with a golden', () => {
  const found = new Set<string>()
  for (const { directory, files } of goldenFixtures()) {
    for (const file of files) keysOf(parse(fs.readFileSync(path.join(directory, file), 'utf8')), '', found)
  }
  assert.deepEqual(
    effectiveKeys.filter((key) => !found.has(key)),
    [],
  )
})
