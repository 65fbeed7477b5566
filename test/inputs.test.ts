import assert from 'node:assert/strict'
import { test } from 'node:test'
import { INPUTS, inputVariable } from '../src/inputs/table.ts'
import { type InputContext, type Inputs, readInputs } from '../src/inputs.ts'

const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n'
const LEAST = { host: 'ssh://deploy@manager.example.com', 'ssh-key': KEY }

function read(
  inputs: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = { 'docker-stack.yml': '' },
) {
  const context: InputContext = { exists: (path) => Object.hasOwn(files, path), readText: (path) => files[path] }
  const variables = Object.entries(inputs).map(([name, value]) => [inputVariable(name), value])
  const result = readInputs({ ...env, ...Object.fromEntries(variables) }, context)
  const lines = (severity: string) =>
    result.problems.filter((one) => one.severity === severity).map((one) => `${one.message} | ${one.remedy ?? ''}`)
  return { ...result, errors: lines('error'), warnings: lines('warning') }
}

function accepted(...args: Parameters<typeof read>): Inputs {
  const { inputs, errors } = read(...args)
  assert.deepEqual(errors, [])
  assert.ok(inputs)
  return inputs
}

test('with a host and a key everything else has its default', () => {
  assert.deepEqual(accepted(LEAST, { GITHUB_REPOSITORY: 'acme/shop' }), {
    endpoints: [{ kind: 'ssh', user: 'deploy', host: 'manager.example.com', port: 22 }],
    sshKey: KEY,
    sshKeyPassphrase: undefined,
    sshPassword: undefined,
    sshAgent: undefined,
    jumpHosts: [],
    jumpSshKey: undefined,
    tls: undefined,
    knownHosts: undefined,
    hostFingerprints: [],
    hostKeyCheck: 'strict',
    dockerSocket: '/var/run/docker.sock',
    connectTimeout: 20_000,
    command: 'deploy',
    stackName: undefined,
    repository: 'acme/shop',
    repositoryName: 'shop',
    manifest: ['docker-stack.yml'],
    envFiles: [],
    variables: new Map(),
    secrets: new Map(),
    inheritEnvironment: true,
    services: undefined,
    prune: false,
    force: false,
    resolveImage: 'always',
    strictImages: false,
    registryAuth: undefined,
    rotate: true,
    protectedSecrets: [],
    adopt: false,
    expectPlan: undefined,
    removeVolumes: false,
    bindRoot: undefined,
    forbid: new Set(),
    wait: true,
    timeout: 600_000,
    monitor: undefined,
    maxFailures: 3,
    onFailure: 'none',
    revision: undefined,
    history: 10,
    logLines: 30,
    logLinesHidden: false,
    summary: true,
  })
})

test('an empty input equals an absent one, whichever it is', () => {
  const empty = Object.fromEntries(Object.keys(INPUTS).map((name) => [name, ' \n']))
  assert.deepEqual(accepted({ ...empty, ...LEAST }), accepted(LEAST))
})

test('the defaults of action.yml, handed over by the runner, change nothing', () => {
  const defaults = Object.entries(INPUTS)
    .filter(([name, row]) => row.default !== '' && name !== 'github-token')
    .map(([name, row]) => [name, row.default])
  assert.deepEqual(accepted({ ...Object.fromEntries(defaults), ...LEAST }), accepted(LEAST))
})

