// What containers wrote stays where the job's log is: in log and summary, nowhere else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commentOf } from '../../src/report/comment.ts'
import { healthHeading, logText } from '../../src/report/containerText.ts'
import { outputsOf } from '../../src/report/outputs.ts'
import { summaryOf } from '../../src/report/summary.ts'
import { failed } from './samples.ts'

const WRITTEN = [/connect: refused/, /config\.yml: no such file/]

test('logs and health output are in the summary, and neither in a comment nor in an output', () => {
  const comment = commentOf(failed, '<!-- x -->', undefined)
  const outputs = JSON.stringify([...outputsOf(failed)])
  for (const text of WRITTEN) {
    assert.match(summaryOf(failed), text)
    assert.doesNotMatch(comment, text)
    assert.doesNotMatch(outputs, text)
  }
})

test('each line of a log has its time to the millisecond, also one that a carriage return makes two of', () => {
  const line = { timestamp: '2026-01-01T00:00:00.123456789Z', stream: 'stdout' as const }
  assert.equal(
    logText([
      { ...line, text: '10%\r20%' },
      { ...line, text: '\x1b[31mred\x1b[0m' },
    ]),
    '2026-01-01T00:00:00.123Z | 10%\n2026-01-01T00:00:00.123Z | 20%\n2026-01-01T00:00:00.123Z | red',
  )
})

test('what became of a health check reads well', () => {
  const heading = (exitCode: number, failures: number, output = 'x') => healthHeading({ exitCode, failures, output })
  assert.equal(heading(1, 3), 'its health check failed 3 times in a row, last with exit code 1:')
  assert.equal(heading(-1, 1), 'its health check failed without an answer:')
  assert.equal(heading(0, 0, ' \n'), 'its health check ended last with exit code 0, and wrote nothing')
})
