// Secrets of every kind in runs that fail in every way: nothing that a run says, sends or leaves behind has a trace of them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { engineCall } from '../support/engineCall.mjs'
import { startGitHubServer } from '../support/gitHubServer.ts'
import { liveBed } from '../support/liveBed.ts'
import { liveStacks } from '../support/liveStack.ts'
import { type Planted, plantedSecrets } from '../support/planted.ts'
import type { ActionResult } from '../support/runner.mjs'
import { testKey } from '../tunnel/keys.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'secrets')

/** The bed's key, behind a passphrase. */
function lockedKey(folder: string, passphrase: string): string {
  const file = path.join(folder, 'locked')
  fs.copyFileSync(bed.keyFile, file)
  fs.chmodSync(file, 0o600)
  execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', passphrase, '-f', file])
  const text = fs.readFileSync(file, 'utf8')
  fs.rmSync(file)
  return text
}

/** A place for whatever a run writes, and a helper that notes what it is started with. */
function surroundings(t: TestContext, { plant }: Planted) {
  const folder = fs.mkdtempSync(path.join(bed.dir, 'secrets-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const places = ['home', 'tmp', 'runner'].map((name) => path.join(folder, name))
  for (const place of places) fs.mkdirSync(place)
  const [home = '', tmp = '', runner = ''] = places
  const noted = path.join(folder, 'noted')
  const answer = JSON.stringify({ ServerURL: '', Username: 'ci', Secret: plant('helper login', (core) => core) })
  const script = `#!/bin/sh\n{ tr '\\0' '\\n' < /proc/$$/cmdline; env; ls -la /proc/$$/fd; } >> ${noted}\necho '${answer}'\n`
  fs.writeFileSync(path.join(folder, 'docker-credential-noting'), script, { mode: 0o755 })
  const env = {
    HOME: home,
    TMPDIR: tmp,
    RUNNER_TEMP: runner,
    PATH: `${folder}:${process.env.PATH}`,
    DOCKER_CONFIG: home,
  }
  const left = (): string =>
    [tmp, runner].flatMap((place) => fs.readdirSync(place, { recursive: true, encoding: 'utf8' })).join('\n')
  return { folder, home, env, left, noted: () => (fs.existsSync(noted) ? fs.readFileSync(noted, 'utf8') : '') }
}

/** The log as the action wrote it, since the runner's masking must not be what saves it, and all else that a run hands over. */
function everything({ raw, summary, outputs, state, commands }: ActionResult): Readonly<Record<string, string>> {
  const isMask = (line: string): boolean => line.startsWith('::add-mask::')
  return {
    log: raw
      .split('\n')
      .filter((line) => !isMask(line))
      .join('\n'),
    summary,
    outputs: JSON.stringify(outputs),
    state: JSON.stringify(state),
    commands: JSON.stringify(commands.filter(({ name }) => name !== 'add-mask')),
  }
}

function assertClean({ tracesIn }: Planted, places: Readonly<Record<string, string>>): void {
  for (const [place, text] of Object.entries(places)) assert.deepEqual(tracesIn(text), [], `${place}:\n${text}`)
}

async function recordsOf(name: string): Promise<string> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`com.swarmcli.release=${name}`] }))
  const { json } = await engineCall(bed.socket, 'GET', `/configs?filters=${filters}`)
  const records = json as readonly { readonly Spec: { readonly Data: string; readonly Labels: object } }[]
  assert.ok(records.length > 0)
  return records
    .map(({ Spec }) => {
      const text = gunzipSync(Buffer.from(Spec.Data, 'base64')).toString()
      // Files are in it as base64.
      const files = [...text.matchAll(/[A-Za-z0-9+/]{24,}={0,2}/g)].map(([part]) => Buffer.from(part, 'base64'))
      return [JSON.stringify(Spec.Labels), text, ...files].join('\n')
    })
    .join('\n')
}

