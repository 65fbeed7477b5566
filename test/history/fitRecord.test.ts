import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { decodeRecord } from '../../src/history/decodeRecord.ts'
import { encodeRecord } from '../../src/history/encodeRecord.ts'
import { fitRecord } from '../../src/history/fitRecord.ts'
import { LARGEST_RECORD } from '../../src/history/record.ts'
import { recordOf } from '../support/releaseRecords.ts'

/** Random bytes in base64 compress to little more than themselves. */
const noise = (bytes: number): Buffer => randomBytes(bytes)

test('the limit is 500 KiB, compressed', () => {
  assert.equal(LARGEST_RECORD, 512_000)
  const long = recordOf(1, { manifest: '# comment\n'.repeat(1_000_000) })
  assert.deepEqual(fitRecord(long), { record: long })
})

test('a record that its files make too large is written without them, and says which are missing', () => {
  const files = new Map([
    ['small.conf', noise(1000)],
    ['large.conf', noise(600_000)],
  ])
  const { record, warning } = fitRecord(recordOf(1, { files }))
  assert.equal(record?.files.size, 0)
  assert.deepEqual(record?.values.omitted, ['large.conf', 'small.conf'])
  assert.match(warning?.message ?? '', /without its files.*large\.conf \(600000 bytes\), small\.conf \(1000 bytes\)/)
  assert.ok(record !== undefined && encodeRecord(record).length < 1000)
})

test('what would not be read again for its size is not written either', () => {
  const files = new Map(Array.from({ length: 30 }, (_, n) => [`${n}.conf`, Buffer.alloc(500_000, 'a')] as const))
  const { record, warning } = fitRecord(recordOf(1, { files }))
  assert.equal(record?.files.size, 0)
  assert.match(warning?.message ?? '', /without its files.*16777216/)
  const fewer = recordOf(1, { files: new Map([...files].slice(0, 20)) })
  assert.equal(decodeRecord(encodeRecord(fitRecord(fewer).record ?? assert.fail())).files.size, 20)
})

test('one whose manifest alone is too large is not written', () => {
  const manifest = `# ${noise(600_000).toString('base64')}\n`
  for (const files of [new Map(), new Map([['a', noise(10)]])]) {
    const { record, warning } = fitRecord(recordOf(1, { manifest, files }))
    assert.equal(record, undefined)
    assert.match(warning?.message ?? '', /no release record is written.*512000/)
  }
})

test('a name that Swarm would refuse is not tried', () => {
  const fits = 64 - 'swarmcli.release..v10'.length
  assert.ok(fitRecord(recordOf(10, { release: 'a'.repeat(fits) })).record !== undefined)
  const { record, warning } = fitRecord(recordOf(10, { release: 'a'.repeat(fits + 1) }))
  assert.equal(record, undefined)
  assert.match(warning?.message ?? '', /65 characters/)
})
