// What nobody expected, anywhere in the action: it still ends with a report, on GitHub too, and without a secret.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startGitHubServer } from './support/gitHubServer.ts'
import { fakeEngine, managerInfo, stageProcess } from './support/stagedProcess.ts'

const SECRET = 'correct-horse-battery'
const SHA = 'a'.repeat(40)

/** A run of a repository that GitHub is told about. */
async function onGitHub(t: TestContext) {
  const server = await startGitHubServer()
  t.after(() => server.close())
  const staged = stageProcess(t, 9)
  Object.assign(staged.host.env, {
    GITHUB_API_URL: server.url,
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_SHA: SHA,
    'INPUT_GITHUB-TOKEN': 'ghs_0123456789abcdef',
    INPUT_SECRETS: `PASSWORD=${SECRET}`,
    INPUT_SUMMARY: 'true',
  })
  const ended = () => server.statuses.at(-1)
  return { server, ended, ...staged }
}

const manager = JSON.stringify(managerInfo)

test('an exception that nobody caught ends in a report, says what to do, and shows no secret and no stack', async (t) => {
  const { host, run: go, said, outputs, summary, ended } = await onGitHub(t)
  let asked = (): void => {}
  const reached = new Promise<void>((resolve) => {
    asked = resolve
  })
  host.env.INPUT_HOST = await fakeEngine(t, () => {
    asked()
    return undefined
  })
  const ending = go()
  await reached
  host.emit('uncaughtException', new TypeError(`can't read '${SECRET}' of undefined`))
  assert.equal(await ending, 1)
  const { status, 'failure-reason': reason, 'failure-message': message } = outputs()
  assert.deepEqual([status, reason], ['refused', 'internal'])
  assert.equal(message, "An unexpected error while connecting to the manager: can't read '***' of undefined")
  assert.match(summary(), /What to do:\*\* .*fault of the action.*report it/)
  assert.equal(ended()?.state, 'error')
  assert.match(ended()?.description ?? '', /^refused: An unexpected error while connecting/)
  const lines = said()
    .split('\n')
    .filter((line) => !line.startsWith('::add-mask::'))
  assert.doesNotMatch([...lines, summary(), JSON.stringify([outputs(), ended()])].join('\n'), /correct-horse/)
  // The stack helps whoever mends it, and is shown to those who ask for it.
  const stack = lines.filter((line) => /\bat .*:\d+:\d+/.test(line))
  assert.ok(stack.length > 0 && stack.every((line) => line.startsWith('::debug::')), stack.join('\n'))
})

test('after an exception that nobody caught nothing more is written', async (t) => {
  const { host, folder, run: go, said, outputs } = await onGitHub(t)
  fs.writeFileSync(path.join(folder, 'stack.yml'), 'services:\n  web:\n    image: nginx\n  db:\n    image: postgres\n')
  const writes: string[] = []
  let arrived = (): void => {}
  const writing = new Promise<void>((resolve) => {
    arrived = resolve
  })
  let answer = (): void => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  host.env['INPUT_RESOLVE-IMAGE'] = 'never'
  host.env.INPUT_HOST = await fakeEngine(t, async (call) => {
    if (/\/(info|_ping)$/.test(call)) return manager
    if (call.startsWith('GET ')) return '[]'
    writes.push(call)
    arrived()
    await held
    return '{"ID":"x1","Id":"x1"}'
  })
  const ending = go()
  await Promise.race([writing, ending])
  host.emit('uncaughtException', new Error('out of the blue'))
  assert.equal(await ending, 1)
  assert.equal(outputs().status, 'failed', said())
  assert.equal(outputs().changed, 'true')
  assert.match(said(), /^Unknown whether applied: network shop_default$/m)
  assert.match(said(), /^Not applied: .*service shop_/m)
  answer()
  await sleep(1500)
  assert.equal(writes.length, 1, writes.join('\n'))
})

test('an exception while the inputs are read ends in a report too', async (t) => {
  const { host, run: go, outputs } = stageProcess(t, 9)
  Object.defineProperty(host.env, 'INPUT_WAIT', {
    enumerable: true,
    get: () => {
      throw new Error('no such thing')
    },
  })
  assert.equal(await go(), 1)
  const { status, 'failure-reason': reason } = outputs()
  assert.deepEqual([status, reason], ['refused', 'internal'])
})

test('whatever is wrong with the inputs, a stack whose name they say gets its status', async (t) => {
  const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'no such command': { INPUT_COMMAND: 'depoly' },
    'no manifest': { INPUT_MANIFEST: 'missing.yml' },
    'a time that is none': { INPUT_TIMEOUT: 'soon' },
    'faulty variables': { INPUT_VARIABLES: 'no equals sign' },
    'a command that reads no manifest, and a key that is none': { INPUT_COMMAND: 'remove', 'INPUT_SSH-KEY': 'none' },
  }
  for (const [what, env] of Object.entries(cases)) {
    const { host, run: go, outputs, ended, server } = await onGitHub(t)
    Object.assign(host.env, env)
    assert.equal(await go(), 1, what)
    assert.equal(outputs()['stack-name'], 'shop', what)
    assert.deepEqual([ended()?.context, ended()?.state, ended()?.sha], ['swarm/shop', 'failure', SHA], what)
    assert.deepEqual(server.violations, [], what)
  }
})

test('the mistakes of a manifest are told in the name of its stack, where that can be read', async (t) => {
  const mistake = 'services:\n  web:\n    imagee: nginx\n'
  const cases: Readonly<Record<string, string | undefined>> = {
    [`name: till\n${mistake}`]: 'swarm/till',
    [mistake]: 'swarm/shop',
    [`name: \${NAME:?which one}\n${mistake}`]: undefined,
    [`name: my till\n${mistake}`]: undefined,
    'services: [': undefined,
  }
  for (const [manifest, context] of Object.entries(cases)) {
    const { host, folder, run: go, outputs, server } = await onGitHub(t)
    host.env['INPUT_STACK-NAME'] = ''
    fs.writeFileSync(path.join(folder, 'stack.yml'), manifest)
    assert.equal(await go(), 1)
    assert.deepEqual([...new Set(server.statuses.map((status) => status.context))], context ? [context] : [], manifest)
    assert.equal(outputs()['stack-name'], context?.replace('swarm/', '') ?? '')
    if (context) assert.equal(server.statuses.at(-1)?.state, 'failure')
  }
})

test('a name that no stack can have gets no status', async (t) => {
  const { host, run: go, server } = await onGitHub(t)
  host.env['INPUT_STACK-NAME'] = 'my shop'
  assert.equal(await go(), 1)
  assert.deepEqual(server.requests, [])
})
