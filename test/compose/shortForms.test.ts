// The short syntaxes, as observed on the docker CLI 28.2.2.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseByteSize } from '../../src/compose/byteSize.ts'
import { parseGoDuration } from '../../src/compose/goDuration.ts'
import { parseNanoCpus } from '../../src/compose/nanoCpus.ts'
import { shellWords } from '../../src/compose/shellWords.ts'
import { parseShortPort } from '../../src/compose/shortPort.ts'
import { saidOf, serviceOf } from '../support/composeFiles.ts'

/** `published:target/protocol`, several separated by blanks; undefined: refused. */
const ports: readonly (readonly [text: string, ports: string | undefined])[] = [
  ['80', '0:80/tcp'],
  ['8080:80', '8080:80/tcp'],
  ['53:53/udp', '53:53/udp'],
  ['80:80/', '80:80/tcp'],
  ['80:80/TCP', '80:80/tcp'],
  ['9:9/sctp', '9:9/sctp'],
  ['80/tcp/x', '0:80/tcp'],
  [':80', '0:80/tcp'],
  ['::80', '0:80/tcp'],
  ['0080:080', '80:80/tcp'],
  ['0', '0:0/tcp'],
  ['7000-7002:80', '7000:80/tcp 7001:80/tcp 7002:80/tcp'],
  ['8-10:8-10', '10:10/tcp 8:8/tcp 9:9/tcp'],
  ['3000-3001', '0:3000/tcp 0:3001/tcp'],
  ['1.2.3.4:81:80', '81:80/tcp'],
  ['1.2.3.4::80', '0:80/tcp'],
  ['[::1]:81:80', '81:80/tcp'],
  ['::1:81:80', '81:80/tcp'],
  ['80:', undefined],
  ['', undefined],
  ['+80', undefined],
  [' 80', undefined],
  ['80-80:1-2', undefined],
  ['1:1-2', undefined],
  ['3-2', undefined],
  ['65536', undefined],
  ['80/icmp', undefined],
  ['localhost:81:80', undefined],
  ['01.2.3.4:81:80', undefined],
  ['80:80:80:80', undefined],
  ['1::2::3:81:80', undefined],
  ['::ffff:1.2.3.4:81:80', '81:80/tcp'],
  ['published=80,target=80', undefined],
]

for (const [text, expected] of ports) {
  test(`port "${text}"`, () => {
    const parsed = parseShortPort(text)
    const shown =
      typeof parsed === 'string'
        ? undefined
        : parsed.ports.map((port) => `${port.published}:${port.target}/${port.protocol}`)
    assert.equal(shown?.join(' '), expected)
  })
}

test('an address of a port is ignored with a warning, unless it means all', () => {
  assert.match(
    saidOf('ports: ["127.0.0.1:80:80"]').join(),
    /^warning 4:13 the IP address of the port "127\.0\.0\.1:80:80" is ignored/,
  )
  assert.deepEqual(saidOf('ports: ["0.0.0.0:80:80", "[::]:81:80"]'), [])
})

test('long ports are taken as they are', () => {
  const [port] = serviceOf('ports: [{target: 80, published: 8080, protocol: FOO, mode: host}]').ports
  assert.deepEqual(
    { ...port, place: undefined },
    { target: 80, published: 8080, protocol: 'FOO', mode: 'host', place: undefined },
  )
})

/** `type source>target flags`; undefined: refused. */
const volumes: readonly (readonly [text: string, volume: string | undefined])[] = [
  ['a', 'volume >a'],
  ['::', 'volume >::'],
  ['/data', 'volume >/data'],
  ['a:b', 'volume >a:b'],
  ['c:/x', 'volume >c:/x'],
  ['data:/d', 'volume data>/d'],
  ['xx:c', 'volume xx>c'],
  ['xx:c:/d', 'volume xx>c:/d'],
  ['d:/x:ro', 'bind d:/x>ro'],
  ['d:/x:e:/y:ro', 'bind d:/x>e:/y ro'],
  ['/a:/b', 'bind /a>/b'],
  ['/a/../c/:/b', 'bind /a/../c/>/b'],
  ['./a/../c/:/b', 'bind /w/c>/b'],
  ['~/a:/b', 'bind /h/a>/b'],
  ['~foo/a:/b', 'bind /hfoo/a>/b'],
  ['.:/b:rw', 'bind /w>/b'],
  ['data:/d:ro,nocopy,z,rshared', 'volume data>/d ro nocopy rshared'],
  ['data:/d:x', 'volume data>/d'],
  ['data:/d:', undefined],
  ['data::ro', undefined],
  ['data:/d:ro:z', undefined],
  ['', undefined],
]

