import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { type ActionOptions, runAction, startAction } from './runner.mjs'

const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'runner-test-'))
after(() => fs.rmSync(workspace, { recursive: true }))

/** A stand-in for the action. */
function program(name: string, text: string): ActionOptions {
  const entry = path.join(workspace, `${name}.mjs`)
  fs.writeFileSync(entry, `import fs from 'node:fs'\n${text}\n`)
  return { workspace, entry }
}

test('the action finds its inputs, with the defaults of action.yml, and its files; its files and log are read', async () => {
  const action = program(
    'files',
    `const { env } = process
    const { INPUT_HOST: host, 'INPUT_SSH-KEY': key, INPUT_COMMAND: command, 'INPUT_GITHUB-TOKEN': token } = env
    console.log(JSON.stringify([host, key, command, token, process.cwd() === env.GITHUB_WORKSPACE, env.MINE]))
    console.error('::error file=a.yml::bad')
    fs.appendFileSync(env.GITHUB_OUTPUT, 'status=failed\\n')
    fs.appendFileSync(env.GITHUB_STEP_SUMMARY, '## Summary')
    process.exitCode = 3`,
  )
  const result = await runAction({ ...action, inputs: { host: 'ssh://a@b' }, env: { MINE: 'x' } })
  assert.equal(result.code, 3)
  assert.match(result.log, /^\["ssh:\/\/a@b","","deploy","",true,"x"\]$/m)
  assert.match(result.log, /^Error: bad$/m)
  assert.deepEqual(result.commands, [{ name: 'error', properties: { file: 'a.yml' }, text: 'bad' }])
  assert.deepEqual(result.outputs, { status: 'failed' })
  assert.equal(result.summary, '## Summary')
})

test('of the environment of the tests only PATH gets through', async () => {
  process.env.RUNNER_TEST_SECRET = 'x'
  const { log } = await runAction(program('environment', 'console.log(Object.keys(process.env).join())'))
  delete process.env.RUNNER_TEST_SECRET
  assert.doesNotMatch(log, /RUNNER_TEST_SECRET|SWARM_BED|NODE_TEST_CONTEXT/)
  assert.match(log, /PATH/)
})

test('cancelling sends SIGINT, and waits for the end', async () => {
  const action = startAction(
    program('cancel', "process.on('SIGINT', () => process.exit(7)); setInterval(() => {}, 1000); console.log('ready')"),
  )
  await action.untilLine('ready')
  const { code, signal } = await action.cancel()
  assert.deepEqual([code, signal], [7, null])
})

test('waiting for a line that never comes ends with the action', async () => {
  const action = startAction(program('short', "console.log('bye')"))
  await assert.rejects(action.untilLine('hello'), /ended before a line with hello:\nbye/)
})

test('an output file that the runner would refuse is an error', async () => {
  const action = program('refused', "fs.appendFileSync(process.env.GITHUB_OUTPUT, 'no value\\n')")
  await assert.rejects(runAction(action), /rejects the line 'no value'/)
})
