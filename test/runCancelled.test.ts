// The runner's cancel at each step of a deployment: the run ends at once, and tells what is applied, what is not, and what is unknown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGitHubServer } from './support/gitHubServer.ts'
import { fakeEngine, stageProcess } from './support/stagedProcess.ts'

/** The runner sends SIGTERM after 7.5 s. Where nothing has to be waited for, far less is needed, also on a slow machine. */
const AT_ONCE = 3500

/** A write that is under way is waited for, 4 s at most: then more is known. */
const AFTER_A_WRITE = 6500

const manager = JSON.stringify({
  Name: 'manager-a',
  ServerVersion: '28.2.2',
  SystemTime: new Date().toISOString(),
  Swarm: { LocalNodeState: 'active', ControlAvailable: true, NodeID: 'n1', Cluster: { ID: 'c1' } },
})

/** The variables of a step that tells GitHub how it goes. */
function gitHubAt({ url }: { readonly url: string }): Readonly<Record<string, string>> {
  return {
    GITHUB_API_URL: url,
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_SHA: 'a'.repeat(40),
    'INPUT_GITHUB-TOKEN': 'ghs_0123456789abcdef',
  }
}

/** Answers as an empty swarm that takes every write, up to the first call that is to be held. */
function swarmUpTo(held: RegExp) {
  let arrived = (): void => {}
  const reached = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const networks: object[] = []
  const answer = (call: string): string | undefined => {
    if (held.test(call)) {
      arrived()
      return undefined
    }
    if (/\/(info|_ping)$/.test(call)) return manager
    if (/^POST .*\/networks\/create$/.test(call))
      networks.push({ Id: 'x1', Name: 'shop_default', Scope: 'swarm', Driver: 'overlay' })
    if (call.startsWith('POST ')) return '{"ID":"x1","Id":"x1"}'
    return /\/networks\b/.test(call) ? JSON.stringify(networks) : '[]'
  }
  return { answer, reached }
}

interface Case {
  readonly held: RegExp
  readonly while: RegExp
  /** `Applied: …` and its like at the end of the log. */
  readonly lists: Readonly<Record<string, string>>
}

const NOTHING = {}
const cases: Readonly<Record<string, Case>> = {
  'while it connects': {
    held: /\/info$/,
    while: /while connecting to the manager, before anything was written/,
    lists: NOTHING,
  },
  'while it reads the swarm': {
    held: /^GET \S*\/networks/,
    while: /while reading the swarm.*, before anything was written/,
    lists: NOTHING,
  },
  'at its first write': {
    held: /^POST .*\/networks\/create/,
    while: /Nothing was rolled back; the log lists what is applied/,
    lists: { 'Unknown whether applied': 'network shop_default', 'Not applied': 'service shop_web' },
  },
  'at a later write': {
    held: /^POST .*\/services\/create/,
    while: /Nothing was rolled back; the log lists what is applied/,
    lists: { Applied: 'network shop_default', 'Unknown whether applied': 'service shop_web' },
  },
  'at the release record': {
    held: /^POST .*\/configs\/create/,
    while: /Nothing was rolled back; the log lists what is applied/,
    lists: { Applied: 'network shop_default, service shop_web' },
  },
}

for (const [when, { held, while: during, lists }] of Object.entries(cases)) {
  test(`cancelled ${when}`, async (t) => {
    const server = await startGitHubServer()
    t.after(() => server.close())
    const { answer, reached } = swarmUpTo(held)
    const { host, run: go, said, outputs, summary } = stageProcess(t, 9)
    Object.assign(host.env, {
      INPUT_HOST: await fakeEngine(t, answer),
      'INPUT_RESOLVE-IMAGE': 'never',
      INPUT_SUMMARY: 'true',
      ...gitHubAt(server),
    })
    const ending = go()
    await Promise.race([reached, ending])
    const at = performance.now()
    host.emit('SIGINT')
    assert.equal(await ending, 1)
    const took = performance.now() - at
    assert.ok(took < (lists['Unknown whether applied'] ? AFTER_A_WRITE : AT_ONCE), `it took ${took} ms\n${said()}`)
    const { status, changed, 'failure-reason': reason, 'failure-message': message } = outputs()
    assert.deepEqual([status, reason], ['cancelled', 'cancelled'], said())
    assert.match(message ?? '', during)
    assert.equal(changed, String(lists !== NOTHING))
    for (const label of ['Applied', 'Not applied', 'Unknown whether applied']) {
      assert.equal(new RegExp(`^${label}: (.*)$`, 'm').exec(said())?.[1], lists[label], said())
    }
    assert.match(summary(), /was cancelled on its way/)
    const last = server.statuses.at(-1)
    assert.deepEqual([last?.context, last?.state], ['swarm/shop', 'error'])
    assert.match(last?.description ?? '', /^cancelled: The run was cancelled while/)
  })
}

test('cancelled before its inputs are read, it connects to nobody', async (t) => {
  const { host, run: go, outputs } = stageProcess(t, 9)
  const calls: string[] = []
  host.env.INPUT_HOST = await fakeEngine(t, (call) => {
    calls.push(call)
    return manager
  })
  const ending = go()
  host.emit('SIGINT')
  assert.equal(await ending, 1)
  assert.equal(outputs().status, 'cancelled')
  assert.deepEqual(calls, [])
})

test('cancelled while GitHub is told the end, the verdict stays and the wait is short', async (t) => {
  const server = await startGitHubServer()
  t.after(() => server.close())
  let asked = (): void => {}
  const reached = new Promise<void>((resolve) => {
    asked = resolve
  })
  server.fault = () => {
    asked()
    return 'silence'
  }
  for (const signals of [['SIGINT'], ['SIGINT', 'SIGTERM']]) {
    const { host, run: go, outputs } = stageProcess(t, 9)
    Object.assign(host.env, {
      INPUT_TIMEOUT: 'soon',
      ...gitHubAt(server),
    })
    const ending = go()
    await reached
    while (outputs().status === undefined) await new Promise(setImmediate)
    const at = performance.now()
    for (const signal of signals) host.emit(signal)
    assert.equal(await ending, 1)
    const took = performance.now() - at
    assert.ok(took < (signals.length === 1 ? AT_ONCE : 1400), `it took ${took} ms`)
    assert.equal(outputs().status, 'refused')
  }
})

test('a second signal ends the wait for what does not stop', async (t) => {
  const server = await startGitHubServer()
  t.after(() => server.close())
  server.fault = () => 'silence'
  const { answer, reached } = swarmUpTo(/^POST .*\/services\/create/)
  const { host, run: go, outputs, said } = stageProcess(t, 9)
  Object.assign(host.env, {
    INPUT_HOST: await fakeEngine(t, answer),
    'INPUT_RESOLVE-IMAGE': 'never',
    ...gitHubAt(server),
  })
  const ending = go()
  await reached
  const at = performance.now()
  host.emit('SIGINT')
  host.emit('SIGINT')
  assert.equal(await ending, 1)
  assert.ok(performance.now() - at < 1400, `it took ${performance.now() - at} ms`)
  assert.equal(outputs().status, 'cancelled')
  assert.match(said(), /^Unknown whether applied: service shop_web$/m)
})