test('every input is read as given', () => {
  const inputs = accepted(
    {
      host: '# the manager\nssh://ci%2Bbot@[2001:db8::7]:2222',
      'ssh-key': KEY,
      'ssh-key-passphrase': ' opens it \n',
      'known-hosts': 'manager ssh-ed25519 AAAA',
      'host-fingerprint': `Manager:2222 SHA256:${'a'.repeat(43)}=\nSHA256:${'b'.repeat(43)}`,
      'host-key-check': 'off',
      'docker-socket': ' /run/docker.sock ',
      'connect-timeout': '7',
      'stack-name': 'shop_2-b',
      manifest: 'a.yml\n\n# more\n  b.yml\n',
      'env-file': 'prod.env',
      variables: 'TAG=1.2',
      secrets: '{"PASSWORD": "hunter2"}',
      'inherit-environment': 'FALSE',
      services: 'web\n# not yet\n worker ',
      force: 'web',
      'resolve-image': 'never',
      'strict-images': 'true',
      'registry-auth': 'none',
      rotate: 'false',
      'protected-secrets': "root-ca\n# the runner's\nrunner-token",
      adopt: 'true',
      'expect-plan': '0a-1b',
      'remove-volumes': 'true',
      wait: 'False',
      timeout: '1h30m',
      monitor: '0s',
      'max-failures': '0',
      'on-failure': 'none',
      history: '3',
      'log-lines': '5',
      summary: 'false',
      'github-token': 'ghs_token',
    },
    { SSH_AUTH_SOCK: '/tmp/agent' },
  )
  assert.deepEqual(
    { ...inputs, sshKey: undefined },
    {
      endpoints: [{ kind: 'ssh', user: 'ci+bot', host: '2001:db8::7', port: 2222 }],
      sshKey: undefined,
      sshKeyPassphrase: ' opens it ',
      sshPassword: undefined,
      jumpHosts: [],
      jumpSshKey: undefined,
      tls: undefined,
      sshAgent: '/tmp/agent',
      knownHosts: 'manager ssh-ed25519 AAAA',
      hostFingerprints: [
        { host: 'manager', port: 2222, fingerprint: `SHA256:${'a'.repeat(43)}` },
        { host: undefined, port: undefined, fingerprint: `SHA256:${'b'.repeat(43)}` },
      ],
      hostKeyCheck: 'off',
      dockerSocket: '/run/docker.sock',
      connectTimeout: 7_000,
      command: 'deploy',
      stackName: 'shop_2-b',
      repository: undefined,
      repositoryName: undefined,
      manifest: ['a.yml', 'b.yml'],
      envFiles: ['prod.env'],
      variables: new Map([['TAG', '1.2']]),
      secrets: new Map([['PASSWORD', 'hunter2']]),
      inheritEnvironment: false,
      services: ['web', 'worker'],
      prune: false,
      force: ['web'],
      resolveImage: 'never',
      strictImages: true,
      registryAuth: 'none',
      rotate: false,
      protectedSecrets: ['root-ca', 'runner-token'],
      adopt: true,
      expectPlan: '0a-1b',
      removeVolumes: false,
      bindRoot: undefined,
      forbid: new Set(),
      wait: false,
      timeout: 5_400_000,
      monitor: 0,
      maxFailures: 0,
      onFailure: 'none',
      revision: undefined,
      history: 3,
      logLines: 5,
      logLinesHidden: false,
      summary: false,
    },
  )
})

test('the host may come from $DOCKER_HOST, and the local socket never by itself', () => {
  const { endpoints } = accepted({}, { DOCKER_HOST: 'unix:///run/other.sock' })
  assert.deepEqual(endpoints, [{ kind: 'unix', path: '/run/other.sock' }])
  assert.match(read({}).errors[0] ?? '', /`host` is missing, and \$DOCKER_HOST is not set \| Set it/)
  assert.match(read({}, { DOCKER_HOST: 'tcp://x' }).errors[0] ?? '', /^\$DOCKER_HOST: line 1 names no port/)
})

test('an agent is enough to log in, and a socket needs no login', () => {
  accepted({ host: LEAST.host }, { SSH_AUTH_SOCK: '/tmp/agent' })
  accepted({ host: 'unix:///var/run/docker.sock' })
  assert.match(read({ host: LEAST.host }).errors.join(), /nothing to log in with/)
})

