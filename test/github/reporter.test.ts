import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connectGitHub } from '../../src/github/gitHub.ts'
import { createReporter } from '../../src/github/reporter.ts'
import type { GitHubSettings } from '../../src/github/settings.ts'
import type { Outcome } from '../../src/report/outcome.ts'
import { type Fault, type GitHubServer, startGitHubServer } from '../support/gitHubServer.ts'

const SHA = 'a'.repeat(40)
const STATUS = 'POST /repos/{owner}/{repo}/statuses/{sha}'
const COMMENTS = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments'
const RUN = 'https://github.test/acme/shop/actions/runs/7/attempts/1'
const patient = (): AbortSignal => AbortSignal.timeout(20_000)

const settings: GitHubSettings = {
  tells: true,
  statusCheck: 'auto',
  deployment: false,
  comment: false,
  isPlan: false,
  environment: undefined,
  environmentUrl: undefined,
  sha: SHA,
  pullRequest: undefined,
  runUrl: RUN,
}

const good: Outcome = {
  status: 'converged',
  stackName: 'shop',
  durationMs: 42_000,
  changes: [{ kind: 'service', name: 'shop_web', action: 'update', fields: ['image'] }],
  services: [
    {
      name: 'web',
      mode: 'replicated',
      image: 'nginx:1',
      running: 2,
      desired: 2,
      completed: 0,
      state: 'converged',
      reason: '',
    },
  ],
  warnings: [],
}
const task = {
  id: 't1',
  name: 'web.1',
  node: 'manager-a',
  state: 'failed',
  at: '2026-01-01T00:00:00Z',
  exitCode: 3,
  error: 'task: non-zero exit (3)',
  health: { exitCode: 1, failures: 3, output: 'panic: hunter2' },
  logs: [{ timestamp: '2026-01-01T00:00:00Z', stream: 'stderr', text: 'panic: password is hunter2' }],
} as const
const bad: Outcome = {
  ...good,
  status: 'failed',
  services: good.services.map((service) => ({
    ...service,
    running: 0,
    state: 'failed',
    code: 'crash-loop',
    reason: 'it crashed 3 times',
    diagnosis: { code: 'crash-loop', sentence: 'it crashed 3 times', remedy: 'Mend it.', tasks: [task] },
  })),
  failure: {
    code: 'crash-loop',
    message: `service web: it crashed ${'again and '.repeat(40)}again`,
    service: 'web',
    problems: [],
  },
}

type Pause = Parameters<typeof createReporter>[2]

async function started(t: TestContext, more: Partial<GitHubSettings> = {}, pause?: Pause) {
  const server = await startGitHubServer()
  t.after(() => server.close())
  const connect = () => connectGitHub({ token: 'ghs_secret', apiUrl: server.url, owner: 'acme', repo: 'shop' })
  const reporter = createReporter({ ...settings, ...more }, connect, pause)
  return { server, reporter }
}

const told = ({ statuses }: GitHubServer): readonly string[] =>
  statuses.map(({ state, context }) => `${state} ${context}`)

test('a commit has a pending status while the run is on, and the verdict afterwards', async (t) => {
  const { server, reporter } = await started(t)
  reporter.progress(undefined, 'reading the inputs')
  reporter.progress('shop', 'connecting to the manager')
  assert.equal(await reporter.end(good, patient()), undefined)
  assert.deepEqual(server.statuses, [
    { sha: SHA, context: 'swarm/shop', state: 'pending', description: 'Connecting to the manager', target_url: RUN },
    {
      sha: SHA,
      context: 'swarm/shop',
      state: 'success',
      description: 'converged, 1 service, 1 change, 42 s',
      target_url: RUN,
    },
  ])
  assert.deepEqual(server.violations, [])
})

test('the verdict is the last word, however slow GitHub takes what came before', async (t) => {
  const { server, reporter } = await started(t)
  for (const doing of ['connecting', 'reading', 'writing', 'waiting']) reporter.progress('shop', doing)
  await reporter.end(bad, patient())
  assert.deepEqual(told(server), ['pending swarm/shop', 'failure swarm/shop'])
  assert.match(server.statuses[1]?.description ?? '', /^failed: service web: it crashed again .*…$/)
  assert.deepEqual(server.violations, [])
})