test('a deployment that crashes and tells all it knows', async (t) => {
  const secrets = plantedSecrets()
  const { plant, watch } = secrets
  const { folder, home, env, left, noted } = surroundings(t, secrets)
  const gitHub = await startGitHubServer()
  t.after(() => gitHub.close())

  const passphrase = plant('passphrase', (core) => `open ${core}`)
  const key = lockedKey(folder, passphrase)
  watch('ssh key', key)
  watch('the same key without its passphrase', fs.readFileSync(bed.keyFile, 'utf8'))
  const jumpKey = testKey('ec').privateKey
  watch('key of the jump host', jumpKey)
  const single = plant('single line')
  const several = [plant('first line', (core) => `  ${core} `), '', plant('second line'), plant('third line')].join(
    '\r\n',
  )
  const json = plant('in JSON')
  const file = [plant('first line of a file', (core) => core), plant('second line of a file')].join('\n')
  const inConfig = plant('in a config file', (core) => core)
  const login = [plant('login in the docker config', (core) => core), plant('identity token', (core) => core)]
  const config = {
    auths: {
      'one.invalid': { auth: Buffer.from(`ci:${login[0]}`).toString('base64') },
      'two.invalid': { username: 'ci', password: plant('password in the docker config') },
      'three.invalid': { identitytoken: login[1] },
    },
    credHelpers: { 'four.invalid': 'noting' },
  }
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config))
  const manifest = `services:
  idle: { image: "one.invalid/a:1", deploy: { replicas: 0 } }
  idle2: { image: "four.invalid/a:1", deploy: { replicas: 0 } }
  leak:
    image: tb/crash:1
    command:
      - sh
      - -c
      - |
        echo "$$SINGLE"; echo "$$SEVERAL"; echo "$$FORMS"; printf 'user:%s' "$$SINGLE" | base64 -w 0; echo
        cat /run/secrets/token /run/secrets/token >&2; base64 < /run/secrets/token
        echo "$$(cat /run/secrets/token) ::error::$$SINGLE ##[error]$$SINGLE"; exit 3
    environment: { SINGLE: "\${SINGLE}", SEVERAL: "\${SEVERAL}", JSON: "\${JSON}", FORMS: "\${FORMS}" }
    labels: { "com.example.\${PLAIN}": "\${SINGLE}" }
    secrets: [token]
    configs: [whole, part]
    stop_grace_period: 1s
    deploy: { restart_policy: { delay: 300ms }, labels: { said: "\${SINGLE}" } }
secrets: { token: { file: token.txt } }
configs:
  whole: { file: whole.txt }
  part: { content: "password=\${SINGLE}" }
`
  const { name, deploy } = stack(t, 'crash', { 'token.txt': file, 'whole.txt': `a\npassword=${inConfig}\n` })
  const token = plant('token of GitHub', (core) => `ghs_${core}`)
  const result = await deploy(
    manifest,
    {
      'ssh-key': key,
      'ssh-key-passphrase': passphrase,
      'ssh-password': plant('password of ssh'),
      'jump-ssh-key': jumpKey,
      'tls-key': `-----BEGIN PRIVATE KEY-----\n${plant('tls key', (core) => core)}\n-----END PRIVATE KEY-----\n`,
      secrets: JSON.stringify({
        SINGLE: single,
        SEVERAL: several,
        JSON: json,
        IN_CONFIG: inConfig,
        PLAIN: plant('in a label', (core) => core),
      }),
      variables: `FORMS=${encodeURIComponent(single)} ${JSON.stringify(json)} ${Buffer.from(json).toString('base64url')}`,
      'registry-auth': '',
      'resolve-image': 'always',
      'log-lines': '100',
      'github-token': token,
      comment: 'true',
      deployment: 'true',
      environment: 'production',
    },
    {
      env: { ...env, GITHUB_API_URL: gitHub.url },
      event: { name: 'pull_request', payload: { pull_request: { number: 1, head: { sha: 'f'.repeat(40) } } } },
    },
  )
  assert.equal(result.outputs['failure-reason'], 'crash-loop', result.log)
  // It did its worst, and that is hidden.
  assert.match(result.log, /^ *\S* \| .*\*\*\*/m)
  assert.match(noted(), /docker-credential-noting\nget/)
  assert.ok(gitHub.comments.length === 1 && gitHub.deploymentStatuses.length > 0 && gitHub.statuses.length > 1)
  assert.ok(secrets.count >= 30, `${secrets.count}`)
  assertClean(secrets, {
    ...everything(result),
    'what GitHub was told': JSON.stringify(gitHub.requests.map(({ route, body }) => [route, body])),
    'what a helper was started with': noted(),
    'release records': await recordsOf(name),
    'temporary files': left(),
  })
  assert.equal(left(), '')
  // No line came before the secrets were known to the runner.
  const lines = result.raw.split('\n')
  const first = lines.findIndex((line) => !line.startsWith('::add-mask::'))
  const masked = lines.slice(0, first).join('\n')
  for (const secret of [single, json, inConfig, passphrase, token])
    assert.ok(masked.includes(secret.replaceAll('%', '%25')), secret)
})

