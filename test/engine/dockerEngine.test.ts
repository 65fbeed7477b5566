import assert from 'node:assert/strict'
import http, { Agent } from 'node:http'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import { after, before, beforeEach, test } from 'node:test'
import { openEngine, openLine } from '../../src/engine/dockerEngine.ts'
import type { EngineErrorKind } from '../../src/engine/engine.ts'
import { askUrgently, engineOver } from '../../src/engine/line.ts'

interface Seen {
  readonly method: string
  readonly url: string
  readonly auth: string | undefined
  readonly type: string | undefined
  readonly body: string
}

let seen: Seen[] = []
let answer: (request: Seen, response: http.ServerResponse) => void
const server = http.createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const { 'x-registry-auth': auth, 'content-type': type } = request.headers
  const one = { method: request.method ?? '', url: request.url ?? '', auth: auth?.toString(), type, body }
  seen.push(one)
  response.setHeader('Api-Version', '1.45')
  if (one.url === '/_ping') response.end('OK')
  else answer(one, response)
})
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
after(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  seen = []
  answer = (_request, response) => response.end('[]')
})

/** An agent whose connections all go to the server, as a tunnel's do. */
function agentTo(dial: () => Duplex = connect): Agent {
  const agent = new Agent({ keepAlive: true })
  agent.createConnection = (_options, callback) => {
    try {
      return dial()
    } catch (error) {
      ;(callback as (error: unknown) => void)(error)
    }
  }
  return agent
}

function connect(): net.Socket {
  return net.connect((server.address() as net.AddressInfo).port, '127.0.0.1')
}

const calls = () => seen.map(({ method, url }) => `${method} ${decodeURIComponent(url)}`)

test('the version is asked for once, with the first calls, and every path carries it', async () => {
  const engine = openEngine(agentTo())
  assert.equal(engine.apiVersion, undefined)
  await Promise.all([engine.listServices(), engine.listNodes(), engine.listTasks()])
  assert.equal(engine.apiVersion, '1.45')
  assert.deepEqual(calls().sort(), [
    'GET /_ping',
    'GET /v1.45/nodes',
    'GET /v1.45/services?status=true',
    'GET /v1.45/tasks',
  ])
})

test('where the engine info is read first, its answer settles the version: no call is made for that alone', async () => {
  const engine = openEngine(agentTo())
  answer = (_request, response) => response.end('{}')
  await engine.info()
  await engine.listNodes()
  assert.deepEqual(calls(), ['GET /info', 'GET /v1.45/nodes'])
})

test('filters go as JSON, ids are escaped, an image keeps its slashes', async () => {
  const engine = openEngine(agentTo())
  await engine.listSecrets({ label: ['a=b', 'c'] })
  answer = (_request, response) =>
    response.end('{"Descriptor":{"digest":"sha256:1"},"Platforms":[{"architecture":"arm64","os":"linux"}]}')
  assert.deepEqual(await engine.inspectDistribution('r.example.com:5000/a/b:1', { registryAuth: 'e30=' }), {
    digest: 'sha256:1',
    platforms: [{ Architecture: 'arm64', OS: 'linux' }],
  })
  await engine.removeVolume('a/../b')
  assert.deepEqual(
    seen.slice(1).map(({ url }) => url),
    [
      `/v1.45/secrets?${new URLSearchParams({ filters: '{"label":["a=b","c"]}' })}`,
      '/v1.45/distribution/r.example.com%3A5000/a/b%3A1/json',
      '/v1.45/volumes/a%2F..%2Fb',
    ],
  )
  assert.equal(seen[2]?.auth, 'e30=')
})

test('a spec goes out as JSON with its 64-bit integers, the credential in its header', async () => {
  const engine = openEngine(agentTo())
  answer = (_request, response) => response.writeHead(201).end('{"ID":"abc","Warnings":["mind the gap"]}')
  const spec = {
    Name: 'web',
    TaskTemplate: { ContainerSpec: { Image: 'ü' }, Resources: { Limits: { MemoryBytes: 2n ** 53n + 1n } } },
  }
  assert.deepEqual(await engine.createService(spec, { registryAuth: 'c2VjcmV0' }), {
    id: 'abc',
    warnings: ['mind the gap'],
  })
  await engine.updateService('abc', 12, spec)
  const [, created, updated] = seen
  assert.equal(created?.type, 'application/json')
  assert.equal(created?.auth, 'c2VjcmV0')
  assert.equal(
    created?.body,
    '{"Name":"web","TaskTemplate":{"ContainerSpec":{"Image":"ü"},"Resources":{"Limits":{"MemoryBytes":9007199254740993}}}}',
  )
  assert.equal(updated?.url, '/v1.45/services/abc/update?version=12')
  assert.equal(updated?.auth, undefined)
})

test('null lists are empty ones', async () => {
  answer = (_request, response) => response.end('null')
  const engine = openEngine(agentTo())
  assert.deepEqual(await engine.listConfigs(), [])
  answer = (_request, response) => response.end('{"Volumes":null}')
  assert.deepEqual(await engine.listVolumes(), [])
})

