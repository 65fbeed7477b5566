import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verdict } from '../../src/health/verdict.ts'
import { timeoutSentence } from '../../src/rollout/timeout.ts'

function verdict(key: string, condition: Verdict['condition'], sentence: string): Verdict {
  const counts = { running: 0, desired: 1, completed: 0, failures: [] }
  return { key, name: `shop_${key}`, condition, sentence, mode: 'replicated', image: '', ...counts }
}

test('a time-out names what is pending and why', () => {
  const verdicts = [
    verdict('api', 'converged', '1/1 running'),
    verdict('web', 'progressing', '2/3 running; web.3 preparing on node-a (pulling the image?) for 12 s'),
  ]
  assert.equal(
    timeoutSentence(verdicts),
    'the time was up before 1 of 2 services had converged: web: 2/3 running; web.3 preparing on node-a (pulling the image?) for 12 s',
  )
})

test('of many services five are told and all are named', () => {
  const verdicts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => verdict(key, 'progressing', '0/1 running'))
  assert.match(timeoutSentence(verdicts), /7 of 7 services .* e: 0\/1 running \| and 2 more: f, g$/)
})
