// What is advised where a stack is not gone in time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lateRemedy } from '../../src/commands/lateRemedy.ts'
import { EngineError } from '../../src/engine/engine.ts'

const network = { kind: 'network', id: 'n1', name: 'shop_default' } as const
const task = { name: 'shop_web.1', node: 'worker-1', nodeState: 'ready', graceMs: 10_000 }

for (const [what, remains, words] of [
  ['what is left could not be read', undefined, /raise `timeout`/],
  ['a task is still ending', { objects: [network], tasks: [task] }, /raise `timeout`/],
  ['its node is down', { objects: [network], tasks: [{ ...task, nodeState: 'down' }] }, /docker node rm --force/],
  [
    'only a network is left, which Swarm has agreed to remove',
    { objects: [network], tasks: [] },
    /restart the Docker daemon/,
  ],
  [
    'a network is left that the engine would not remove',
    {
      objects: [{ ...network, refusal: new EngineError('refused', 403, 'network has active endpoints') }],
      tasks: [],
    },
    /raise `timeout`/,
  ],
] as const) {
  test(`${what}: ${words.source}`, () => assert.match(lateRemedy(remains), words))
}
