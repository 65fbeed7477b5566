// A record's form, which swarmcli reads: a golden, the way back, and what strangers may put in its place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { decodeRecord } from '../../src/history/decodeRecord.ts'
import { encodeRecord } from '../../src/history/encodeRecord.ts'
import type { ReleaseRecord } from '../../src/history/record.ts'
import { recordLabels } from '../../src/history/recordLabels.ts'

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`

const record: ReleaseRecord = {
  release: 'shop',
  revision: 7,
  status: 'deployed',
  chart: { name: 'shop', version: '1e40000000000000000000000000000000000000' },
  values: {
    manifests: ['deploy/stack.yml'],
    variables: ['DB_PASSWORD', 'TAG'],
    images: new Map([['web', `nginx:1.27@${digest}`]]),
    secrets: new Map([['db', 'shop_db-0a1b2c3d']]),
    configs: new Map([['y', 'shop_y']]),
    omitted: [],
  },
  manifest: `services:\n  web:\n    image: nginx:$\{TAG}\n    command: ["a: b", "#"]\n`,
  created: '2026-05-01T12:00:00Z',
  owner: 'gha/octocat/shop:release/shop',
  files: new Map([
    ['deploy/y.conf', Buffer.from('\u0000\u00ffbinary')],
    ['deploy/b.conf', Buffer.from('hello\n')],
  ]),
}

const golden = `release: shop
revision: 7
status: deployed
chart:
    name: shop
    version: "1e40000000000000000000000000000000000000"
values:
    manifests:
        - deploy/stack.yml
    variables:
        - DB_PASSWORD
        - TAG
    images:
        web: nginx:1.27@${digest}
    secrets:
        db: shop_db-0a1b2c3d
    configs:
        "y": shop_y
manifest: |
    services:
      web:
        image: nginx:\${TAG}
        command: ["a: b", "#"]
created: "2026-05-01T12:00:00Z"
namespace: shop
owner: gha/octocat/shop:release/shop
files:
    deploy/b.conf: aGVsbG8K
    deploy/y.conf: AMO/YmluYXJ5
`

test('a record is gzip of YAML in the keys and the order of the chart engine', () => {
  assert.equal(gunzipSync(encodeRecord(record)).toString(), golden)
})

test('what is empty is left out', () => {
  const { values } = record
  const none = new Map<string, string>()
  const bare: ReleaseRecord = {
    ...record,
    owner: undefined,
    files: new Map(),
    values: { ...values, variables: [], images: none, secrets: none, configs: none },
  }
  assert.deepEqual(Object.keys(parse(gunzipSync(encodeRecord(bare)).toString())), [
    ...['release', 'revision', 'status', 'chart', 'values', 'manifest', 'created', 'namespace'],
  ])
  assert.deepEqual(decodeRecord(encodeRecord(bare)), bare)
})

test('the labels are those of the chart engine, and never that of the stack', () => {
  assert.deepEqual(recordLabels(record, 'pending-install'), {
    'com.swarmcli.type': 'release',
    'com.swarmcli.release': 'shop',
    'com.swarmcli.chart': 'shop',
    'com.swarmcli.chart.version': '1e40000000000000000000000000000000000000',
    'com.swarmcli.revision': '7',
    'com.swarmcli.status': 'pending-install',
    'com.swarmcli.created': '2026-05-01T12:00:00Z',
    'com.swarmcli.owner': 'gha/octocat/shop:release/shop',
  })
  assert.ok(!('com.swarmcli.owner' in recordLabels({ ...record, owner: undefined }, 'deployed')))
})

test('what is written is read again as it was', () => {
  assert.deepEqual(decodeRecord(encodeRecord(record)), record)
})

const texts: readonly (readonly [what: string, text: string])[] = [
  ['ends of lines as Windows has them', 'services:\r\n  web:\r\n    image: a\r\n'],
  ['a lone CR', 'a: 1\rb: 2\n'],
  ['an indented first line', '  services:\n    web: {}\n'],
  ['an empty first line', '\n\nservices: {}\n'],
  ['no end of line at the end', 'services: {}'],
  ['several at the end', 'services: {}\n\n\n'],
  ['blanks at the end', 'services: {}  \n  \n'],
  ['tabs', 'a: 1\t# x\n\t\n'],
  ['ends of documents', '---\nservices: {}\n...\n---\n# late\n'],
  ['marks of other alphabets', 'a: "\u2028 \u0085 \u{1f600} \ufeff"\n'],
  ['long lines', `a: ${'word '.repeat(500)}\n`],
]

for (const [what, manifest] of texts) {
  test(`a manifest keeps ${what}`, () => {
    assert.equal(decodeRecord(encodeRecord({ ...record, manifest })).manifest, manifest)
    const yaml = gunzipSync(encodeRecord({ ...record, manifest })).toString()
    for (const version of ['1.1', '1.2'] as const) assert.equal(parse(yaml, { version }).manifest, manifest, version)
  })
}

test('a record of swarmcli is read, though its values are of other kinds', () => {
  const theirs = `release: shop
revision: 3
status: deployed
chart:
    name: web
    version: 1.2.3
    appVersion: "9"
values:
    replicas: 3
    images: [not, a, map]
    manifests:
        deep: true
manifest: |
    services: {}
created: 2026-05-01T12:00:00Z
namespace: shop
managedNetworks:
    - front
`
  const { chart, values, manifest, created, owner } = decodeRecord(gzipSync(theirs))
  assert.deepEqual(chart, { name: 'web', version: '1.2.3' })
  assert.deepEqual([values.images.size, values.manifests], [0, []])
  assert.deepEqual([manifest, created, owner], ['services: {}\n', '2026-05-01T12:00:00Z', undefined])
})

const broken: readonly (readonly [what: string, data: Uint8Array, reason: RegExp])[] = [
  ['nothing', Buffer.alloc(0), /no gzip/],
  ['no gzip', Buffer.from(golden), /no gzip/],
  ['half of one', encodeRecord(record).subarray(0, 200), /no gzip/],
  ['a bomb', gzipSync(Buffer.alloc(17 * 1024 * 1024)), /more than 16 MiB/],
  ['no YAML', gzipSync('a: [1\nb: }'), /no YAML/],
  ['aliases that multiply', gzipSync('a: &a [1,2]\nb: &b [*a,*a]\nc: [*b,*b]\n'), /no YAML/],
  ['a million small things', gzipSync(`${golden}more:\n${'- a\n'.repeat(1_000_000)}`), /more than 200000 parts/],
  ['brackets without end', gzipSync(`${golden}more: ${'['.repeat(1_000_000)}`), /more than 200000 parts/],
  ['another thing', gzipSync('- 1\n'), /lacks/],
  ['no revision', gzipSync(golden.replace('revision: 7', 'revision: x')), /lacks/],
  ['a revision of half', gzipSync(golden.replace('revision: 7', 'revision: 0.5')), /lacks/],
]

for (const [what, data, reason] of broken) {
  test(`no record: ${what}`, () => {
    assert.throws(() => decodeRecord(data), reason)
  })
}
