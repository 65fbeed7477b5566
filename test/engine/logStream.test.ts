import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLog } from '../../src/engine/logStream.ts'

const at = '2026-11-29T16:49:25.885234697Z'
const later = '2026-11-29T16:49:26Z'

function frame(kind: number, text: string): Buffer {
  const bytes = Buffer.from(text)
  const header = Buffer.from([kind, 0, 0, 0, 0, 0, 0, 0])
  header.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([header, bytes])
}

const linesOf = (...parts: readonly Buffer[]) =>
  readLog(Buffer.concat(parts)).lines.map(({ stream, timestamp, text }) => [stream, timestamp, text])

test('frames are told apart by stream, each line with its time', () => {
  assert.deepEqual(linesOf(frame(1, `${at} out\n`), frame(2, `${later} ärr\n`)), [
    ['stdout', at, 'out'],
    ['stderr', later, 'ärr'],
  ])
})

test('a carriage return ends a line, and CRLF is one end', () => {
  assert.deepEqual(linesOf(frame(1, `${at} 10%\r50%\r100%\r\n`), frame(1, `${at} done\r\n`)), [
    ['stdout', at, '10%'],
    ['stdout', at, '50%'],
    ['stdout', at, '100%'],
    ['stdout', at, 'done'],
  ])
})

test('an empty line stays a line', () => {
  assert.deepEqual(linesOf(frame(1, `${at} \n`)), [['stdout', at, '']])
})

test('a long line in pieces is one line', () => {
  assert.deepEqual(linesOf(frame(1, `${at} ${'a'.repeat(16_384)}`), frame(1, `${later} bb\n`)), [
    ['stdout', at, `${'a'.repeat(16_384)}bb`],
  ])
})

test('a terminal’s log has no frames', () => {
  assert.deepEqual(linesOf(Buffer.from(`${at} one\r\n${later} two\r\n`)), [
    ['stdout', at, 'one'],
    ['stdout', later, 'two'],
  ])
})

test('no log is no lines, and a frame cut off at the end is taken as far as it goes', () => {
  assert.deepEqual(linesOf(), [])
  assert.deepEqual(linesOf(frame(1, `${at} half of it\n`).subarray(0, 8 + at.length + 5)), [['stdout', at, 'half']])
})

test('what the daemon itself reports is kept apart', () => {
  const { lines, trouble } = readLog(Buffer.concat([frame(1, `${at} a\n`), frame(3, 'node gone')]))
  assert.equal(lines.length, 1)
  assert.equal(trouble, 'node gone')
})
