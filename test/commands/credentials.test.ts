// Files of the runner that are not what they should be.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { CommandContext } from '../../src/commands/context.ts'
import { credentialsOf } from '../../src/commands/credentials.ts'
import { homeFolder } from '../../src/commands/homeFolder.ts'

/** What the action makes of a docker config that `make` puts at the path given. */
function problemsOf(make: (file: string) => void): readonly string[] {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'home-'))
  try {
    fs.mkdirSync(path.join(home, '.docker'))
    make(path.join(home, '.docker', 'config.json'))
    const context: Pick<CommandContext, 'env' | 'mask'> & { readonly inputs: { readonly registryAuth: undefined } } = {
      env: { HOME: home },
      mask: () => {},
      inputs: { registryAuth: undefined },
    }
    return credentialsOf(context as CommandContext).problems.map(({ severity, message }) => `${severity}: ${message}`)
  } finally {
    fs.rmSync(home, { recursive: true })
  }
}

const configs: readonly (readonly [what: string, make: (file: string) => void, problems: readonly RegExp[]])[] = [
  ['that is not there', () => {}, []],
  ['that is empty of logins', (file) => fs.writeFileSync(file, '{}'), []],
  ['that is a folder', (file) => fs.mkdirSync(file), [/^warning: .*config\.json is not used: it is a directory$/]],
  [
    'that is a named pipe',
    (file) => execFileSync('mkfifo', [file]),
    [/^warning: .*config\.json is not used: it is no regular file$/],
  ],
  ['that leads to itself', (file) => fs.symlinkSync(file, file), [/^warning: .*config\.json is not used: ELOOP/]],
]

for (const [what, make, expected] of configs) {
  test(`a docker config ${what}`, () => {
    const problems = problemsOf(make)
    assert.equal(problems.length, expected.length, problems.join('\n'))
    for (const [index, pattern] of expected.entries()) assert.match(problems[index] ?? '', pattern)
  })
}

test('the home folder is never one of the checkout, whatever $HOME says', () => {
  assert.equal(homeFolder({ HOME: '/home/runner' }), '/home/runner')
  for (const HOME of [undefined, '', '.', 'home']) assert.ok(path.isAbsolute(homeFolder({ HOME })), HOME)
})
