import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logOutcome } from '../../src/report/finalLog.ts'
import { createLog } from '../../src/report/log.ts'
import { createRedactor } from '../../src/report/redactor.ts'
import { failed } from './samples.ts'

test('as many lines of a log are shown as `log-lines` may ask for', () => {
  const text: string[] = []
  const redactor = createRedactor()
  const log = createLog({ redactor, write: (line) => text.push(line) })
  const logs = Array.from({ length: 10_000 }, (_, index) => ({
    timestamp: '2026-01-01T00:00:00Z',
    stream: 'stdout' as const,
    text: `line ${index}`,
  }))
  const services = failed.services.map((service) => ({
    ...service,
    diagnosis: service.diagnosis && {
      ...service.diagnosis,
      tasks: service.diagnosis.tasks.slice(0, 1).map((task) => ({ ...task, logs })),
    },
  }))
  logOutcome(log, redactor, { ...failed, services })
  const shown = new Set(text.map((line) => /^ {2}2026-01-01T00:00:00Z \| (line \d+)\n$/.exec(line)?.[1]))
  for (const index of [0, 1, 5000, 9999]) assert.ok(shown.has(`line ${index}`), String(index))
})
