import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { backendContract } from '../support/backendContract.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'

backendContract('the backend on the in-memory swarm', createMemorySwarm().engine, 'memory')

test('every method of the Backend is in the contract that real engines pass as well', () => {
  const support = new URL('../support/', import.meta.url)
  const parts = fs.readdirSync(support).filter((file) => file.endsWith('Contract.ts'))
  const texts = parts.map((part) => fs.readFileSync(new URL(part, support), 'utf8'))
  const methods = Object.getOwnPropertyNames(Backend.prototype).filter((name) => name !== 'constructor')
  assert.ok(methods.length > 20)
  const missing = methods.filter((name) => !texts.some((text) => text.includes(`.${name}(`)))
  assert.deepEqual(missing, [])
})
