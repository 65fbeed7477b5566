// Which files a manifest can reach: regular ones of the workspace and of the temporary folder.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { workspaceFiles } from '../../src/compose/workspaceFiles.ts'

const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'files-')))
after(() => fs.rmSync(base, { recursive: true, force: true }))

const workspace = path.join(base, 'workspace')
const temporary = path.join(base, 'temporary')
for (const folder of ['workspace/sub/.git', 'workspace/.git', 'temporary', 'workspace2'])
  fs.mkdirSync(path.join(base, folder), { recursive: true })
for (const file of [
  'workspace/a.yml',
  'workspace/sub/b.yml',
  'workspace/.git/config',
  'workspace/sub/.git/config',
  'temporary/c.env',
  'workspace2/d.yml',
  'secret',
]) {
  fs.writeFileSync(path.join(base, file), file)
}
fs.symlinkSync(path.join(base, 'secret'), path.join(workspace, 'to-secret'))
fs.symlinkSync('a.yml', path.join(workspace, 'to-a'))
fs.symlinkSync(base, path.join(workspace, 'up'))
fs.symlinkSync('loop', path.join(workspace, 'loop'))
fs.symlinkSync('.git/config', path.join(workspace, 'to-git'))
execFileSync('mkfifo', [path.join(workspace, 'pipe')])
fs.closeSync(fs.openSync(path.join(workspace, 'large'), 'w'))
fs.truncateSync(path.join(workspace, 'large'), 17 * 1024 * 1024)

const readFile = workspaceFiles({ workspace, temporary, workingDirectory: workspace })

for (const [file, shown, content] of [
  ['a.yml', 'a.yml', 'workspace/a.yml'],
  ['./sub/../a.yml', 'a.yml', 'workspace/a.yml'],
  ['sub/b.yml', 'sub/b.yml', 'workspace/sub/b.yml'],
  ['to-a', 'to-a', 'workspace/a.yml'],
  [path.join(workspace, 'a.yml'), 'a.yml', 'workspace/a.yml'],
  [path.join(temporary, 'c.env'), path.join(temporary, 'c.env'), 'temporary/c.env'],
] as const) {
  test(`read: ${path.relative(base, path.resolve(workspace, file))}`, () => {
    const found = readFile(file)
    assert.equal(found.shown, shown)
    assert.equal(found.content && Buffer.from(found.content).toString(), content)
    assert.ok(path.isAbsolute(found.absolute))
  })
}

for (const [file, reason] of [
  ['nope.yml', /^does not exist$/],
  ['a.yml/x', /^does not exist$/],
  ['sub', /^is a directory$/],
  ['../secret', /^is outside the workspace/],
  ['../nothing', /^is outside the workspace/],
  ['../workspace2/d.yml', /^is outside the workspace/],
  ['/etc/passwd', /^is outside the workspace/],
  ['to-secret', /^is outside the workspace/],
  ['up/secret', /^is outside the workspace/],
  ['.git/config', /^is inside a \.git folder/],
  ['sub/.git/config', /^is inside a \.git folder/],
  ['to-git', /^is inside a \.git folder/],
  ['pipe', /^is not a regular file$/],
  ['large', /^is larger than 16 MiB$/],
  ['loop', /^is a link that leads to itself$/],
  ['a\0b', /^is no path/],
] as const) {
  test(`refused: ${JSON.stringify(file)}`, () => {
    const found = readFile(file)
    assert.equal(found.content, undefined)
    assert.match(found.reason, reason)
    assert.notEqual(found.remedy, '')
  })
}

test('without a temporary folder there is only the workspace', () => {
  const found = workspaceFiles({ workspace, temporary: undefined })(path.join(temporary, 'c.env'))
  assert.match('reason' in found ? found.reason : '', /^is outside/)
})
