import assert from 'node:assert/strict'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect } from '../../src/commands/connection.ts'
import type { CommandContext } from '../../src/commands/context.ts'
import { DeployError, type Problem } from '../../src/errors.ts'

const good = {
  Name: 'm',
  ServerVersion: '28',
  Swarm: { LocalNodeState: 'active', ControlAvailable: true, Cluster: {} },
}
const swarm = (state: object) => ({ ...good, Swarm: { ...good.Swarm, ...state } })

/** Engines on sockets, each with its answer to /info: a body, a status, or silence. */
async function engines(t: TestContext, answers: readonly (object | number | undefined)[]): Promise<readonly string[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'engines-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  return Promise.all(
    answers.map(async (answer, index) => {
      const file = path.join(folder, `${index}`)
      const server = http.createServer((request, response) => {
        response.setHeader('Api-Version', '1.44')
        if (request.url === '/_ping') response.end('OK')
        else if (typeof answer === 'number') response.writeHead(answer).end('{"message": "no such thing"}')
        else if (answer !== undefined) response.end(JSON.stringify(answer))
      })
      await new Promise<void>((resolve) => server.listen(file, resolve))
      t.after(() => {
        server.closeAllConnections()
        server.close()
      })
      return file
    }),
  )
}

function contextOf(paths: readonly string[], connectTimeout = 5_000) {
  const lines: string[] = []
  const warnings: Problem[] = []
  const progress: { manager?: string } = {}
  const context = {
    inputs: { endpoints: paths.map((file) => ({ kind: 'unix', path: file })), connectTimeout, hostFingerprints: [] },
    env: {},
    log: { info: (line: string) => lines.push(line) },
    warn: (problem: Problem) => warnings.push(problem),
    progress,
    deadline: { signal },
    cancelled: signal,
  } as unknown as CommandContext
  return { context, lines, warnings, progress }
}

const { signal } = new AbortController()
const notGood: readonly (readonly [what: string, answer: object | number | undefined, reason: RegExp])[] = [
  ['a worker', swarm({ ControlAvailable: false }), /is a worker/],
  [
    'an engine outside of any swarm',
    swarm({ LocalNodeState: 'inactive', ControlAvailable: false }),
    /not part of a swarm/,
  ],
  ['a locked manager', swarm({ LocalNodeState: 'locked' }), /locked swarm/],
  [
    'a manager without quorum',
    swarm({ Cluster: undefined, Error: 'The swarm does not have a leader' }),
    /has no leader/,
  ],
  ['an engine that fails', 500, /no such thing/],
  ['an engine that hangs', undefined, /did not answer within 2 s/],
]

for (const [what, answer, reason] of notGood) {
  test(`${what} is passed over, with its reason`, async (t) => {
    const { context, lines, progress } = contextOf(await engines(t, [answer, good, good]), 2_000)
    const connection = await connect(context, signal)
    await connection.close()
    assert.equal(progress.manager, '2 m')
    assert.match(lines[0] ?? '', /^Manager 1 of 3, unix:\/\/\S+, is not used: /)
    assert.match(lines[0] ?? '', reason)
    assert.equal(lines.length, 2)
  })
}

test('none that is good: an error that lists all, and has the code that asks for a person', async (t) => {
  const paths = await engines(t, [swarm({ ControlAvailable: false }), 500])
  const { context, progress } = contextOf([...paths, '/nonexistent/docker.sock'])
  const error = await connect(context, signal).then(
    () => assert.fail('it connected'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DeployError)
  assert.equal(error.code, 'not-a-manager')
  for (const words of [/None of the 3 managers/, /\(1\) \S+ .*is a worker/, /\(2\)/, /\(3\) \S+ .*no such socket/]) {
    assert.match(error.message, words)
  }
  assert.equal(error.problems.length, 3)
  assert.equal(progress.manager, undefined)
})

test('one alone speaks for itself', async (t) => {
  const { context, lines } = contextOf(await engines(t, [swarm({ ControlAvailable: false })]))
  await assert.rejects(connect(context, signal), {
    code: 'not-a-manager',
    problems: [],
    message: /^the engine on m is/,
  })
  assert.deepEqual(lines, [])
})

test('a cancelled run tries no further manager', async (t) => {
  const { context, lines } = contextOf(await engines(t, [undefined, good]))
  const reason = new Error('cancelled')
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), 50)
  await assert.rejects(connect(context, controller.signal))
  assert.deepEqual(lines, [])
})