test('each faulty input is named, with what to write', () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ host: 'manager.example.com' }, /`host`: line 1 names no scheme \| Write `ssh:\/\/user@host`/],
    [{ host: 'deploy@manager:22' }, /names no scheme \| Write `ssh:\/\/deploy@manager:22`\./],
    [{ host: 'ssh://manager' }, /names no user \| Write `ssh:\/\/USER@manager`\./],
    [{ host: 'ssh://a@manager/var/run/docker.sock' }, /is no ssh address \| .*`docker-socket`/],
    [{ host: 'ssh://a@manager:70000' }, /70000 is no port/],
    [{ host: 'unix://docker.sock' }, /three slashes/],
    [{ host: 'https://manager' }, /"https" is no way to reach an engine/],
    [{ 'host-fingerprint': 'MD5:00:11' }, /`host-fingerprint`: line 1 is no fingerprint: MD5.* \| .*ssh-keygen -lf/],
    [{ 'host-key-check': 'no' }, /`host-key-check`: "no" is none of its values \| Write `strict` or `off`/],
    [{ 'docker-socket': 'docker.sock' }, /`docker-socket`: it is no absolute path/],
    [{ 'connect-timeout': '0' }, /`connect-timeout`: "0" is no time at all/],
    [{ timeout: '5 minutes' }, /`timeout`: "5 minutes" is no duration \| .*`1h30m`/],
    [{ timeout: '1m', monitor: '60s' }, /`monitor` is not less than `timeout`/],
    [{ wait: 'yes' }, /`wait`: "yes" is no boolean \| Write true or false/],
    [{ 'max-failures': '-1' }, /`max-failures`: "-1" is no whole number/],
    [{ 'log-lines': 'all' }, /`log-lines`: "all" is no whole number/],
    [
      { command: 'remove' },
      /`stack-name` is missing, and `command: remove` guesses none.* \| Set it to the name of the stack/,
    ],
    [{ command: 'up' }, /`command`: "up" is none of its values/],
    [{ 'stack-name': 'my app' }, /`stack-name` gives "my app".* \| Set `stack-name: my-app`/],
    [{ 'stack-name': 'shop.example' }, /Set `stack-name: shop-example`/],
    [{ 'resolve-image': 'ifnotpresent' }, /Write `always` or `changed` or `never`/],
    [{ variables: 'A=1\nB' }, /`variables`: line 2 is not KEY=value/],
    [{ variables: 'ACTIONS_STEP_DEBUG=1' }, /`variables`: no manifest can see ACTIONS_STEP_DEBUG/],
    [{ secrets: 'GITHUB_TOKEN=abcdef' }, /`secrets`: no manifest can see 1 of its names/],
  ]
  for (const [inputs, expected] of cases) {
    const { errors, inputs: value } = read({ ...LEAST, ...inputs })
    assert.equal(errors.length, 1, `${JSON.stringify(inputs)} gave ${JSON.stringify(errors)}`)
    assert.match(errors[0] ?? '', expected)
    assert.equal(value, undefined)
  }
})

test('all problems are reported in one go', () => {
  const { errors } = read({ host: 'nowhere', timeout: 'soon', wait: 'maybe', 'stack-name': '-', prune: 'yes' }, {}, {})
  assert.equal(errors.length, 6, errors.join('\n'))
})

test('a plan reads the manifest, and `expect-plan` is taken as it is', () => {
  const { command, manifest, expectPlan } = accepted({ ...LEAST, command: 'plan' })
  assert.deepEqual([command, manifest, expectPlan], ['plan', ['docker-stack.yml'], undefined])
  assert.equal(accepted({ ...LEAST, 'expect-plan': ' 0a-1b \n' }).expectPlan, '0a-1b')
  const ignored = read({ ...LEAST, command: 'plan', 'expect-plan': '0a-1b' })
  assert.deepEqual([ignored.inputs?.expectPlan, ignored.errors], [undefined, []])
  assert.match(ignored.warnings.join(), /`expect-plan` is ignored, since `command: plan` deploys nothing/)
  const { errors } = read({ ...LEAST, command: 'plan', manifest: '' }, {}, {})
  assert.match(errors.join(), /manifest/)
})

test('a rollback names its stack and perhaps a revision, and waits', () => {
  const rollback = { ...LEAST, command: 'rollback', 'stack-name': 'shop' }
  const { manifest, revision, onFailure } = accepted(rollback, {}, {})
  assert.deepEqual([manifest, revision, onFailure], [[], undefined, 'none'])
  const asked = accepted({ ...rollback, revision: '3', 'on-failure': 'rollback' })
  assert.deepEqual([asked.revision, asked.onFailure], [3, 'rollback'])
  for (const [inputs, expected] of [
    [{ 'stack-name': '' }, /`stack-name` is missing, and `command: rollback` reads no manifest/],
    [{ revision: '0' }, /`revision` is 0, and the first release record is 1/],
    [{ revision: 'v3' }, /`revision`: "v3"/],
    [{ 'on-failure': 'rollback', wait: 'false' }, /`on-failure: rollback` needs `wait`/],
    [{ monitor: '10m' }, /`monitor` is not less than `timeout`/],
  ] as const) {
    const { errors } = read({ ...rollback, ...inputs })
    assert.equal(errors.length, 1, errors.join('\n'))
    assert.match(errors[0] ?? '', expected)
  }
  assert.match(read({ ...LEAST, 'on-failure': 'rollback', wait: 'false' }).errors.join(), /needs `wait`/)
  assert.match(read({ ...LEAST, revision: '3' }).warnings.join(), /`revision` is ignored/)
})