const failures: readonly (readonly [what: string, answer: typeof answer, kind: EngineErrorKind, message: RegExp])[] = [
  [
    'a refusal',
    (_request, response) => response.writeHead(400).end('{"message":"bad spec"}'),
    'refused',
    /could not list nodes \(HTTP 400\): bad spec/,
  ],
  ['an answer that is no JSON', (_request, response) => response.end('<html>'), 'refused', /no JSON: <html>/],
  [
    'a hang-up',
    (_request, response) => response.destroy(),
    'connection',
    /Lost the engine while trying to list nodes: socket hang up/,
  ],
  [
    'a hang-up in the middle',
    (_request, response) => response.writeHead(200, { 'Content-Length': 9 }).write('[', () => response.destroy()),
    'connection',
    /list nodes: aborted/,
  ],
]

for (const [what, how, kind, message] of failures) {
  test(`${what} rejects as ${kind}`, async () => {
    answer = how
    await assert.rejects(openEngine(agentTo()).listNodes(), { name: 'EngineError', kind, message })
  })
}

test('an old engine is refused before anything else is asked', async () => {
  const old = http.createServer((_request, response) => response.setHeader('Api-Version', '1.40').end('OK'))
  await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve))
  const engine = openEngine(agentTo(() => net.connect((old.address() as net.AddressInfo).port, '127.0.0.1')))
  await assert.rejects(engine.info(), { kind: 'refused', message: /too old: it speaks API 1\.40/ })
  old.closeAllConnections()
  old.close()
})

test('a failed version question is asked again by the next call', async () => {
  let fail = true
  const engine = openEngine(
    agentTo(() => {
      if (fail) throw new Error('not yet')
      return connect()
    }),
  )
  await assert.rejects(engine.listNodes(), { kind: 'connection', message: /not yet/ })
  fail = false
  assert.deepEqual(await engine.listNodes(), [])
})

test('a signal ends a call with its reason, before, while waiting, and in the middle of an answer', async () => {
  const engine = openEngine(agentTo())
  const reason = new Error('enough')
  await engine.listNodes()
  await assert.rejects(engine.listNodes({}, { signal: AbortSignal.abort(reason) }), (error) => error === reason)
  assert.equal(seen.length, 2)
  for (const respond of [() => {}, (response: http.ServerResponse) => response.write('[')]) {
    const controller = new AbortController()
    answer = (_request, response) => {
      respond(response)
      setTimeout(() => controller.abort(reason), 20)
    }
    await assert.rejects(engine.listNodes({}, { signal: controller.signal }), (error) => error === reason)
  }
})

test('no more calls are under way at once than allowed', async () => {
  const engine = openEngine(agentTo(), { concurrency: 3 })
  // Answers wait for a third call, and then a little for one too many.
  const waiting: http.ServerResponse[] = []
  const rounds: number[] = []
  answer = (_request, response) => {
    waiting.push(response)
    if (waiting.length !== 3) return
    setTimeout(() => {
      rounds.push(waiting.length)
      for (const one of waiting.splice(0)) one.end('[]')
    }, 10)
  }
  await Promise.all(Array.from({ length: 12 }, () => engine.listNodes()))
  assert.deepEqual(rounds, [3, 3, 3, 3])
})

test('an urgent question waits for no other call, and is not repeated where there is no room', async () => {
  const line = openLine(agentTo(), { concurrency: 1 })
  answer = (request, response) => {
    if (request.url === '/info') response.end('{"Name": "m"}')
    else if (request.url === '/_ping') response.end('OK')
  }
  const controller = new AbortController()
  const hanging = engineOver(line).listNodes({}, { signal: controller.signal })
  assert.equal((await askUrgently(line, controller.signal)).Name, 'm')
  controller.abort(new Error('enough'))
  await assert.rejects(hanging, /enough/)
  let dials = 0
  const full = openLine(
    agentTo(() => {
      dials++
      throw Object.assign(new Error('full'), { code: 'EMFILE' })
    }),
  )
  await assert.rejects(askUrgently(full, AbortSignal.timeout(5_000)), { kind: 'connection', message: /full/ })
  assert.equal(dials, 1)
})

test('a way in with room for fewer connections is used with fewer, and every call is answered', async () => {
  let open = 0
  const engine = openEngine(
    agentTo(() => {
      if (open === 2) throw Object.assign(new Error('full'), { code: 'EMFILE' })
      open += 1
      return connect().once('close', () => {
        open -= 1
      })
    }),
  )
  answer = (_request, response) => setTimeout(() => response.end('[]'), 5)
  const answers = await Promise.all(Array.from({ length: 20 }, () => engine.listNodes()))
  assert.equal(answers.length, 20)
})

test('DOCKER_HOST of several lines, as the action takes it, is left alone', async () => {
  const before = process.env.DOCKER_HOST
  process.env.DOCKER_HOST = 'ssh://a@one\nssh://a@two:x'
  try {
    await openEngine(agentTo()).listNodes()
    assert.equal(process.env.DOCKER_HOST, 'ssh://a@one\nssh://a@two:x')
  } finally {
    if (before === undefined) delete process.env.DOCKER_HOST
    else process.env.DOCKER_HOST = before
  }
})
