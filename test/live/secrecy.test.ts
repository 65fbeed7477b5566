// What is secret stays so, above all when a run fails and everything is told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveBed } from '../support/liveBed.ts'
import { annotations, liveStacks, reach } from '../support/liveStack.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'secrecy')

const planted = {
  DB_PASSWORD: 'tr0ub4dor & "three"/?%',
  SHORT_LINES: 'first planted line\nsecond planted line',
  FILE: 'content of a planted file',
  // Longer than a line of base64, which the tool of that name breaks.
  LONG: Array.from({ length: 20 }, (_, index) => `planted-${index * 7919}`).join('/'),
  REGISTRY: 'planted-registry-pass',
}

// It does its worst: says all it knows, plainly and in base64, and dies.
const manifest = `services:
  web:
    image: registry.invalid/tb/ok:1
    environment:
      PASSWORD: \${DB_PASSWORD}
      LINES: \${SHORT_LINES}
    deploy: { replicas: 0 }
  leak:
    image: tb/crash:1
    command:
      - sh
      - -c
      - 'echo "$$PASSWORD"; echo "$$LINES"; cat /run/secrets/token; cat /run/secrets/token >&2; echo; printf "x%s" "$$LONG" | base64; exit 3'
    environment:
      PASSWORD: \${DB_PASSWORD}
      LINES: \${SHORT_LINES}
      LONG: \${LONG}
    secrets: [token]
    stop_grace_period: 1s
    deploy: { restart_policy: { delay: 500ms } }
secrets:
  token: { file: token.txt }
`

test('a run that fails shows none of the secrets it was given', async (t) => {
  const { deploy } = stack(t, 'leak', { 'token.txt': planted.FILE })
  const { DB_PASSWORD, SHORT_LINES, LONG } = planted
  const result = await deploy(manifest, {
    secrets: `DB_PASSWORD=${DB_PASSWORD}\nLONG=${LONG}\nSHORT_LINES<<END\n${SHORT_LINES}\nEND`,
    'registry-auth': `registry.invalid ci ${planted.REGISTRY}`,
    'resolve-image': 'always',
    'log-lines': '20',
  })
  assert.equal(result.outputs['failure-reason'], 'crash-loop', result.log)
  // The container's words are there, and hidden.
  assert.match(result.log, /^ *\S* \| \*\*\*$/m)
  // The log as the action wrote it: the runner's own masking must not be what saves it.
  const said = result.raw.split('\n').filter((line) => !line.startsWith('::add-mask::'))
  const everything = [
    ...said,
    result.summary,
    JSON.stringify(result.outputs),
    JSON.stringify(result.commands.filter(({ name }) => name !== 'add-mask')),
  ].join('\n')
  const broken = Buffer.from(`x${LONG}`).toString('base64')
  for (let at = 4; at + 16 < broken.length; at++) {
    const piece = broken.slice(at, at + 12)
    assert.ok(!everything.includes(piece), `shown: ${piece}\n${everything}`)
  }
  const keyLines = (reach(bed)['ssh-key'] ?? '')
    .split('\n')
    .filter((line) => line.length >= 4 && !line.startsWith('---'))
  const secrets = [...Object.values(planted).flatMap((value) => value.split('\n')), ...keyLines]
  assert.ok(secrets.length >= 8)
  for (const secret of secrets) {
    const forms = [
      secret,
      Buffer.from(secret).toString('base64'),
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ]
    for (const form of forms) {
      assert.ok(!everything.includes(form), `shown: ${form}\n${everything}`)
      assert.ok(result.masks.includes(form), `not masked for the runner: ${form}`)
    }
  }
})

test('a mistake in a secret input is told by its line, without its text', async (t) => {
  const result = await stack(t, 'input').deploy(manifest, {
    secrets: `GOOD=value one\nplanted secret line`,
    'registry-auth': 'registry.invalid planted-user-without-password',
  })
  assert.equal(result.outputs['failure-reason'], 'input', result.log)
  assert.match(annotations(result, 'error').join('\n'), /`secrets`.*line 2/s)
  for (const text of [result.log, result.summary, JSON.stringify(result.outputs)]) assert.doesNotMatch(text, /planted/)
})
