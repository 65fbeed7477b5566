import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError, type EngineErrorKind } from '../../src/engine/engine.ts'
import { type LineKeeper, lastingLine } from '../../src/engine/lastingLine.ts'
import type { Line } from '../../src/engine/line.ts'
import type { EngineRequest } from '../../src/engine/request.ts'

const fails = (kind: EngineErrorKind, marks: object = {}): EngineError =>
  new EngineError(kind, 0, `it is ${kind}`, { cause: Object.assign(new Error('broken'), marks) })
const [lost, unsent, passing, gone] = [
  fails('connection'),
  fails('connection', { unsent: true }),
  fails('passing'),
  fails('not-found'),
]

/** A line that gives these answers, and what was said to its keeper. */
function lineWith(answers: readonly (EngineError | string)[], longCall?: number, end?: EngineError, silence?: number) {
  const left = [...answers]
  const said: string[] = []
  const pauses: number[] = []
  const line: Line = {
    apiVersion: '1.51',
    speaks: async () => true,
    call: async ({ path, signal }) => {
      said.push(`call ${path}`)
      const answer = left.shift()
      if (answer === 'never') {
        await new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      }
      if (answer instanceof EngineError) throw answer
      if (answer === 'late') await new Promise((resolve) => setTimeout(resolve, 60))
      return Buffer.from(answer ?? '')
    },
  }
  const keeper: LineKeeper = {
    apiVersion: '1.51',
    async live(signal) {
      signal?.throwIfAborted()
      if (left.length === 0 && end !== undefined) throw end
      return line
    },
    doubt: (_line, error) => said.push(`doubt ${error?.kind ?? 'the silence'}`),
    trust: () => said.push('trust'),
  }
  const lasting = lastingLine(keeper, {
    bound: () => undefined,
    ...(longCall !== undefined && { longCall }),
    ...(silence !== undefined && { silence, silenceOfOthers: 3 * silence }),
    pause: async (ms) => void pauses.push(ms),
  })
  const ask = async (
    method: EngineRequest['method'],
    { path = '/x', ...more }: Partial<Pick<EngineRequest, 'path' | 'signal' | 'passedOnTo'>> = {},
  ): Promise<string> => (await lasting.call({ doing: 'ask', method, path, ...more })).toString()
  return { ask, said, pauses }
}

test('what reads is repeated, with growing pauses, until it is answered', async () => {
  const { ask, said, pauses } = lineWith([lost, passing, lost, lost, lost, lost, 'ok'])
  assert.equal(await ask('GET'), 'ok')
  assert.deepEqual(pauses, [250, 500, 1000, 2000, 4000, 5000])
  assert.deepEqual(said.slice(0, 4), ['call /x', 'doubt connection', 'call /x', 'doubt passing'])
  assert.equal(said.at(-1), 'trust')
})

test('a call whose own connection is dead is given up, and asked again where it only reads', async () => {
  const { ask, said } = lineWith(['never', 'never', 'ok'], 10_000, undefined, 20)
  assert.equal(await ask('GET'), 'ok')
  assert.deepEqual(said, ['call /x', 'doubt connection', 'call /x', 'doubt connection', 'call /x', 'trust'])
  const write = lineWith(['never', 'ok'], 10_000, undefined, 20)
  await assert.rejects(write.ask('POST'), { kind: 'connection', message: /trying to ask: it did not answer within/ })
  assert.deepEqual(write.said, ['call /x', 'doubt connection'])
})

test('a registry may take its time, but not for ever; its silence is told once, and is no trouble of the line', async () => {
  const registry = { path: '/distribution/nginx/json', passedOnTo: 'its registry' }
  const slow = lineWith(['late'], 10_000, undefined, 40)
  await slow.ask('GET', registry)
  assert.deepEqual(slow.said, ['call /distribution/nginx/json', 'trust'])
  const silent = lineWith(['never', 'ok'], 10_000, undefined, 20)
  const message = /^The engine could not ask: its registry did not answer within \d+ s$/
  await assert.rejects(silent.ask('GET', registry), { kind: 'passing', message })
  assert.deepEqual(silent.said, ['call /distribution/nginx/json'])
})

test('a write is repeated only where it was never sent', async () => {
  for (const error of [lost, passing]) {
    const { ask, said } = lineWith([error, 'ok'])
    await assert.rejects(ask('POST'), error)
    assert.deepEqual(said, ['call /x', `doubt ${error.kind}`])
  }
  const { ask, said } = lineWith([unsent, unsent, 'ok'])
  assert.equal(await ask('POST'), 'ok')
  assert.equal(said.filter((one) => one === 'call /x').length, 3)
})

test('a removal is repeated; what is gone after one that may have been done is removed', async () => {
  assert.equal(await lineWith([lost, gone]).ask('DELETE'), '')
  assert.equal(await lineWith([passing, 'ok']).ask('DELETE'), 'ok')
  for (const answers of [[gone], [unsent, gone]]) await assert.rejects(lineWith(answers).ask('DELETE'), gone)
})

test('only what was never sent is called so, where no line comes any more', async () => {
  const end = fails('connection', { unsent: true, final: true })
  await assert.rejects(lineWith([], undefined, end).ask('POST'), { isUnsent: true, isFinal: true })
  await assert.rejects(lineWith([unsent], undefined, end).ask('DELETE'), { isUnsent: true, isFinal: true })
  await assert.rejects(lineWith([lost], undefined, end).ask('DELETE'), { isUnsent: false, isFinal: true })
})

test('an answer is an answer, and so is what registries and nodes have trouble with', async () => {
  for (const kind of ['not-found', 'refused', 'version-conflict', 'already-exists', 'unauthorized'] as const) {
    const { ask, said } = lineWith([fails(kind), 'ok'])
    await assert.rejects(ask('GET'), { kind })
    assert.deepEqual(said, ['call /x'])
  }
  const registry = { passedOnTo: 'its registry' }
  await assert.rejects(lineWith([passing, 'ok']).ask('GET', registry), passing)
  assert.equal(await lineWith([lost, 'ok']).ask('GET', registry), 'ok')
})

test('a call that is long under way asks for a look at its line', async () => {
  const { ask, said } = lineWith(['late'], 20)
  await ask('POST')
  assert.ok(said.includes('doubt the silence'), said.join(', '))
})

test('the call’s signal ends the tries', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const { ask } = lineWith([lost, lost, lost, lost])
  const asking = ask('GET', { signal: controller.signal })
  controller.abort(reason)
  await assert.rejects(asking, reason)
})