test('a part of the manifest, a prune and a forced restart', () => {
  const { force, prune } = accepted({ ...LEAST, force: 'True', prune: 'true' })
  assert.deepEqual([force, prune], [true, true])
  const both = read({ ...LEAST, services: 'web', prune: 'true' })
  assert.equal(both.inputs?.prune, false)
  assert.match(both.warnings.join(), /`prune` is ignored, since `services` is given/)
  for (const name of ['services', 'force']) {
    assert.match(read({ ...LEAST, [name]: '# none' }).errors.join(), new RegExp(`\`${name}\` names no service`))
  }
  // What writes no manifest has no part of one.
  const status = accepted({ ...LEAST, command: 'status', services: 'web', force: 'true', prune: 'true' })
  assert.deepEqual([status.services, status.force, status.prune], [undefined, false, false])
})

test('a list of all stacks needs neither a name nor a manifest', () => {
  const { command, manifest, stackName } = accepted({ ...LEAST, command: 'list' }, {}, {})
  assert.deepEqual([command, manifest, stackName], ['list', [], undefined])
  // And no commit is told of it.
  const tells = (one: string) =>
    read({ ...LEAST, command: one, 'github-token': 'token' }, { GITHUB_REPOSITORY: 'acme/shop' }).gitHub.tells
  assert.deepEqual([tells('list'), tells('deploy')], [false, true])
})

test('what is forbidden is a list of known words, and the folder for bind sources an absolute path', () => {
  const { bindRoot, forbid } = accepted({
    ...LEAST,
    'bind-root': '/srv/app',
    forbid: 'bind-mounts\n# no ports\npublished-ports',
  })
  assert.equal(bindRoot, '/srv/app')
  assert.deepEqual([...forbid], ['bind-mounts', 'published-ports'])
  assert.deepEqual([...accepted(LEAST).forbid], [])
  const { errors } = read({ ...LEAST, 'bind-root': './app', forbid: 'bind-mounts\nprivileged' })
  assert.match(errors.join('\n'), /`bind-root`: "\.\/app" is no absolute path/)
  assert.match(errors.join('\n'), /`forbid`: line 2: "privileged" is none of its values \| It knows bind-mounts, /)
})

test('host-key-check: off is refused together with a password', () => {
  const { errors } = read({ ...LEAST, 'host-key-check': 'off', 'ssh-password': 'hunter22' })
  assert.match(errors.join('\n'), /would hand the password to whoever answers/)
})

test('the one manifest of the workspace is taken, two or none are an error that says so', () => {
  assert.deepEqual(accepted(LEAST, {}, { 'compose.yml': '' }).manifest, ['compose.yml'])
  const two = read(LEAST, {}, { 'compose.yml': '', 'stack.yml': '' })
  assert.match(two.errors.join(), /the workspace has stack\.yml and compose\.yml \| .*`manifest: stack\.yml`/)
  assert.match(read(LEAST, {}, {}).errors.join(), /has none of docker-stack\.yml, .* \| .*actions\/checkout/)
})

test('a status gains from the one manifest of the workspace, and needs none', () => {
  const status = { ...LEAST, command: 'status' }
  assert.deepEqual(accepted(status, {}, { 'compose.yml': '' }).manifest, ['compose.yml'])
  assert.deepEqual(accepted(status, {}, { 'compose.yml': '', 'stack.yml': '' }).manifest, [])
  assert.deepEqual(accepted(status, {}, {}).manifest, [])
  // It waits for nothing.
  assert.equal(accepted({ ...status, monitor: '1h', timeout: '1m' }, {}, {}).command, 'status')
})

