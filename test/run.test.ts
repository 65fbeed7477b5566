// The whole action without a swarm: that it always ends with a report.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { fakeEngine, managerInfo, stageProcess } from './support/stagedProcess.ts'

/** A port that takes connections and says nothing. */
async function silentPort(t: TestContext): Promise<{ readonly port: number; readonly reached: Promise<void> }> {
  let reach = (): void => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const sockets: net.Socket[] = []
  const server = net.createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    reach()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as net.AddressInfo).port, reached }
}

test('a second signal cuts the wait short, and the outputs are there all the same', async (t) => {
  const { port, reached } = await silentPort(t)
  const { host, run: go, outputs } = stageProcess(t, port)
  const ended = go()
  await reached
  host.emit('SIGINT')
  host.emit('SIGTERM')
  assert.equal(await ended, 1)
  const { status, changed, 'failure-reason': reason } = outputs()
  assert.deepEqual([status, changed, reason], ['cancelled', 'false', 'cancelled'])
})

test('a log that nobody takes any more breaks nothing off', async (t) => {
  const { port, reached } = await silentPort(t)
  const { host, run: go, outputs } = stageProcess(t, port)
  host.env['INPUT_CONNECT-TIMEOUT'] = '200ms'
  const ended = go()
  await reached
  host.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  assert.equal(await ended, 1)
  const { 'failure-reason': reason, 'failure-message': message } = outputs()
  assert.equal(reason, 'connection')
  assert.match(message ?? '', /took more than 0\.2 s/)
})

test('mistakes in inputs, key and manifest are all told at once, and nobody is connected to', async (t) => {
  const { host, folder, run: go, said, outputs } = stageProcess(t, 9)
  fs.writeFileSync(path.join(folder, 'stack.yml'), 'services:\n  web:\n    image: nginx\n    imagee: 1\n')
  Object.assign(host.env, {
    INPUT_WAIT: 'maybe',
    INPUT_TIMEOUT: 'soon',
    'INPUT_SSH-KEY': 'no key',
    'INPUT_REGISTRY-AUTH': 'x',
  })
  assert.equal(await go(), 1)
  for (const mistake of [
    /the input `wait`: "maybe" is no boolean/,
    /the input `timeout`: "soon" is no duration/,
    /The input `ssh-key` can't be used/,
    /line 1 of "registry-auth" is not/,
    /stack\.yml:4:5: .*imagee/,
  ]) {
    assert.match(said(), mistake)
  }
  assert.doesNotMatch(said(), /Could not connect/)
  const { status, 'failure-reason': reason } = outputs()
  assert.deepEqual([status, reason], ['refused', 'input'])
})

