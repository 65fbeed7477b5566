import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CommandContext } from '../../src/commands/context.ts'
import { explain, failureOf } from '../../src/commands/explain.ts'
import type { ServiceObject } from '../../src/convert/stackSpec.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { Position } from '../../src/errors.ts'
import { assess } from '../../src/health/assess.ts'
import type { Container } from '../../src/swarm/container.ts'
import { fixture } from '../health/fixture.ts'

const at = (line: number): Position => ({ file: 'stack.yml', line, column: 5 })

/** A recorded failure explained, by an engine whose containers were all killed for memory or not. */
async function explained(
  name: string,
  options: {
    readonly killed?: boolean
    readonly info?: () => Promise<unknown>
    readonly logLinesHidden?: boolean
    /** Milliseconds after the recorded look. */
    readonly later?: number
  } = {},
) {
  const { expectation, snapshot: recorded } = fixture(name)
  const snapshot = { ...recorded, now: recorded.now + (options.later ?? 0) }
  const said: string[] = []
  const asked: string[] = []
  const container: Container = { Id: 'c', State: { OOMKilled: options.killed ?? false } }
  const engine = {
    info: options.info ?? (async () => ({ Swarm: { NodeID: snapshot.tasks[0]?.NodeID } })),
    taskLogs: async () => [],
    inspectContainer: async (id: string) => {
      asked.push(id)
      return container
    },
  }
  const context = {
    inputs: { logLines: 5, logLinesHidden: options.logLinesHidden ?? false },
    cancelled: new AbortController().signal,
    log: { info: (text: string) => said.push(text) },
  }
  const source = {
    key: expectation.key,
    name: expectation.name,
    position: at(2),
    places: {
      image: at(3),
      volumes: at(4),
      logging: at(5),
      ports: at(6),
      'deploy.resources': at(7),
      'deploy.placement': at(8),
      deploy: at(9),
    },
  }
  const services = await explain(
    context as unknown as CommandContext,
    engine as unknown as Engine,
    [assess(expectation, snapshot)],
    snapshot,
    {
      isUnwell: ({ condition }) => condition === 'failed',
      spec: { services: [source as unknown as ServiceObject] },
      secondsOf: () => 4,
    },
  )
  return { services, said, asked }
}

test('a kill for want of memory becomes the reason, at the line of the limits', async () => {
  const { services } = await explained('oom-once', { killed: true })
  const failure = failureOf(services)
  assert.equal(failure.code, 'out-of-memory')
  assert.match(failure.message, /^service oom: .*; the kernel killed it for want of memory$/)
  assert.match(failure.remedy ?? '', /may use 8 MiB of memory/)
  assert.deepEqual(failure.position, at(7))
  const [service] = services
  assert.deepEqual([service?.code, service?.seconds], ['out-of-memory', 4])
})

test('any other kill stays what Swarm says, at the line of the image', async () => {
  const { services } = await explained('oom-once')
  assert.deepEqual([services[0]?.code, services[0]?.position], ['exited', at(3)])
})

test('where no node is found, the line is that of what the scheduler objects to', async () => {
  for (const [name, line] of [
    ['no-node-constraint', 8],
    ['no-node-max-replicas', 8],
    ['no-node-memory', 7],
    ['no-node-volume-plugin', 4],
    ['no-node-log-plugin', 5],
  ] as const) {
    const { services } = await explained(name)
    assert.deepEqual([services[0]?.code, services[0]?.position], ['no-suitable-node', at(line)], name)
  }
  // Recorded before its time.
  const { services } = await explained('no-node-host-port', { later: 30_000 })
  assert.deepEqual([services[0]?.code, services[0]?.position], ['no-suitable-node', at(6)])
})

test('an engine that does not say which node it is may still have the container', async () => {
  const { services } = await explained('oom-once', { killed: true, info: () => Promise.reject(new Error('busy')) })
  assert.equal(services[0]?.code, 'out-of-memory')
})

test('what is well is not asked about', async () => {
  const { services, said, asked } = await explained('new-converged', {
    info: () => assert.fail('asked'),
    logLinesHidden: true,
  })
  assert.deepEqual([services[0]?.state, services[0]?.diagnosis, said, asked], ['converged', undefined, [], []])
})

test('logs that are left out because everyone can read this one are said to be', async () => {
  const { said } = await explained('crash-loop', { logLinesHidden: true })
  assert.match(said[0] ?? '', /everyone can read.*`log-lines: 30`/)
})
