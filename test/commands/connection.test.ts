import assert from 'node:assert/strict'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect } from '../../src/commands/connection.ts'
import type { CommandContext, Outage } from '../../src/commands/context.ts'
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
  const progress: { manager?: string; outage?: Outage } = {}
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

const ofCluster = (id: string) => swarm({ Cluster: { ID: id } })

/** An engine on a socket of its own, for as long as the test lets it run. */
async function mortal(file: string, answer: object) {
  const server = http.createServer((request, response) => {
    response.setHeader('Api-Version', '1.44')
    response.end(JSON.stringify(request.url?.endsWith('/info') ? answer : []))
  })
  await new Promise<void>((resolve) => server.listen(file, resolve))
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

test('an engine that comes back is asked again, one of another swarm is not, and another of the same swarm will do', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mortal-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const [one, two] = [path.join(folder, 'one'), path.join(folder, 'two')]
  const { context, lines, progress } = contextOf([one, two])
  const kill = await mortal(one, ofCluster('a'))
  const connection = await connect(context, signal)
  t.after(() => connection.close())
  assert.deepEqual(await connection.engine.listServices(), [])

  await kill()
  const asked = connection.engine.listServices()
  setTimeout(async () => t.after(await mortal(one, ofCluster('b'))), 50)
  while (!progress.outage?.message.includes('another swarm (b) than the one this run began with (a)')) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  t.after(await mortal(two, ofCluster('a')))
  assert.deepEqual(await asked, [])
  assert.equal(progress.manager, '2 m')
  assert.equal(progress.outage, undefined)
  assert.equal(lines.filter((line) => line.includes('connecting again')).length, 1)
  assert.match(lines.at(-1) ?? '', /^Connected again, after \d s: manager m, over unix:/)
})

test('calls without a signal end with the run’s time, and another may be given', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mortal-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'one')
  const kill = await mortal(file, ofCluster('a'))
  const time = new AbortController()
  const { context } = contextOf([file])
  const connection = await connect({ ...context, deadline: { signal: time.signal } } as CommandContext, signal)
  t.after(() => connection.close())
  await kill()
  const waiting = connection.engine.listServices()
  setTimeout(() => time.abort(new Error('the time is up')), 100)
  await assert.rejects(waiting, {
    isFinal: true,
    message: /was lost at .* could not be rebuilt: .*there is no such socket/,
  })
  t.after(await mortal(file, ofCluster('a')))
  connection.prolong(new AbortController().signal)
  assert.deepEqual(await connection.engine.listServices(), [])
})