for (const [text, expected] of volumes) {
  test(`volume "${text}"`, () => {
    const body = `volumes: [${JSON.stringify(text)}]`
    if (expected === undefined) {
      assert.match(saidOf(body).join(), /^error 4:15 ".*" is no volume/)
      return
    }
    const [volume] = serviceOf(body, { home: '/h' }).volumes
    assert.ok(volume)
    const flags = [
      volume.readOnly && ' ro',
      volume.volume?.nocopy && ' nocopy',
      volume.bind && ` ${volume.bind.propagation}`,
    ]
    assert.equal(`${volume.type} ${volume.source}>${volume.target}${flags.filter(Boolean).join('')}`, expected)
  })
}

test('a relative bind source keeps what the file says beside the path of the runner', () => {
  const [relative, absolute] = serviceOf('volumes: ["./a:/b", "/c:/d"]').volumes
  assert.deepEqual([relative?.source, relative?.writtenSource], ['/w/a', './a'])
  assert.deepEqual([absolute?.source, absolute?.writtenSource], ['/c', undefined])
})

test('Windows sources are absolute, other types are not resolved', () => {
  const sources = ['bind,C:\\x', 'bind,\\\\host\\share\\x', 'npipe,.\\x', 'bind,x'].map((text) => {
    const [type, source] = text.split(',')
    return serviceOf(`volumes: [{type: ${type}, source: '${source}', target: /x}]`).volumes[0]?.source
  })
  assert.deepEqual(sources, ['C:\\x', '\\\\host\\share\\x', '.\\x', '/w/x'])
})

for (const [text, words] of [
  ['a b', ['a', 'b']],
  ['a \'\' "" b\'c\'"d e" f\\ g #x y', ['a', '', '', 'bcd e', 'f g']],
  ['a#b #c\nd', ['a#b', 'd']],
  ['"c\\nd" \'c\\nd\'', ['cnd', 'c\\nd']],
  ['', []],
  ['a "b', 'the quote " is never closed'],
  ['a \\', 'it ends with a backslash that nothing follows'],
] as const) {
  test(`the command ${JSON.stringify(text)}`, () => assert.deepEqual(shellWords(text), words))
}

for (const [text, nanoseconds] of [
  ['1h32m3.5s', 5_523_500_000_000n],
  ['0', 0n],
  ['-1.5h', -5_400_000_000_000n],
  ['+5s', 5_000_000_000n],
  ['1us2µs3ns', 3003n],
  ['.5s', 500_000_000n],
  ['1.s', 1_000_000_000n],
  ['0.0000000019s', 1n],
  ['2562047h47m16.854775807s', 9_223_372_036_854_775_807n],
  ['2562047h47m16.854775808s', undefined],
  ['9007199.254740993s', 9_007_199_254_740_993n],
  ['10', undefined],
  ['1d', undefined],
  ['', undefined],
  ['s', undefined],
  ['.s', undefined],
  ['1 s', undefined],
] as const) {
  test(`the duration "${text}"`, () => assert.equal(parseGoDuration(text), nanoseconds))
}

for (const [text, bytes] of [
  ['50M', 52_428_800n],
  ['20.5k', 20_992n],
  ['1.5 GiB', 1_610_612_736n],
  ['1b', 1n],
  ['7', 7n],
  ['1kB', 1024n],
  ['2T', 2_199_023_255_552n],
  ['1e3', 1000n],
  ['1bb', undefined],
  ['1 gigabyte', undefined],
  ['-1', undefined],
  ['k', undefined],
  ['', undefined],
] as const) {
  test(`the size "${text}"`, () => assert.equal(parseByteSize(text), bytes))
}

for (const [text, nano] of [
  ['0.5', 500_000_000n],
  ['1/2', 500_000_000n],
  ['1e-3', 1_000_000n],
  ['.25', 250_000_000n],
  ['2', 2_000_000_000n],
  ['0.0000000001', 'is finer than a billionth of a processor'],
  ['1/3', 'is finer than a billionth of a processor'],
  ['1/0', 'is not a number of processors'],
  ['two', 'is not a number of processors'],
] as const) {
  test(`the processors "${text}"`, () => assert.equal(parseNanoCpus(text), nano))
}

test('extra hosts: separators, brackets, and what is dropped', () => {
  const list = serviceOf('extra_hosts: ["a:[::1]", "b=[::1]", c, "d:", "=x"]')
  assert.deepEqual(list.extraHosts, ['a:::1', 'b:::1', 'd:', ':x'])
  const map = serviceOf('extra_hosts: {b: "[::1]", c: , A: x}')
  assert.deepEqual(map.extraHosts, ['A:x', 'b:::1'])
})