test('a removal needs a name and no manifest, and what only a deployment uses does not matter to it', () => {
  const removal = { ...LEAST, command: 'remove', 'stack-name': 'shop' }
  const several = { 'compose.yml': '', 'stack.yml': '' }
  assert.deepEqual(accepted(removal, {}, {}).manifest, [])
  assert.deepEqual(accepted({ ...removal, manifest: 'gone.yml', monitor: '1h' }, {}, several).manifest, [])
  const unnamed = read({ ...LEAST, command: 'remove' }, { GITHUB_REPOSITORY: 'acme/shop' }, several)
  assert.equal(unnamed.inputs, undefined)
  assert.equal(unnamed.errors.length, 1)
})

test("another action's input is an error that says what to write here", () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['name', /Write `stack-name`/],
    ['stack_name', /Write `stack-name`/],
    ['stack', /Write `stack-name`/],
    ['file', /Write `manifest`/],
    ['compose-file', /Write `manifest`/],
    ['compose_file', /Write `manifest`/],
    ['user', /ssh:\/\/user@host:port/],
    ['username', /ssh:\/\/user@host:port/],
    ['port', /ssh:\/\/user@host:port/],
    ['docker_host', /ssh:\/\/user@host:port/],
    ['remote_host', /ssh:\/\/user@host:port/],
    ['pass', /`ssh-key`/],
    ['password', /`ssh-key`/],
    ['ssh_key', /Write `ssh-key`/],
    ['ssh-private-key', /Write `ssh-key`/],
    ['detach', /`wait: false`/],
    ['registry_auth', /Write `registry-auth`/],
    ['registry-password', /`registry-auth`/],
    ['env_file', /Write `env-file`/],
  ]
  for (const [name, expected] of cases) {
    const { errors } = read({ ...LEAST, [name]: 'x' })
    assert.match(errors.join(), expected, name)
    assert.equal(read({ ...LEAST, [name]: '' }).errors.length, 0, name)
  }
})

test('any other unknown input is a warning, with a guess where there is one', () => {
  const { inputs, warnings } = read({ ...LEAST, 'stackk-name': 'x', 'time-out': '5m', zebra: 'x', constructor: 'x' })
  assert.ok(inputs)
  assert.deepEqual(warnings.sort(), [
    'there is no input `constructor`, and its value is ignored | docs/inputs.md lists them all.',
    'there is no input `stackk-name`, and its value is ignored | Did you mean `stack-name`?',
    'there is no input `time-out`, and its value is ignored | Did you mean `timeout`?',
    'there is no input `zebra`, and its value is ignored | docs/inputs.md lists them all.',
  ])
})

test('no message holds the text of a secret, however faulty it is', () => {
  const planted = 'PLANTED-hunter2'
  const { problems, secretsToMask } = read({
    host: `ssh://deploy:${planted}@manager`,
    'ssh-key': planted,
    'ssh-key-passphrase': planted,
    secrets: `A=${planted}\n${planted}\nA=${planted}\nB<<${planted}\n`,
    'registry-auth': `registry.example.com ci ${planted}`,
    'tls-key': planted,
    'github-token': planted,
  })
  assert.ok(problems.length > 3)
  assert.ok(!JSON.stringify(problems).includes(planted))
  assert.ok(secretsToMask.some(([, secret]) => secret === planted))
  const json = read({ ...LEAST, secrets: `{"A": "${planted}", oops}` })
  assert.match(
    json.errors.join(),
    /`secrets`: it begins with "\{" and is no JSON object: line 1, column \d+ should have a name in double quotes/,
  )
  assert.ok(!json.errors.join().includes(planted))
})

test('every secret is to be masked, and an empty one is named', () => {
  const auth = Buffer.from('ci:p4ssword').toString('base64')
  const { secretsToMask, warnings } = read({
    ...LEAST,
    'ssh-key-passphrase': 'opens it',
    secrets: 'LONG=correct horse\nPIN=123\nNONE=',
    'registry-auth': JSON.stringify({ auths: { 'r.example.com': { auth, identitytoken: 'idtoken1' } } }),
    'github-token': 'ghs_token',
  })
  assert.deepEqual(
    secretsToMask.map(([, secret]) => secret).sort(),
    [KEY, '123', auth, 'ci:p4ssword', 'correct horse', 'ghs_token', 'idtoken1', 'opens it', 'p4ssword'].sort(),
  )
  assert.ok(secretsToMask.some(([name, secret]) => name === 'PIN in `secrets`' && secret === '123'))
  assert.match(
    warnings.join(),
    /`secrets`: NONE has an empty value \| GitHub gives an empty text for a secret that is misspelt/,
  )
})