test('stacks, environments and plans have a status each', async (t) => {
  const cases: readonly (readonly [Partial<GitHubSettings>, string])[] = [
    [{}, 'swarm/shop'],
    [{ environment: 'production' }, 'swarm/production/shop'],
    [{ isPlan: true }, 'swarm/shop (plan)'],
    [{ environment: 'production', isPlan: true }, 'swarm/production/shop (plan)'],
  ]
  for (const [more, context] of cases) {
    const { server, reporter } = await started(t, more)
    await reporter.end(good, patient())
    assert.deepEqual(told(server), [`success ${context}`])
  }
})

test('the name of an environment that is too long gives way to that of the stack', async (t) => {
  const environment = 'e'.repeat(255)
  const { server, reporter } = await started(t, { environment, isPlan: true })
  await reporter.end(good, patient())
  const [status] = server.statuses
  assert.match(status?.context ?? '', /^swarm\/e+…\/shop \(plan\)$/)
  assert.equal(status?.context.length, 255)
  assert.deepEqual(server.violations, [])
})

test('how a run ended decides the state', async (t) => {
  const failure = { code: 'cancelled', message: 'stopped', problems: [] } as const
  const cases: readonly (readonly [Outcome, string])[] = [
    [{ ...good, status: 'unchanged' }, 'success'],
    [{ ...bad, status: 'timed-out' }, 'failure'],
    [{ ...bad, status: 'refused' }, 'failure'],
    [{ ...good, status: 'cancelled', failure }, 'error'],
    [{ ...bad, status: 'rollback-failed' }, 'error'],
    [{ ...bad, failure: { ...failure, code: 'internal' } }, 'error'],
  ]
  for (const [outcome, state] of cases) {
    const { server, reporter } = await started(t)
    await reporter.end(outcome, patient())
    assert.equal(server.statuses[0]?.state, state, outcome.status)
  }
})

test('a deployment is made where it is asked for, and ends as the run does', async (t) => {
  const { server, reporter } = await started(t, {
    deployment: true,
    environment: 'production',
    environmentUrl: 'https://shop.test/',
    statusCheck: false,
  })
  reporter.progress('shop', 'connecting')
  reporter.progress('shop', 'waiting')
  await reporter.end(bad, patient())
  assert.deepEqual(server.deployments, [
    { ref: SHA, environment: 'production', description: 'Stack shop', auto_merge: false, required_contexts: [] },
  ])
  assert.deepEqual(
    server.deploymentStatuses.map(({ state, environment_url: url }) => [state, url]),
    [
      ['in_progress', 'https://shop.test/'],
      ['failure', 'https://shop.test/'],
    ],
  )
  assert.deepEqual(told(server), [])
  assert.deepEqual(server.violations, [])
})

