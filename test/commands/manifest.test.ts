import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { WriteJournal } from '../../src/backend/journal.ts'
import type { CommandContext } from '../../src/commands/context.ts'
import { createDeadline } from '../../src/commands/deadline.ts'
import { type Manifest, specOf } from '../../src/commands/manifest.ts'
import { DeployError, problemsOf } from '../../src/errors.ts'
import { inputVariable } from '../../src/inputs/table.ts'
import { readInputs } from '../../src/inputs.ts'
import { createLog } from '../../src/report/log.ts'
import { createRedactor } from '../../src/report/redactor.ts'

/** The specs that a manifest becomes with these inputs, and what was masked on the way. */
function deployed(
  context: TestContext,
  manifest: string,
  inputs: Readonly<Record<string, string>> = {},
  masked: string[] = [],
): Manifest & { readonly masked: readonly string[] } {
  const workspace = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'manifest-'))
  context.after(() => fs.rmSync(workspace, { recursive: true }))
  fs.writeFileSync(path.join(workspace, 'stack.yml'), manifest)
  fs.writeFileSync(path.join(workspace, 'token.txt'), 'a-secret-token')
  const given = { host: 'unix:///run/docker.sock', manifest: 'stack.yml', ...inputs }
  const env = {
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [inputVariable(name), value])),
    GITHUB_REPOSITORY: 'acme/repository',
  }
  const read = readInputs(env, { exists: () => true, readText: () => undefined })
  assert.ok(read.inputs !== undefined, JSON.stringify(read.problems))
  const deadline = createDeadline(60_000)
  context.after(() => deadline.clear())
  const command: CommandContext = {
    inputs: read.inputs,
    env,
    workspace,
    mountedSecrets: '/nowhere',
    log: createLog({ redactor: createRedactor(), write: () => {} }),
    mask: (secrets) => masked.push(...Array.from(secrets, ([name, secret]) => `${name}: ${Buffer.from(secret)}`)),
    redact: (text) => text,
    warn: () => {},
    journal: new WriteJournal(),
    deadline,
    cancelled: new AbortController().signal,
    progress: { changes: [], services: [] },
  }
  return { ...specOf(command, []), masked }
}

const web = (more = '') => `services:\n  web:\n    image: tb/ok:1\n${more}`

test('the stack has the name of the input, else of the manifest, else of the repository', (context) => {
  const named = `name: from-manifest\n${web()}`
  assert.equal(deployed(context, named, { 'stack-name': 'from-input' }).spec.namespace, 'from-input')
  assert.equal(deployed(context, named).spec.namespace, 'from-manifest')
  assert.equal(deployed(context, web()).spec.namespace, 'repository')
})

test('what the workflow forbids is refused at its line', (context) => {
  const manifest = web('    volumes: ["/srv:/srv"]\n')
  assert.throws(
    () => deployed(context, manifest, { forbid: 'bind-mounts' }),
    (error) => {
      assert.ok(error instanceof DeployError)
      assert.equal(error.code, 'forbidden')
      assert.equal(error.problems[0]?.position?.line, 4)
      return true
    },
  )
  assert.equal(deployed(context, manifest, { forbid: 'published-ports' }).spec.services.length, 1)
})

test('a relative bind source lies in bind-root', (context) => {
  const { spec } = deployed(context, web('    volumes: ["./data:/data"]\n'), { 'bind-root': '/srv/shop' })
  assert.equal(spec.services[0]?.spec.TaskTemplate.ContainerSpec?.Mounts?.[0]?.Source, '/srv/shop/data')
})

test('the content of a secret file is masked before anything is said of it', (context) => {
  const { masked } = deployed(context, `${web('    secrets: [token]\n')}secrets:\n  token: { file: ./token.txt }\n`)
  assert.deepEqual(masked, ['the secret token: a-secret-token'])
  // Whatever else is wrong with it: what then is said may hold it too, and a status shows logs all the same.
  const said: string[] = []
  const faulty = `${web('    imagee: x\n')}secrets:\n  lost: { file: ./lost.txt }\n  token: { file: ./token.txt }\n`
  assert.throws(() => deployed(context, faulty, {}, said), DeployError)
  assert.deepEqual(said, ['the secret token: a-secret-token'])
})

test('a bad `name:` is told at its line, with what else is wrong', (context) => {
  const mistakes = (manifest: string, inputs: Readonly<Record<string, string>> = {}) => {
    try {
      deployed(context, manifest, inputs)
      return []
    } catch (error) {
      assert.ok(error instanceof DeployError)
      return problemsOf(error).map(({ code, message, position }) => `${code} ${position?.line ?? '-'} ${message}`)
    }
  }
  const named = `name: my shop\n${web()}`
  assert.match(mistakes(named).join('\n'), /^manifest 1 the top-level `name:` of the manifest gives "my shop"/)
  assert.deepEqual(mistakes(named, { 'stack-name': 'shop' }), [])
  const [name, service, ...rest] = mistakes(named, { services: 'wbe' })
  assert.match(service ?? '', /^input - the input `services` names a service "wbe"/)
  assert.match(name ?? '', /^manifest 1 /)
  assert.deepEqual(rest, [])
  for (const more of ['    imagee: 1\n', '    ports: ["80:80", "80:81"]\n', '    volumes: ["/srv:/srv"]\n']) {
    const found = mistakes(`${named}${more}`, { forbid: 'bind-mounts' })
    assert.equal(found.length, 2, found.join('\n'))
    assert.match(found[0] ?? '', /^manifest 1 /)
    assert.match(found[1] ?? '', /^\w+ 5 /)
  }
})

test('mistakes of inputs that name files, of those that name services, and of the manifest are told in one go', (context) => {
  const manifest = web('    volumes: ["/srv:/srv"]\n')
  const inputs = { 'env-file': 'nowhere.env', services: 'wbe', forbid: 'bind-mounts' }
  assert.throws(
    () => deployed(context, manifest, inputs),
    (error) => {
      assert.ok(error instanceof DeployError)
      const found = error.problems.map(({ code, message }) => `${code}: ${message}`)
      assert.equal(found.length, 3)
      for (const [index, pattern] of [
        /env file nowhere\.env/,
        /names a service "wbe"/,
        /^forbidden: .*"\/srv"/,
      ].entries())
        assert.match(found[index] ?? '', pattern)
      return true
    },
  )
})
