// The helper is a real program: a script in a folder of its own.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { askHelper, type HelperAnswer } from '../../src/registry/credentialHelper.ts'

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'helper-')))
after(() => fs.rmSync(root, { recursive: true }))
const bin = path.join(root, 'bin')
const workspace = path.join(root, 'checkout')
fs.mkdirSync(bin)
fs.mkdirSync(workspace)

function install(name: string, script: string, folder = bin): void {
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, `docker-credential-${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

interface Asking {
  readonly env?: Readonly<Record<string, string>>
  readonly PATH?: string
  readonly timeout?: number
  readonly signal?: AbortSignal
}

function ask(name: string, { env, PATH = bin, timeout, signal }: Asking = {}): Promise<HelperAnswer> {
  return askHelper(name, 'registry.example:5000', {
    env: { ...env, PATH: `${PATH}${path.delimiter}/bin:/usr/bin` },
    workspace,
    signal: signal ?? new AbortController().signal,
    ...(timeout !== undefined && { timeout }),
  })
}

function failure(answer: HelperAnswer): string {
  assert.ok('failure' in answer, JSON.stringify(answer))
  return answer.failure
}

describe('a credential helper', () => {
  test('is called with `get`, reads the address, and its answer is the login', async () => {
    install('echo', 'printf \'{"ServerURL":"x","Username":"%s","Secret":"%s"}\' "$*" "$(cat)"')
    assert.deepEqual(await ask('echo'), {
      credential: { username: 'get', password: 'registry.example:5000', serveraddress: 'registry.example:5000' },
    })
  })

  test('answers an identity token under the name <token>', async () => {
    install('token', 'echo \'{"Username":"<token>","Secret":"abc"}\'')
    assert.deepEqual(await ask('token'), {
      credential: { serveraddress: 'registry.example:5000', identitytoken: 'abc' },
    })
  })

  test('that keeps no login for the registry is no failure', async () => {
    install('none', 'echo "credentials not found in native keychain"; exit 1')
    assert.deepEqual(await ask('none'), { credential: undefined })
  })

  test('gets no environment but the one that is meant for it, and does not start in the checkout', async () => {
    install('env', `env > ${root}/env; pwd > ${root}/pwd; echo '{"Username":"u","Secret":"s"}'`)
    process.env.INPUT_SSH_KEY = 'private'
    await ask('env', { env: { AWS_REGION: 'eu-west-1' } })
    delete process.env.INPUT_SSH_KEY
    const seen = fs.readFileSync(path.join(root, 'env'), 'utf8')
    assert.match(seen, /^AWS_REGION=eu-west-1$/m)
    assert.doesNotMatch(seen, /INPUT_|private|HOME/)
    assert.equal(fs.readFileSync(path.join(root, 'pwd'), 'utf8'), '/\n')
  })

  const failing: readonly (readonly [what: string, script: string, failure: RegExp])[] = [
    ['that fails', 'echo hunter2; echo hunter2 >&2; exit 3', /^ended with exit code 3$/],
    ['that prints no JSON', 'echo hunter2', /^answered no JSON with "Username" and "Secret"$/],
    ['that prints half of an answer', 'echo \'{"Username":"hunter2"}\'', /^answered no JSON/],
    ['that prints a list', 'echo \'["hunter2"]\'', /^answered no JSON/],
    ['that prints numbers', 'echo \'{"Username":"u","Secret":2}\'', /^answered no JSON/],
    ['that prints an empty secret', 'echo \'{"Username":"u","Secret":""}\'', /^answered no JSON/],
    ['that prints nothing', ':', /^answered no JSON/],
    ['that is killed', 'kill -9 $$', /^was ended by SIGKILL$/],
    ['that prints without end', 'while :; do echo hunter2hunter2hunter2; done', /^printed more than 64 KiB$/],
  ]
  for (const [index, [what, script, expected]] of failing.entries()) {
    test(`${what} is said so, without a word of what it printed`, async () => {
      install(`failing${index}`, script)
      const said = failure(await ask(`failing${index}`))
      assert.match(said, expected)
      assert.doesNotMatch(said, /hunter2/)
    })
  }

  test('that hangs is ended with its children', async () => {
    install('hangs', `sleep 600 & echo $! > ${root}/child; wait`)
    assert.equal(failure(await ask('hangs', { timeout: 1500 })), 'did not answer within 1.5 s')
    const child = Number(fs.readFileSync(path.join(root, 'child'), 'utf8'))
    assert.ok(child > 0)
    for (let tries = 0; isAlive(child); tries++) {
      assert.ok(tries < 100, `process ${child} still runs`)
      await sleep(50)
    }
  })

  test('is ended when the run is asked to stop', async () => {
    install('stopped', `touch ${root}/started; sleep 600`)
    const controller = new AbortController()
    const asked = ask('stopped', { signal: controller.signal })
    controller.abort(new Error('stop now'))
    await assert.rejects(asked, /stop now/)
    await assert.rejects(ask('stopped', { signal: controller.signal }), /stop now/)
  })

  test('that nobody may execute, or that is a folder, is not on the PATH', async () => {
    fs.writeFileSync(path.join(bin, 'docker-credential-plain'), '#!/bin/sh\n', { mode: 0o644 })
    fs.mkdirSync(path.join(bin, 'docker-credential-folder'))
    for (const name of ['plain', 'folder', 'missing']) assert.match(failure(await ask(name)), /^is not on the PATH/)
  })

  test('without an interpreter could not be started', async () => {
    fs.writeFileSync(path.join(bin, 'docker-credential-lost'), '#!/nowhere/sh\n', { mode: 0o755 })
    assert.equal(failure(await ask('lost')), 'could not be started (ENOENT)')
  })

  test('is never one of the checkout, nor found by a relative folder', async () => {
    const answer = 'echo \'{"Username":"evil","Secret":"s"}\''
    install('evil', answer, path.join(workspace, 'bin'))
    install('evil', answer, path.join(workspace, '..bin'))
    fs.symlinkSync(path.join(workspace, 'bin'), path.join(root, 'link'))
    fs.mkdirSync(path.join(root, 'links'))
    fs.symlinkSync(path.join(workspace, 'bin/docker-credential-evil'), path.join(root, 'links/docker-credential-evil'))
    const folders = [
      `${workspace}/bin`,
      `${workspace}/..bin`,
      `${root}/link`,
      `${root}/links`,
      `${bin}/../checkout/bin`,
    ]
    const relative = path.relative(process.cwd(), path.join(workspace, 'bin'))
    for (const PATH of [...folders, relative, '.', '']) {
      assert.match(failure(await ask('evil', { PATH })), /^is not on the PATH/, PATH)
    }
    install('evil', 'echo \'{"Username":"good","Secret":"s"}\'')
    const found = await ask('evil', { PATH: [...folders, bin].join(path.delimiter) })
    assert.ok('credential' in found && found.credential?.username === 'good')
  })

  test('has a name and no path', async () => {
    for (const name of ['../bin/docker-credential-echo', 'a/b', '', '-x', 'a b', '..', 'a\nb']) {
      assert.equal(failure(await ask(name)), 'has no name that a program could have', name)
    }
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // One that nobody has waited for yet is dead all the same.
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