test('a pull request has one comment a stack and environment, edited in place', async (t) => {
  const { server, reporter } = await started(t, { comment: true, pullRequest: 5 })
  for (let id = 0; id < 130; id++) {
    server.comments.push({ id, issue: 5, body: 'nice', user: { login: 'octocat' } })
  }
  await reporter.end(bad, patient())
  const written = server.comments.at(-1)
  assert.equal(server.comments.length, 131)
  assert.match(written?.body ?? '', /^<!-- swarm-stack-deploy shop\/ -->\n## ❌ Stack `shop` failed/)
  assert.match(
    written?.body ?? '',
    /\[The run\]\(https:\/\/github\.test\/acme\/shop\/actions\/runs\/7\/attempts\/1\)\n$/,
  )
  assert.doesNotMatch(written?.body ?? '', /hunter2|panic/, 'a container wrote that')

  await reporter.end(good, patient())
  assert.equal(server.comments.length, 131)
  assert.match(written?.body ?? '', /✅ Stack `shop` is deployed/)

  const other = createReporter({ ...settings, comment: true, pullRequest: 5, environment: 'production' }, () =>
    connectGitHub({ token: 'x', apiUrl: server.url, owner: 'acme', repo: 'shop' }),
  )
  await other.end(good, patient())
  assert.equal(server.comments.length, 132)
  assert.deepEqual(server.violations, [])
})

test("somebody else's comment is left alone, whatever is in it", async (t) => {
  for (const isApp of [true, false]) {
    const { server, reporter } = await started(t, { comment: true, pullRequest: 5 })
    server.viewer = { login: isApp ? 'deployer[bot]' : 'octocat', isApp }
    const theirs = { id: 1, issue: 5, body: '<!-- swarm-stack-deploy shop/ -->\nmine', user: { login: 'mallory' } }
    server.comments.push(theirs)
    await reporter.end(good, patient())
    assert.equal(theirs.body, '<!-- swarm-stack-deploy shop/ -->\nmine')
    assert.equal(server.comments.length, 2)
    await reporter.end(bad, patient())
    assert.equal(server.comments.length, 2)
    assert.deepEqual(server.violations, [])
  }
})

test('a name can end no HTML comment, and a comment fits', async (t) => {
  const { server, reporter } = await started(t, { comment: true, pullRequest: 5, environment: 'a --> b' })
  const services = Array.from({ length: 3000 }, (_, number) => ({
    ...bad.services[0],
    name: `service-${number}`,
  })) as Outcome['services']
  await reporter.end({ ...bad, services }, patient())
  const body = server.comments[0]?.body ?? ''
  assert.match(body, /^<!-- swarm-stack-deploy shop\/a%20--%3E%20b -->\n/)
  assert.ok(body.length > 50_000 && body.length <= 65_536, `${body.length}`)
  assert.match(body, /More than fits in here[\s\S]*\[The run\]/)
  assert.deepEqual(server.violations, [])
})

const forbidden: Fault = { status: 403, message: 'Resource not accessible by integration' }

test('a missing permission is passed over, or named with the line to add', async (t) => {
  const silent = await started(t)
  silent.server.fault = () => forbidden
  silent.reporter.progress('shop', 'connecting')
  assert.equal(await silent.reporter.end(good, patient()), undefined)

  const asked = await started(t, {
    statusCheck: true,
    comment: true,
    pullRequest: 5,
    deployment: true,
    environment: 'production',
  })
  asked.server.fault = () => forbidden
  asked.reporter.progress('shop', 'connecting')
  asked.reporter.progress('shop', 'waiting')
  const notice = (await asked.reporter.end(good, patient())) ?? ''
  for (const part of [
    /^GitHub was not told the commit status \(403 Resource not accessible by integration\)/,
    /`statuses: write` and `deployments: write` and `pull-requests: write`/,
    /The deployment is not affected/,
  ]) {
    assert.match(notice, part)
  }
  // What is refused for good is not asked for again.
  assert.equal(asked.server.requests.filter(({ route }) => route === STATUS).length, 1)
})

test('what GitHub refuses otherwise is told once, with its own words and without the token', async (t) => {
  const cases: readonly (readonly [Fault, RegExp])[] = [
    [{ status: 401, message: 'Bad credentials' }, /\(401 Bad credentials\)/],
    [{ status: 404, message: 'Not Found' }, /\(404 Not Found\)/],
    [{ status: 409, message: 'Conflict' }, /\(409 Conflict\)/],
    [{ status: 422, message: 'No commit found for SHA' }, /\(422 No commit found/],
    [
      { status: 403, message: 'API rate limit exceeded', headers: { 'x-ratelimit-remaining': '0' } },
      /\(403 API rate limit/,
    ],
    [{ status: 429, message: 'slow down', headers: { 'retry-after': '60' } }, /\(429 slow down/],
  ]
  for (const [fault, expected] of cases) {
    const { server, reporter } = await started(t, { statusCheck: true })
    server.fault = () => fault
    const notice = (await reporter.end(good, patient())) ?? ''
    assert.match(notice, expected)
    assert.doesNotMatch(notice, /ghs_secret/)
    assert.equal(server.requests.length, 1)
  }
})

test('a bad moment is waited out: the status still ends', async (t) => {
  for (const fault of [{ status: 502, message: 'Bad Gateway' }, 'reset'] as const) {
    const { server, reporter } = await started(t, { comment: true, pullRequest: 5 })
    server.fault = (route, before) => ((route === STATUS || route === COMMENTS) && before < 2 ? fault : undefined)
    reporter.progress('shop', 'connecting')
    assert.equal(await reporter.end(good, patient()), undefined)
    assert.deepEqual(told(server), ['success swarm/shop'])
    assert.equal(server.comments.length, 1)
  }
})

test('a GitHub that does not answer holds nobody up longer than it may', async (t) => {
  const { server, reporter } = await started(t, { statusCheck: true })
  server.fault = () => 'silence'
  reporter.progress('shop', 'connecting')
  const giveUp = new AbortController()
  const ended = reporter.end(good, giveUp.signal)
  giveUp.abort()
  assert.match((await ended) ?? '', /the commit status \(GitHub did not answer in time\)/)
})

test('nobody is asked where there is nothing to tell', async () => {
  for (const more of [
    { tells: false },
    { statusCheck: false },
    { sha: undefined },
    { statusCheck: false, comment: true },
  ] as const) {
    const reporter = createReporter({ ...settings, ...more }, () => assert.fail('nothing is to be told'))
    reporter.progress('shop', 'connecting')
    assert.equal(await reporter.end(good, patient()), undefined)
  }
})

test('a limit that was reached on the way is no reason to leave the status pending', async (t) => {
  const faults: readonly Fault[] = [
    { status: 403, message: 'You have exceeded a secondary rate limit', headers: { 'retry-after': '60' } },
    { status: 429, message: 'API rate limit exceeded', headers: { 'x-ratelimit-remaining': '0' } },
    { status: 409, message: 'Conflict' },
    { status: 422, message: 'Validation Failed' },
  ]
  for (const fault of faults) {
    const { server, reporter } = await started(t, { statusCheck: true })
    server.fault = (_route, before) => (before === 0 ? fault : undefined)
    reporter.progress('shop', 'connecting')
    while (server.requests.length === 0) await new Promise(setImmediate)
    assert.equal(await reporter.end(good, patient()), undefined)
    assert.deepEqual(told(server), ['success swarm/shop'])
  }
})

test('a deployment that GitHub could not make at the beginning is made at the end', async (t) => {
  const { server, reporter } = await started(t, { deployment: true, environment: 'production', statusCheck: false })
  server.fault = (_route, before) => (before === 0 ? { status: 502, message: '<html>Bad\nGateway' } : undefined)
  reporter.progress('shop', 'connecting')
  while (server.requests.length === 0) await new Promise(setImmediate)
  assert.equal(await reporter.end(good, patient()), undefined)
  assert.deepEqual([server.deployments.length, server.deploymentStatuses.map(({ state }) => state)], [1, ['success']])

  const never = await started(t, { deployment: true, environment: 'production', statusCheck: false })
  never.server.fault = () => ({ status: 502, message: `<html>Bad\nGateway${' x'.repeat(5000)}` })
  never.reporter.progress('shop', 'connecting')
  while (never.server.requests.length === 0) await new Promise(setImmediate)
  const notice = (await never.reporter.end(good, patient())) ?? ''
  assert.match(notice, /^GitHub was not told the deployment \(502 <html>Bad Gateway x x/)
  assert.ok(notice.length < 500 && !notice.includes('\n'))
})

test('a deployment that GitHub does not make says why, once', async (t) => {
  for (const [status, message] of [
    [202, 'Auto-merged main into topic'],
    [409, 'Conflict merging'],
  ] as const) {
    const { server, reporter } = await started(t, { deployment: true, environment: 'production', statusCheck: false })
    server.fault = (route) => (route.endsWith('/deployments') ? { status, message } : undefined)
    reporter.progress('shop', 'connecting')
    while (server.requests.length === 0) await new Promise(setImmediate)
    assert.match((await reporter.end(good, patient())) ?? '', new RegExp(`the deployment \\(.*${message}`))
    assert.deepEqual(server.deploymentStatuses, [])
  }
})

test('an hour of progress stays far below what GitHub takes', async (t) => {
  let passed = 0
  const { server, reporter } = await started(t, {}, async (ms, signal) => {
    passed += ms
    // The next news is always there before its turn.
    if (passed < 3_600_000) reporter.progress('shop', `waiting for ${passed}`)
    else await new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  reporter.progress('shop', 'connecting')
  while (passed < 3_600_000) await new Promise((resolve) => setTimeout(resolve, 20))
  await reporter.end(good, patient())
  assert.ok(server.statuses.length > 20 && server.statuses.length < 100, `${server.statuses.length}`)
  assert.equal(told(server).at(-1), 'success swarm/shop')
})

test('a secret that is also the name of the stack leaves no status pending', async (t) => {
  const { server, reporter } = await started(t)
  reporter.progress('shop', 'connecting')
  await reporter.end({ ...good, stackName: '***' }, patient())
  assert.deepEqual(told(server).at(-1), 'success swarm/shop')
})
