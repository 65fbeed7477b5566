import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  familiarImage,
  faultOfImage,
  parseReference,
  registryDomain,
  sameImage,
  withDigest,
} from '../../src/image/reference.ts'

const hex = '0123456789abcdef'.repeat(4)
const digest = `sha256:${hex}`

test('a reference gets its normal form', () => {
  const table: readonly [text: string, domain: string, path: string, tag?: string, digest?: string][] = [
    ['nginx', 'docker.io', 'library/nginx'],
    ['nginx:1.25', 'docker.io', 'library/nginx', '1.25'],
    ['acme/shop', 'docker.io', 'acme/shop'],
    ['index.docker.io/redis', 'docker.io', 'library/redis'],
    ['ghcr.io/acme/shop:1', 'ghcr.io', 'acme/shop', '1'],
    ['localhost/x', 'localhost', 'x'],
    ['LOCALHOST/x', 'LOCALHOST', 'x'],
    ['localhost:5000/x:y', 'localhost:5000', 'x', 'y'],
    ['[::1]:5000/x', '[::1]:5000', 'x'],
    ['a.b:80', 'docker.io', 'library/a.b', '80'],
    [`nginx:1.2@${digest}`, 'docker.io', 'library/nginx', '1.2', digest],
    ['foo_bar.com/x', '', 'foo_bar.com/x'],
  ]
  for (const [text, domain, path, tag, foundDigest] of table) {
    const expected = { domain, path, ...(tag && { tag }), ...(foundDigest && { digest: foundDigest }) }
    assert.deepEqual(parseReference(text), expected, text)
  }
})

// Every row was tried with the docker CLI 28.2.2.
test('what is no image is refused in the words of the docker CLI', () => {
  const format = 'invalid reference format'
  const table: readonly [image: string, fault: string | undefined][] = [
    ['', 'no image specified'],
    ['nginx', undefined],
    [hex, undefined],
    [digest, undefined],
    ['nginx:', format],
    ['nginx@', format],
    [' nginx', format],
    ['nginx:a b', format],
    ['a//b', format],
    ['a___b', format],
    ['https://x/y', format],
    ['x:'.padEnd(131, 't'), format],
    ['Nginx', 'invalid reference format: repository name (library/Nginx) must be lowercase'],
    ['acme/Shop:1', 'invalid reference format: repository name (acme/Shop) must be lowercase'],
    ['ghcr.io/Acme/shop', 'invalid reference format: repository name (Acme/shop) must be lowercase'],
    ['FOO_bar/x', 'repository name must be lowercase'],
    [`x.y/${'a'.repeat(255)}`, undefined],
    [`x.y/${'a'.repeat(256)}`, 'repository name must not be more than 255 characters'],
    [`nginx@sha1:${hex}`, 'unsupported digest algorithm'],
    [`nginx@sha256:${hex.slice(1)}`, 'invalid checksum digest length'],
    [`nginx@sha256:${hex.toUpperCase()}`, 'invalid checksum digest format'],
  ]
  for (const [image, fault] of table) assert.equal(faultOfImage(image), fault, image)
  assert.deepEqual(parseReference(hex), {
    error: `invalid repository name (${hex}), cannot specify 64-byte hexadecimal strings`,
  })
})

test('the familiar form of an image', () => {
  const table: readonly [image: string, familiar: string][] = [
    ['nginx', 'nginx:latest'],
    ['docker.io/library/nginx:1.25', 'nginx:1.25'],
    ['index.docker.io/library/redis:7', 'redis:7'],
    ['docker.io/library/a/b', 'library/a/b:latest'],
    ['docker.io/library/library', 'library:latest'],
    ['myreg.io/foo/bar', 'myreg.io/foo/bar:latest'],
    ['myreg.io:5000/foo/bar', 'myreg.io:5000/foo/bar:latest'],
    [`docker.io/library/nginx@${digest}`, `nginx@${digest}`],
    [`nginx:1.2@${digest}`, `nginx:1.2@${digest}`],
    ['foo_bar.com/x', 'foo_bar.com/x:latest'],
    [hex, hex],
    ['not an image', 'not an image'],
    ['', ''],
  ]
  for (const [image, familiar] of table) {
    assert.equal(familiarImage(image), familiar, image)
    assert.equal(familiarImage(familiar), familiar, `${familiar} again`)
  }
})

test('a live image is the wanted one whatever its digest', () => {
  const table: readonly [live: string, wanted: string, same: boolean][] = [
    ['nginx:latest', 'nginx', true],
    [`nginx:latest@${digest}`, 'nginx', true],
    [`nginx:latest@${digest}`, 'docker.io/library/nginx', true],
    [`nginx:1.25@${digest}`, 'nginx', false],
    [`nginx@${digest}`, 'nginx', false],
    [`nginx@${digest}`, `nginx@${digest}`, true],
    [`nginx:1@${digest}`, `nginx:1@${digest}`, true],
    ['nginx', 'nginx', false],
    ['docker.io/library/nginx:latest', 'nginx', false],
    ['not an image', 'not an image', true],
  ]
  for (const [live, wanted, same] of table) assert.equal(sameImage(live, wanted), same, `${live} for ${wanted}`)
})

test('a digest is added once, and the tag kept', () => {
  const other = `sha256:${'f'.repeat(64)}`
  assert.equal(withDigest('nginx', digest), `nginx:latest@${digest}`)
  assert.equal(withDigest('docker.io/acme/shop:1', digest), `acme/shop:1@${digest}`)
  assert.equal(withDigest(`nginx@${other}`, digest), `nginx@${other}`)
  assert.equal(withDigest('not an image', digest), 'not an image')
})

test('the registry of an image', () => {
  assert.equal(registryDomain('nginx'), 'docker.io')
  assert.equal(registryDomain('index.docker.io/acme/shop'), 'docker.io')
  assert.equal(registryDomain('ghcr.io/acme/shop:1'), 'ghcr.io')
  assert.equal(registryDomain('localhost:5000/shop'), 'localhost:5000')
  assert.equal(registryDomain('not an image'), undefined)
  assert.equal(registryDomain('foo_bar.com/x'), undefined)
})
