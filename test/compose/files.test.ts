// What a rollback needs to load the same stack again: every file that it was made of, as it is on disk.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadTexts, problemLines } from '../support/composeFiles.ts'

const beside = {
  'part.yml': 'services: { b: { image: b } }\n',
  'base/base.yml': 'services: { a: { image: a, env_file: base.env } }\n',
  'base/base.env': 'PASSWORD=planted\n',
  'a.env': 'PASSWORD=planted\n',
  'token.txt': 'planted',
  'motd.txt': 'hello\r\n',
  'late.conf': Buffer.from([0xff, 0x00, 0x0a]),
}

const first = `include: [part.yml]
services:
  a:
    extends: { file: base/base.yml, service: a }
    env_file: a.env
secrets: { token: { file: token.txt } }
configs: { motd: { file: motd.txt }, said: { content: hi } }
`

test('the files of a stack are its manifests, what they include and extend, and the contents of configs', () => {
  const loaded = loadTexts([first, 'configs: { motd: { file: late.conf } }\n'], { beside })
  assert.ok(loaded.stack !== undefined, problemLines(loaded).join('\n'))
  assert.deepEqual(loaded.manifests, ['1.yml', '2.yml'])
  // That of a definition which another file goes before as well: the loader will ask for it again.
  assert.deepEqual([...loaded.files.keys()].sort(), [
    '1.yml',
    '2.yml',
    'base/base.yml',
    'late.conf',
    'motd.txt',
    'part.yml',
  ])
  assert.deepEqual(loaded.files.get('late.conf'), beside['late.conf'])
  assert.equal(Buffer.from(loaded.files.get('motd.txt') ?? []).toString(), beside['motd.txt'])
})

test('of secrets and env files nothing is kept', () => {
  const { files } = loadTexts([first], { beside })
  assert.ok(files.size > 0)
  for (const [name, content] of files) assert.doesNotMatch(Buffer.from(content).toString(), /planted/, name)
})
