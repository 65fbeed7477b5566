// A runner that is slow to read the log still gets all of it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const entry = process.env.SWARM_ACTION_ENTRY ?? fileURLToPath(new URL('../../dist/index.js', import.meta.url))

test('the end of a long log is not lost when the runner reads it late', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'slow-reader-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const [workspace, outputs] = ['workspace', 'outputs'].map((name) => path.join(folder, name))
  assert.ok(workspace && outputs)
  fs.mkdirSync(workspace)
  fs.writeFileSync(path.join(workspace, 'stack.yml'), 'services:\n  web:\n    imagee: tb/ok:1\n')
  // Each of them is masked in several forms: far more than a pipe takes.
  const secrets = Array.from({ length: 2000 }, (_, n) => `SECRET_${n}=a long secret value, number ${n}`).join('\n')
  const child = spawn(process.execPath, [entry], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      GITHUB_WORKSPACE: workspace,
      GITHUB_OUTPUT: outputs,
      INPUT_HOST: 'unix:///nobody/listens.sock',
      'INPUT_STACK-NAME': 'shop',
      INPUT_SECRETS: secrets,
      INPUT_SUMMARY: 'false',
    },
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  while (!fs.existsSync(outputs)) await sleep(20)
  // Everything is said; now what is left of it has to wait for us.
  await sleep(200)
  let log = ''
  for await (const chunk of child.stdout) log += chunk
  assert.equal(await ended, 1)
  assert.ok(log.length > 500_000, `the log has only ${log.length} characters`)
  assert.match(log, /^::error file=stack\.yml,line=3,col=5::.*imagee/m)
  assert.match(log.trimEnd().split('\n').at(-1) ?? '', /Did you mean "image"/)
})
