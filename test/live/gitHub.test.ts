// What a deployment tells GitHub while it runs and when it ends, from the built action as a process; every request is held against
// GitHub's description of its API.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type GitHubServer, startGitHubServer } from '../support/gitHubServer.ts'
import { liveBed } from '../support/liveBed.ts'
import { liveStacks } from '../support/liveStack.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'github')

const PUSHED = '0123456789abcdef0123456789abcdef01234567'
const HEAD = 'f'.repeat(40)
const RUN = 'https://github.com/acme/shop/actions/runs/1/attempts/1'
const good = 'services:\n  web: { image: tb/ok:1, stop_grace_period: 1s, deploy: { update_config: { monitor: 1s } } }\n'
const bad = 'services:\n  web: { image: tb/crash:1, deploy: { restart_policy: { delay: 0s } } }\n'

async function gitHub(t: TestContext) {
  const server = await startGitHubServer()
  t.after(() => server.close())
  const env = { GITHUB_API_URL: server.url }
  const inputs = { 'github-token': 'ghs_0123456789abcdef', monitor: '1s' }
  return { server, env, inputs }
}

const told = ({ statuses }: GitHubServer) => statuses.map(({ state, context, sha }) => `${state} ${context} ${sha}`)

describe('GitHub', { concurrency: true }, () => {
  test('a push: its commit has a status that moves on and ends', async (t) => {
    const { server, env, inputs } = await gitHub(t)
    const { name, deploy } = stack(t, 'push')
    const { outputs, log, commands } = await deploy(good, inputs, { env })
    assert.equal(outputs.status, 'converged', log)
    assert.ok(server.statuses.length >= 2, told(server).join('\n'))
    assert.deepEqual([...new Set(told(server).slice(0, -1))], [`pending swarm/${name} ${PUSHED}`])
    assert.equal(told(server).at(-1), `success swarm/${name} ${PUSHED}`)
    assert.ok(server.statuses.every(({ target_url: url }) => url === RUN))
    assert.deepEqual(server.violations, [])
    assert.deepEqual(
      commands.filter(({ name: command }) => command === 'notice'),
      [],
    )
  })

  test('a pull request: the status is at its head, and one comment says how it went', async (t) => {
    const { server, env, inputs } = await gitHub(t)
    const { name, deploy } = stack(t, 'pull')
    const event = {
      name: 'pull_request',
      payload: { pull_request: { number: 12, head: { sha: HEAD, repo: { full_name: 'acme/shop' } } } },
    }
    const more = {
      ...inputs,
      comment: 'true',
      environment: 'preview',
      deployment: 'true',
      'environment-url': 'https://p.test',
    }
    // On a busy machine a container that ends at once is seen running for a while.
    const failed = await deploy(bad, { ...more, monitor: '60s' }, { env, event })
    assert.equal(failed.outputs.status, 'failed', failed.log)
    assert.equal(told(server).at(-1), `failure swarm/preview/${name} ${HEAD}`)
    assert.match(server.statuses.at(-1)?.description ?? '', /^failed: service web: .*exit/)
    assert.deepEqual(
      server.deploymentStatuses.map(({ state }) => state),
      ['in_progress', 'failure'],
    )
    assert.equal(server.deployments[0]?.ref, HEAD)
    const [comment] = server.comments
    assert.match(comment?.body ?? '', /crash-loop/)

    const mended = await deploy(good, more, { env, event })
    assert.equal(mended.outputs.status, 'converged', mended.log)
    assert.equal(server.comments.length, 1)
    assert.match(comment?.body ?? '', /is deployed, and every service converged/)
    assert.deepEqual(server.violations, [])
  })

  const other = { full_name: 'mallory/shop' }
  const own = { full_name: 'acme/shop' }
  const pull = (repo: object) => ({ pull_request: { number: 12, head: { sha: HEAD, repo } } })
  const run = (repo: object) => ({ workflow_run: { head_sha: HEAD, head_repository: repo, head_branch: 'topic' } })
  for (const [event, payload, env, sha, status] of [
    ['push', {}, { GITHUB_REF: 'refs/tags/v1', GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1' }, PUSHED, 'deployed'],
    ['workflow_dispatch', { inputs: {}, ref: 'refs/heads/main' }, {}, PUSHED, 'deployed'],
    ['schedule', { schedule: '0 6 * * *' }, {}, PUSHED, 'deployed'],
    ['release', { action: 'published', release: { tag_name: 'v1' } }, {}, PUSHED, 'deployed'],
    ['workflow_run', run(own), {}, HEAD, 'deployed'],
    ['workflow_run', run(other), {}, HEAD, 'refused'],
    ['pull_request_target', pull(own), {}, HEAD, 'deployed'],
    ['pull_request_target', pull(other), {}, HEAD, 'refused'],
  ] as const) {
    const from = JSON.stringify(payload).includes('mallory') ? ' of a fork' : ''
    test(`${event}${from}${'GITHUB_REF' in env ? ' of a tag' : ''}: ${status}, told at the right commit`, async (t) => {
      const { server, env: api, inputs } = await gitHub(t)
      const { name, deploy } = stack(t, `event-${event.replaceAll('_', '-')}${from === '' ? '' : '-fork'}`)
      const { outputs, log } = await deploy(
        good,
        { ...inputs, wait: 'false' },
        { env: { ...api, ...env }, event: { name: event, payload: { ...payload, repository: own } } },
      )
      assert.equal(outputs.status, status, log)
      if (status === 'refused') assert.equal(outputs['failure-reason'], 'forbidden', log)
      const state = status === 'refused' ? 'failure' : 'success'
      assert.equal(told(server).at(-1), `${state} swarm/${name} ${sha}`)
      assert.deepEqual([...new Set(server.statuses.map((one) => one.sha))], [sha])
      assert.deepEqual(server.violations, [])
    })
  }

  test('what a container writes, and every secret, stays out of all that GitHub is told', async (t) => {
    const { server, env, inputs } = await gitHub(t)
    const secret = 'correct-horse-battery-staple'
    const { deploy } = stack(t, 'secret', { 'token.txt': 'the-token-of-the-shop' })
    const manifest = [
      'services:',
      '  web:',
      '    image: tb/ok:1',
      '    command: ["sh", "-c", "echo said-by-the-container $$PASSWORD; exit 3"]',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the manifest
      '    environment: { PASSWORD: "${PASSWORD}" }',
      '    healthcheck: { test: ["CMD", "false"] }',
      '    secrets: [token]',
      '    deploy: { restart_policy: { delay: 0s } }',
      'secrets: { token: { file: token.txt } }',
    ].join('\n')
    const { outputs, log } = await deploy(
      manifest,
      { ...inputs, secrets: `PASSWORD=${secret}`, comment: 'true', 'log-lines': '10', monitor: '60s' },
      { env, event: { name: 'pull_request', payload: { pull_request: { number: 1, head: { sha: HEAD } } } } },
    )
    assert.equal(outputs.status, 'failed', log)
    assert.match(log, /said-by-the-container \*\*\*/)
    const sent = JSON.stringify(server.requests.map(({ route, body }) => [route, body]))
    assert.match(sent, /crash-loop|exited/)
    assert.doesNotMatch(sent, /correct-horse|the-token-of|said-by-the-container|ghs_/)
    assert.deepEqual(server.violations, [])
  })

  test('a run whose inputs or manifest are wrong ends its status too', async (t) => {
    const { server, env, inputs } = await gitHub(t)
    const { name, deploy } = stack(t, 'wrong')
    await deploy('services: { web: { imagee: x } }', inputs, { env })
    await deploy(good, { ...inputs, timeout: 'soon' }, { env })
    const ends = server.statuses.filter(({ state }) => state !== 'pending')
    assert.deepEqual(
      ends.map(({ state, context }) => [state, context]),
      [
        ['failure', `swarm/${name}`],
        ['failure', `swarm/${name}`],
      ],
    )
    assert.equal(server.statuses.at(-1)?.state, 'failure')
  })

  test('without the permission the deployment goes on, and one notice names it where the status was asked for', async (t) => {
    const { server, env, inputs } = await gitHub(t)
    server.fault = () => ({ status: 403, message: 'Resource not accessible by integration' })
    const { deploy } = stack(t, 'permission')
    const first = await deploy(good, inputs, { env })
    assert.equal(first.outputs.status, 'converged', first.log)
    const notices = ({ commands }: typeof first) => commands.filter(({ name }) => name === 'notice')
    assert.deepEqual(notices(first), [])
    const again = await deploy(good, { ...inputs, 'status-check': 'true' }, { env })
    assert.equal(again.code, 0)
    assert.equal(notices(again).length, 1)
    assert.match(notices(again)[0]?.text ?? '', /`permissions:`, `statuses: write`/)
  })

  test('a cancelled run ends its status and is gone within 7 s, even if GitHub does not answer', async (t) => {
    for (const silent of [false, true]) {
      const { server, env, inputs } = await gitHub(t)
      const { start } = stack(t, silent ? 'silent' : 'cancelled')
      const slow =
        "services:\n  slow: { image: tb/slow:1, stop_grace_period: 1s, environment: { START_DELAY: '60' } }\n"
      const action = start(slow, inputs, { env })
      await action.untilLine('::group::Wait until it runs')
      while (server.statuses.length === 0) await sleep(20)
      if (silent) server.fault = () => 'silence'
      const at = performance.now()
      const { code, outputs, signal } = await action.cancel()
      assert.ok(performance.now() - at < 7000)
      assert.deepEqual([code, signal, outputs.status], [1, null, 'cancelled'])
      if (!silent) assert.equal(server.statuses.at(-1)?.state, 'error')
      assert.deepEqual(server.violations, [])
    }
  })
})
