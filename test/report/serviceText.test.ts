import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServiceOutcome } from '../../src/report/outcome.ts'
import { countText } from '../../src/report/serviceText.ts'

const counts: readonly (readonly [string, running: number, completed: number, desired: number, text: string])[] = [
  ['replicated', 2, 0, 3, '2/3'],
  ['global', 0, 0, 0, '0/0'],
  ['replicated job', 1, 2, 4, '2/4 completed'],
  ['global job', 0, 0, 2, '0/2 completed'],
  // What runs once and is not restarted.
  ['replicated', 0, 1, 1, '1/1 completed'],
  ['global', 1, 1, 2, '2/2 running or completed'],
]

for (const [mode, running, completed, desired, text] of counts) {
  test(`${running} running and ${completed} completed of ${desired} (${mode}) read ${text}`, () => {
    const service: ServiceOutcome = {
      name: 'web',
      mode,
      image: 'nginx',
      running,
      desired,
      completed,
      state: 'converged',
      reason: '',
    }
    assert.equal(countText(service), text)
  })
}