test('a fingerprint is taken as ssh-keygen prints it, and one that is cut off is called that', () => {
  const print = `SHA256:${'a'.repeat(43)}`
  for (const line of [print, `256 ${print} root@manager (ED25519)`, `256 ${print} no comment (ED25519)`]) {
    assert.deepEqual(accepted({ ...LEAST, 'host-fingerprint': line }).hostFingerprints, [
      { host: undefined, port: undefined, fingerprint: print },
    ])
  }
  const named = accepted({ ...LEAST, 'host-fingerprint': `manager:2222 3072 ${print} root@manager (RSA)` })
  assert.deepEqual(named.hostFingerprints, [{ host: 'manager', port: 2222, fingerprint: print }])
  assert.match(
    read({ ...LEAST, 'host-fingerprint': 'manager SHA256:abc' }).errors.join(),
    /line 1 is no fingerprint: it is cut off/,
  )
})

test('log-lines: auto shows nothing where everyone could read it', () => {
  const event = (repository: unknown) => ({ 'docker-stack.yml': '', '/event.json': JSON.stringify({ repository }) })
  const env = { GITHUB_EVENT_PATH: '/event.json' }
  const of = (repository: unknown, inputs = {}) => {
    const { logLines, logLinesHidden } = accepted({ ...LEAST, ...inputs }, env, event(repository))
    return { logLines, logLinesHidden }
  }
  assert.deepEqual(of({ private: false }), { logLines: 0, logLinesHidden: true })
  assert.deepEqual(of({ private: false, visibility: 'public' }), { logLines: 0, logLinesHidden: true })
  assert.deepEqual(of({ private: false, visibility: 'internal' }), { logLines: 30, logLinesHidden: false })
  assert.deepEqual(of({ private: true }), { logLines: 30, logLinesHidden: false })
  assert.deepEqual(of({ private: false }, { 'log-lines': '12' }), { logLines: 12, logLinesHidden: false })
})

test("a privileged event for another repository's commit is refused", () => {
  const base = { full_name: 'acme/shop' }
  const fork = (name: string, payload: unknown) =>
    read(
      LEAST,
      { GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: '/e' },
      { 'stack.yml': '', '/e': JSON.stringify({ repository: base, ...(payload as object) }) },
    ).errors
  const head = (repo: unknown) => ({ pull_request: { head: { repo } } })
  assert.match(fork('pull_request_target', head({ full_name: 'mallory/shop' })).join(), /commit of another repository/)
  assert.match(fork('pull_request_target', head(null)).join(), /commit of another repository/)
  assert.match(fork('workflow_run', { workflow_run: { head_repository: { full_name: 'm/s' } } }).join(), /another/)
  assert.deepEqual(fork('pull_request_target', head(base)), [])
  assert.deepEqual(fork('workflow_run', { workflow_run: { head_repository: base } }), [])
  assert.deepEqual(fork('pull_request', head({ full_name: 'mallory/shop' })), [])
  assert.ok(accepted({ ...LEAST, 'allow-forks': 'true' }, { GITHUB_EVENT_NAME: 'pull_request_target' }))
})

test('an event that cannot be read is called so, and is not taken for a harmless one', () => {
  const errors = (env: Readonly<Record<string, string>>, files = {}) =>
    read(LEAST, { GITHUB_EVENT_NAME: 'pull_request_target', ...env }, { 'stack.yml': '', ...files }).errors.join()
  for (const files of [{}, { '/e': '{ cut off' }]) {
    const error = errors({ GITHUB_EVENT_PATH: '/e' }, files)
    assert.match(
      error,
      /nobody can tell whether .* \$GITHUB_EVENT_PATH \(\/e\), cannot be read, or is no JSON \| See that/,
    )
  }
  assert.match(errors({}), /\$GITHUB_EVENT_PATH \(not set\)/)
  assert.match(errors({ GITHUB_EVENT_PATH: '/e' }, { '/e': '{}' }), /\(\/e\), does not say/)

  const push = { GITHUB_EVENT_NAME: 'push', GITHUB_EVENT_PATH: '/e' }
  const { inputs, warnings } = read(LEAST, push)
  assert.match(warnings.join(), /what the event push is about is not known/)
  assert.deepEqual([inputs?.logLines, inputs?.logLinesHidden], [0, true])
  assert.equal(accepted({ ...LEAST, 'log-lines': '7' }, push).logLines, 7)
  // Outside of GitHub there is none.
  assert.deepEqual(read(LEAST).warnings, [])
})

