import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inManifestOrder } from '../../src/commands/manifest.ts'

test('services come as the files of the input have them, those of included files last', () => {
  const at = (file: string, line: number, column = 1) => ({ position: { file, line, column } })
  const wanted = [
    at('b.yml', 9),
    at('b.yml', 10),
    at('a.yml', 1, 2),
    at('a.yml', 1, 7),
    at('lib/c.yml', 3),
    at('lib/d.yml', 2),
  ]
  const order = inManifestOrder({ inputs: { manifest: ['b.yml', './a.yml'] }, workspace: '/w' })
  assert.deepEqual([...wanted].reverse().sort(order), wanted)
})
