import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeRecord } from '../../src/history/encodeRecord.ts'
import { releasesOf } from '../../src/history/releases.ts'
import { recordConfig, recordOf } from '../support/releaseRecords.ts'

test('releases come by their number, and a deployed one that another came after is superseded', () => {
  const records = [
    recordConfig(10, 'deployed'),
    recordConfig(2, 'failed'),
    recordConfig(1, 'deployed'),
    recordConfig(9, 'pending-install'),
  ]
  const releases = releasesOf('shop', records, assert.fail)
  assert.deepEqual(
    releases.map(({ record, status, id }) => [record.revision, status, id]),
    [
      [1, 'superseded', 'id-1'],
      [2, 'failed', 'id-2'],
      [9, 'pending-install', 'id-9'],
      [10, 'deployed', 'id-10'],
    ],
  )
})

test('without a label the status is the one stored, and the newest keeps it whatever it is', () => {
  const { Spec, ...config } = recordConfig(1, 'deployed')
  const { 'com.swarmcli.status': _none, ...labels } = Spec.Labels ?? {}
  const releases = releasesOf(
    'shop',
    [{ ...config, Spec: { ...Spec, Labels: labels } }, recordConfig(2, 'failed')],
    assert.fail,
  )
  assert.deepEqual(
    releases.map(({ status }) => status),
    ['superseded', 'failed'],
  )
})

test("what can't be read, or is not what it says, is passed over and named", () => {
  const stranger = recordConfig(3, 'deployed')
  const records = [
    recordConfig(1, 'deployed'),
    { ...recordConfig(2, 'deployed'), Spec: { ...recordConfig(2, 'deployed').Spec, Data: 'AAAA' } },
    // Another stack's content under this one's label; a name that belongs to another number.
    { ...stranger, Spec: { ...stranger.Spec, Data: encoded('other', 3) } },
    { ...stranger, Spec: { ...stranger.Spec, Name: 'swarmcli.release.shop.v4' } },
    { ...stranger, Spec: { ...stranger.Spec, Labels: { 'com.swarmcli.release': 'other' } } },
  ]
  const broken: string[] = []
  const releases = releasesOf('shop', records, (name, reason) => broken.push(`${name}: ${reason}`))
  assert.deepEqual(
    releases.map(({ name }) => name),
    ['swarmcli.release.shop.v1'],
  )
  assert.deepEqual(broken, [
    'swarmcli.release.shop.v2: it is no gzip',
    'swarmcli.release.shop.v3: it says that it is revision 3 of other',
    'swarmcli.release.shop.v4: it says that it is revision 3 of shop',
  ])
})

function encoded(release: string, revision: number): string {
  return Buffer.from(encodeRecord({ ...recordOf(revision), release })).toString('base64')
}