test('every input is checked, also one that this run has no use for', () => {
  const junk = { 'allow-forks': 'perhaps', comment: 'perhaps', revision: 'x', 'expect-plan': 'a\nb', history: '-1' }
  for (const command of ['deploy', 'plan', 'remove', 'status', 'list', 'rollback']) {
    const { errors } = read({ ...LEAST, ...junk, command, 'stack-name': 'shop' })
    for (const name of Object.keys(junk)) assert.match(errors.join('\n'), new RegExp(`\`${name}\``), command)
  }
})

test('remove-volumes is for a removal, and elsewhere says that it does nothing', () => {
  assert.match(read({ ...LEAST, 'remove-volumes': 'true' }).warnings.join(), /`remove-volumes` is ignored/)
  const removal = { ...LEAST, command: 'remove', 'stack-name': 'shop', 'remove-volumes': 'true' }
  assert.equal(accepted(removal).removeVolumes, true)
  assert.deepEqual(read(removal).warnings, [])
})

test('GitHub is told of the commit that the event is about', () => {
  const [head, other] = ['1'.repeat(40), '2'.repeat(40)]
  const told = (name: string, payload: unknown, inputs: Readonly<Record<string, string>> = {}) =>
    read(
      { ...LEAST, 'github-token': 'ghs_token', ...inputs },
      {
        ...{ GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: '/e', GITHUB_REPOSITORY: 'acme/shop', GITHUB_SHA: other },
        ...{ GITHUB_SERVER_URL: 'https://github.test', GITHUB_RUN_ID: '7', GITHUB_RUN_ATTEMPT: '2' },
      },
      { 'stack.yml': '', '/e': JSON.stringify(payload) },
    ).gitHub
  const repo = { full_name: 'acme/shop' }
  for (const name of ['push', 'create', 'workflow_dispatch', 'schedule', 'release', 'merge_group']) {
    const {
      sha,
      pullRequest,
      runUrl,
      owner,
      repo: repository,
      tells,
      statusCheck,
    } = told(name, { ref: 'refs/tags/v1' })
    assert.deepEqual([sha, pullRequest], [other, undefined], name)
    assert.deepEqual([owner, repository, tells, statusCheck], ['acme', 'shop', true, 'auto'])
    assert.equal(runUrl, 'https://github.test/acme/shop/actions/runs/7/attempts/2')
  }
  const pull = told('pull_request', { pull_request: { number: 5, head: { sha: head, repo } } })
  assert.deepEqual([pull.sha, pull.pullRequest], [head, 5])
  const comment = told('issue_comment', { issue: { number: 6, pull_request: { url: 'x' } } })
  assert.deepEqual([comment.sha, comment.pullRequest], [other, 6])
  assert.equal(told('issue_comment', { issue: { number: 6 } }).pullRequest, undefined)
  const run = told('workflow_run', { repository: repo, workflow_run: { head_sha: head, head_repository: repo } })
  assert.equal(run.sha, head)
  assert.equal(told('push', {}, { 'github-token': '' }).tells, false)
})

test('what GitHub is asked to show is not left out in silence for want of a token', () => {
  const warned = (inputs: Readonly<Record<string, string>>): string =>
    read({ ...LEAST, ...inputs })
      .warnings.filter((text) => text.includes('github-token'))
      .join()
  assert.equal(warned({}), '')
  assert.equal(warned({ comment: 'true', 'github-token': 'ghs_token' }), '')
  assert.match(warned({ comment: 'true' }), /although `comment` asks for it: the input `github-token` is empty/)
  assert.match(warned({ comment: 'true', 'status-check': 'true' }), /although `status-check` and `comment` ask/)
})

test('a deployment needs an environment, and an address is one for a browser', () => {
  assert.match(
    read({ ...LEAST, deployment: 'true' }).errors.join(),
    /`deployment` is true, and `environment` is not given/,
  )
  assert.match(read({ ...LEAST, 'environment-url': 'javascript:x' }).errors.join(), /no web address .*https/)
})