test('inputs that cannot be read, each with a secret in it', async (t) => {
  const secrets = plantedSecrets()
  const { plant } = secrets
  const { home, env } = surroundings(t, secrets)
  const core = (text: string): string => text
  fs.writeFileSync(
    path.join(home, 'config.json'),
    `{ "auths": { "a.invalid": ${plant('broken docker config', core)} } }`,
  )
  const pem = (kind: string, text: string): string => `-----BEGIN ${kind}-----\n${text}\n-----END ${kind}-----\n`
  const { deploy } = stack(t, 'inputs')
  const runs: readonly Readonly<Record<string, string>>[] = [
    { 'registry-auth': '' },
    { 'registry-auth': `{ "auths": { "a.invalid": { "auth": ${plant('broken JSON of a login', core)} } } }` },
    { 'registry-auth': `${plant('a login of one word', core)}` },
    { 'registry-auth': JSON.stringify({ auths: { 'a.invalid': { auth: plant('no base64 of a login') } } }) },
    { 'registry-auth': JSON.stringify({ auths: plant('text for a map', core) }) },
    { secrets: `${plant('a secret without a name', core)}\nA=b` },
    { secrets: `A=b\nB<<END\n${plant('a secret without an end', core)}` },
    { secrets: `{ "A": "${plant('broken JSON', core)}" "B" }` },
    { secrets: JSON.stringify({ A: { b: plant('a nested secret', core) } }) },
    { secrets: JSON.stringify([plant('a list of secrets', core)]) },
    { secrets: JSON.stringify({ GITHUB_TOKEN: plant('a secret of a hidden name', core) }) },
    { 'ssh-key': pem('OPENSSH PRIVATE KEY', plant('a broken key', core)) },
    { 'ssh-key': plant('no key at all', core) },
    { 'ssh-key': `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n${plant('a key of another form', core)}` },
    { 'jump-ssh-key': plant('no key for a jump host', core), 'jump-host': 'ssh://a@b.invalid' },
    { host: `ssh://deploy:${plant('password in an address', core)}@127.0.0.1` },
    { host: `ssh://deploy@127.0.0.1?key=${plant('something after an address', core)}` },
    {
      host: 'tcp://a.invalid:2376',
      'tls-ca': pem('CERTIFICATE', plant('a broken authority', core)),
      'tls-cert': plant('no certificate', core),
      'tls-key': pem('PRIVATE KEY', plant('a broken tls key', core)),
    },
    { password: plant('an input of another action', core) },
    { 'registry-pasword': plant('an input of no action', core) },
    { 'ssh-key': '', 'ssh-password': plant('a wrong password', core) },
    { secrets: `A=${plant('a secret where a number is wanted', core)}`, variables: '' },
  ]
  // Every run ends before it connects: this is no number, whatever else is wrong.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the manifest
  const count = '{ web: { image: tb/ok:1, deploy: { replicas: "${A:-many}" } } }'
  for (const inputs of runs) {
    const result = await deploy(`services: ${count}\n`, inputs, { env })
    assert.equal(result.outputs.status, 'refused', JSON.stringify(inputs) + result.log)
    assertClean(secrets, everything(result))
  }
  assert.ok(secrets.count >= 20, `${secrets.count}`)
})

test('a secret that is a word of our own breaks no output', async (t) => {
  const { deploy } = stack(t, 'words')
  const words = [
    'converged',
    'failed',
    'service',
    'network',
    'create',
    'true',
    'false',
    'replicated',
    'deploy',
    'status',
    'name',
    'state',
    'truncated',
    'production',
    'null',
    '1234',
  ]
  const { outputs, log, code } = await deploy(
    'services: { web: { image: "tb/ok:1", stop_grace_period: 1s, deploy: { update_config: { monitor: 1s } } } }\n',
    { secrets: words.map((word, index) => `S${index}=${word}`).join('\n'), monitor: '1s' },
  )
  assert.deepEqual([code, outputs.status, outputs.changed], [0, 'converged', 'true'], log)
  const [service] = JSON.parse(outputs.services ?? '') as readonly Readonly<Record<string, unknown>>[]
  assert.deepEqual(
    [service?.name, service?.mode, service?.running, service?.state],
    ['web', 'replicated', 1, 'converged'],
  )
  const changes = JSON.parse(outputs.changes ?? '') as readonly Readonly<Record<string, unknown>>[]
  assert.deepEqual(
    changes.map(({ kind, action }) => [kind, action]),
    [
      ['network', 'create'],
      ['service', 'create'],
    ],
  )
})
