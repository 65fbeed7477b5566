// Files of the runner that are not what they should be.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, test } from 'node:test'
import type { CommandContext } from '../../src/commands/context.ts'
import { credentialsOf, withHelperLogins } from '../../src/commands/credentials.ts'
import { homeFolder } from '../../src/commands/homeFolder.ts'
import type { Problem } from '../../src/errors.ts'
import type { NamedSecrets } from '../../src/report/masking.ts'
import { aServiceObject } from '../support/stackSpecs.ts'

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

describe('logins that credential helpers keep', () => {
  const pair = Buffer.from('file:file-pass').toString('base64')
  const config = {
    auths: { 'ghcr.io': { auth: pair }, 'quay.io': { auth: pair }, 'lost.example': { auth: pair } },
    credsStore: 'store',
    credHelpers: { 'https://index.docker.io/v1/': 'hub', 'lost.example': 'missing', 'never.example': 'never' },
  }
  const helpers: Readonly<Record<string, string>> = {
    store: `key=$(cat); echo "store $key" >> $LOG; case $key in
      ghcr.io) echo '{"Username":"octocat","Secret":"from-the-store"}';;
      *) echo "credentials not found in native keychain"; exit 1;; esac`,
    hub: `echo "hub $(cat)" >> $LOG; echo '{"Username":"<token>","Secret":"from-the-hub"}'`,
    never: 'echo "never $(cat)" >> $LOG',
  }

  test('go with the images they are for, once asked for each, masked, and those that fail are named', async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'home-'))
    try {
      fs.mkdirSync(path.join(home, '.docker'))
      fs.writeFileSync(path.join(home, '.docker/config.json'), JSON.stringify(config))
      for (const [name, script] of Object.entries(helpers)) {
        fs.writeFileSync(path.join(home, `docker-credential-${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
      }
      const said: string[] = []
      const log = path.join(home, 'log')
      const context = {
        env: { HOME: home, LOG: log, PATH: `${home}:/bin:/usr/bin` },
        workspace: path.join(home, 'checkout'),
        inputs: { registryAuth: undefined },
        mask: (secrets: NamedSecrets) =>
          said.push(...Array.from(secrets, ([name, secret]) => `mask ${name}: ${secret}`)),
        warn: (problem: Problem) => said.push(`warn ${problem.position?.line} ${problem.message}`),
        cancelled: new AbortController().signal,
        deadline: { signal: new AbortController().signal },
        progress: {},
      } as unknown as CommandContext
      const images = [
        'nginx',
        'acme/shop:1',
        'ghcr.io/a/b',
        'ghcr.io/a/c',
        'quay.io/a/b',
        'lost.example/a',
        'b.example/x',
      ]
      const services = images.map((image, index) => aServiceObject('shop', `s${index}`, { image }))
      const auth = await withHelperLogins(context, credentialsOf(context), { services })

      const sent = (image: string): unknown =>
        JSON.parse(Buffer.from(auth.headerFor(image) ?? 'bnVsbA==', 'base64url').toString())
      const hub = { serveraddress: 'https://index.docker.io/v1/', identitytoken: 'from-the-hub' }
      assert.deepEqual(images.map(sent), [
        hub,
        hub,
        { username: 'octocat', password: 'from-the-store', serveraddress: 'ghcr.io' },
        { username: 'octocat', password: 'from-the-store', serveraddress: 'ghcr.io' },
        { username: 'file', password: 'file-pass', serveraddress: 'quay.io' },
        null,
        null,
      ])
      const asked = fs.readFileSync(log, 'utf8').trimEnd().split('\n').sort()
      const hubKey = 'hub https://index.docker.io/v1/'
      assert.deepEqual(asked, [hubKey, 'store b.example', 'store ghcr.io', 'store quay.io'])
      for (const one of ['ghcr.io: from-the-store', 'index.docker.io: from-the-hub', 'quay.io: file-pass'])
        assert.ok(said.includes(`mask the login for ${one}`), said.join('\n'))
      const warned = said.filter((line) => line.startsWith('warn'))
      assert.equal(warned.length, 1)
      assert.match(warned[0] ?? '', /^warn 3 .*"docker-credential-missing".*"lost\.example\/a", is not on the PATH/)
      assert.equal(said.at(-1), warned[0], 'masked before anything is said')
    } finally {
      fs.rmSync(home, { recursive: true })
    }
  })

  test('of a short life are told of once for each registry that an image needs', async () => {
    const said: Problem[] = []
    const context = {
      env: {},
      workspace: '/nowhere',
      inputs: { registryAuth: 'ghcr.io octocat ghs_1\neu.gcr.io oauth2accesstoken ya29.x\nquay.io u p' },
      mask: () => {},
      warn: (problem: Problem) => said.push(problem),
      cancelled: new AbortController().signal,
      deadline: { signal: new AbortController().signal },
    } as unknown as CommandContext
    const services = ['ghcr.io/a/b', 'ghcr.io/a/c', 'quay.io/a/b', 'nginx'].map((image, index) =>
      aServiceObject('shop', `s${index}`, { image }),
    )
    await withHelperLogins(context, credentialsOf(context), { services })
    assert.equal(said.length, 1)
    assert.match(said[0]?.message ?? '', /^the login for ghcr\.io is GitHub's token of this job/)
    assert.match(said[0]?.remedy ?? '', /read:packages/)
  })
})