test('outputs that could not be written end the run before anything is sent, together with all other mistakes', async (t) => {
  const { host, folder, run: go, said } = stageProcess(t, 9)
  host.env.GITHUB_OUTPUT = folder
  host.env['INPUT_SSH-KEY'] = 'no key'
  assert.equal(await go(), 1)
  assert.equal(said().match(/GITHUB_OUTPUT/g)?.length, 1)
  assert.match(
    said(),
    /^::error::no outputs can be written into the runner's file, \$GITHUB_OUTPUT: EISDIR.*disk has room/m,
  )
  assert.match(said(), /`ssh-key` can't be used/)
  assert.match(said(), /\(refused, /)
})

test('a summary that could not be written is a warning, and the verdict stays', async (t) => {
  const { host, folder, run: go, said, outputs } = stageProcess(t, 9)
  Object.assign(host.env, { GITHUB_STEP_SUMMARY: folder, INPUT_SUMMARY: 'true' })
  assert.equal(await go(), 1)
  assert.equal(outputs()['failure-reason'], 'connection')
  assert.match(
    said(),
    /^::warning::no job summary can be written into the runner's file, \$GITHUB_STEP_SUMMARY: EISDIR/m,
  )
})

test('keys and logins are checked also where the manifest cannot be known', async (t) => {
  const { host, run: go, said } = stageProcess(t, 9)
  Object.assign(host.env, {
    INPUT_VARIABLES: 'no equals sign',
    'INPUT_ALLOW-FORKS': 'perhaps',
    'INPUT_SSH-KEY': 'no key',
    'INPUT_REGISTRY-AUTH': '{"auths":{"a.example":{"auth":"!"},"b.example":{"auth":"!"}}}',
  })
  assert.equal(await go(), 1)
  const errors = said().match(/^::error::.*/gm) ?? []
  const expected = [/`allow-forks`/, /`variables`/, /"a\.example"/, /"b\.example"/, /`ssh-key` can't be used/]
  assert.equal(errors.length, expected.length, said())
  for (const [index, one] of expected.entries()) assert.match(errors[index] ?? '', one)
})

for (const command of ['remove', 'status', 'list', 'rollback']) {
  test(`command: ${command} refuses a login for registries that it can't read`, async (t) => {
    const { host, run: go, said } = stageProcess(t, 9)
    Object.assign(host.env, { INPUT_COMMAND: command, 'INPUT_REGISTRY-AUTH': 'ghcr.io me' })
    assert.equal(await go(), 1)
    assert.match(said(), /::error.*line 1 of "registry-auth" is not/)
    assert.doesNotMatch(said(), /connect/i)
  })
}

for (const [name, says] of [
  ['my shop', 'gives "my shop", which is no name'],
  ['shop\nweb', String.raw`gives "shop\nweb", which is no name`],
] as const) {
  test(`a bad stack-name hides no mistake of the manifest, and is told once: ${JSON.stringify(name)}`, async (t) => {
    const { host, folder, run: go, said, outputs } = stageProcess(t, 9)
    host.env['INPUT_STACK-NAME'] = name
    fs.writeFileSync(path.join(folder, 'stack.yml'), 'name: a b\nservices:\n  web:\n    image: nginx\n    imagee: 1\n')
    assert.equal(await go(), 1)
    const errors = said().match(/^::error.*/gm) ?? []
    assert.equal(errors.length, 2, said())
    assert.ok(errors[0]?.includes(says), errors[0])
    assert.match(errors[1] ?? '', /stack\.yml,line=5/)
    assert.equal(outputs()['stack-name'], '')
  })
}

test('where the variables are faulty, what the manifest makes of them is not held against it', async (t) => {
  const { host, folder, run: go, said } = stageProcess(t, 9)
  // biome-ignore lint/suspicious/noTemplateCurlyInString: interpolation is the manifest's
  fs.writeFileSync(path.join(folder, 'stack.yml'), 'services:\n  web:\n    image: ${IMAGE:?which image}\n')
  Object.assign(host.env, { INPUT_VARIABLES: 'IMAGE nginx' })
  assert.equal(await go(), 1)
  assert.match(said(), /the input `variables`: line 1 is not KEY=value/)
  assert.doesNotMatch(said(), /which image/)
})

test('a key that cannot be read is the failure itself, told before the first connection', async (t) => {
  const { host, run: go, outputs } = stageProcess(t, 9)
  Object.assign(host.env, { 'INPUT_SSH-KEY': 'no key' })
  assert.equal(await go(), 1)
  const { 'failure-reason': reason, 'failure-message': message } = outputs()
  assert.equal(reason, 'authentication')
  assert.match(message ?? '', /^The input `ssh-key` can't be used/)
})

test('an engine that takes calls and never answers is given up with the time for connecting', async (t) => {
  const { host, run: go, outputs } = stageProcess(t, 9)
  Object.assign(host.env, { INPUT_HOST: await fakeEngine(t, () => undefined), 'INPUT_CONNECT-TIMEOUT': '300ms' })
  assert.equal(await go(), 1)
  const { status, 'failure-reason': reason, 'failure-message': message } = outputs()
  assert.deepEqual([status, reason], ['refused', 'connection'])
  assert.match(message ?? '', /did not answer within 0\.3 s/)
})

for (const [what, info] of [
  ['nothing', '{}'],
  ['a version that is none', '{"Name":5,"ServerVersion":null,"Swarm":{"LocalNodeState":"active"}}'],
  ['a version that is an object', '{"Name":{},"ServerVersion":{"a":[null]},"Swarm":5}'],
] as const) {
  test(`an engine that says ${what} of itself ends the run with a report`, async (t) => {
    const { host, run: go, outputs } = stageProcess(t, 9)
    Object.assign(host.env, { INPUT_HOST: await fakeEngine(t, () => info) })
    assert.equal(await go(), 1)
    const { status, 'failure-reason': reason } = outputs()
    assert.deepEqual([status, reason], ['refused', 'not-a-manager'])
  })
}

for (const [command, mounted, end] of [
  ['deploy', 'runner-key', ['refused', 'forbidden']],
  ['plan', 'runner-key', ['refused', 'forbidden']],
  ['plan', 'another-key', ['planned', '']],
] as const) {
  test(`command: ${command} of a stack with the secret Runner-Key, where ${mounted} is mounted for the action: ${end[0]}`, async (t) => {
    const secret = { ID: 's1', Version: { Index: 1 }, Spec: { Name: 'Runner-Key' } }
    const calls: string[] = []
    const { host, folder, run: go, said, outputs } = stageProcess(t, 9)
    const manifest = `services:
  web:
    image: nginx
    secrets: [key]
secrets:
  key: { external: true, name: Runner-Key }
`
    fs.writeFileSync(path.join(folder, 'stack.yml'), manifest)
    const secrets = path.join(folder, 'secrets')
    fs.mkdirSync(secrets)
    fs.writeFileSync(path.join(secrets, mounted), 'x')
    Object.assign(host.env, {
      INPUT_COMMAND: command,
      'INPUT_RESOLVE-IMAGE': 'never',
      INPUT_HOST: await fakeEngine(t, (call) => {
        calls.push(call)
        if (/\/(info|_ping)$/.test(call)) return JSON.stringify(managerInfo)
        return /^GET \S*\/secrets/.test(call) ? JSON.stringify([secret]) : '[]'
      }),
    })
    const code = await go(secrets)
    const { status, 'failure-reason': reason } = outputs()
    assert.deepEqual([status, reason], end, said())
    assert.equal(code, reason === '' ? 0 : 1)
    const refusal = /file=stack\.yml,line=4.*service web mounts the protected secret "Runner-Key".*\/run\/secrets/
    assert.equal(refusal.test(said()), reason !== '', said())
    assert.deepEqual(
      calls.filter((call) => !call.startsWith('GET ')),
      [],
    )
  })
}

test('months of patience are not none', async (t) => {
  const { host, run: go, outputs } = stageProcess(t, 9)
  Object.assign(host.env, {
    INPUT_HOST: await fakeEngine(t, () => '{}'),
    'INPUT_CONNECT-TIMEOUT': '2000h',
    INPUT_TIMEOUT: '9000h',
  })
  assert.equal(await go(), 1)
  assert.equal(outputs()['failure-reason'], 'not-a-manager')
})

test('a time-out says what was going on', async (t) => {
  const { host, run: go, outputs } = stageProcess(t, 9)
  Object.assign(host.env, {
    INPUT_HOST: await fakeEngine(t, () => undefined),
    INPUT_TIMEOUT: '300ms',
    INPUT_MONITOR: '0',
  })
  assert.equal(await go(), 1)
  const { 'failure-reason': reason, 'failure-message': message } = outputs()
  assert.equal(reason, 'timeout')
  assert.equal(message, 'The time was up while connecting to the manager, before anything was written.')
})
