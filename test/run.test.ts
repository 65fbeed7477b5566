// The whole action without a swarm: that it always ends with a report.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { run } from '../src/run.ts'
import { parseFileCommands } from './support/runnerCommands.mjs'
import { testKey } from './tunnel/keys.ts'

/** A process as the runner starts it: what it says goes nowhere, its outputs to a file. */
function stageProcess(t: TestContext, port: number) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'run-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  fs.writeFileSync(path.join(folder, 'stack.yml'), 'services:\n  web:\n    image: nginx\n')
  const file = path.join(folder, 'output')
  fs.writeFileSync(file, '')
  const stdout = Object.assign(new EventEmitter(), { write: (_text: string): boolean => true })
  const env: Record<string, string> = {
    GITHUB_WORKSPACE: folder,
    GITHUB_OUTPUT: file,
    'INPUT_STACK-NAME': 'shop',
    INPUT_HOST: `ssh://deploy@127.0.0.1:${port}`,
    'INPUT_SSH-KEY': testKey('ed25519').privateKey,
    'INPUT_KNOWN-HOSTS': '# none',
    'INPUT_REGISTRY-AUTH': 'none',
    INPUT_SUMMARY: 'false',
  }
  const exit = (code: number): never => assert.fail(`exit ${code} before the report`)
  const host = Object.assign(new EventEmitter(), { env, stdout, exit, cwd: () => folder })
  return {
    host,
    run: () => run(host as never),
    outputs: () => parseFileCommands(fs.readFileSync(file, 'utf8')),
  }
}

/** A port that takes connections and says nothing. */
async function silentPort(t: TestContext): Promise<{ readonly port: number; readonly reached: Promise<void> }> {
  let reach = (): void => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const sockets: net.Socket[] = []
  const server = net.createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    reach()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as net.AddressInfo).port, reached }
}

test('a second signal cuts the wait short, and the outputs are there all the same', async (t) => {
  const { port, reached } = await silentPort(t)
  const { host, run: go, outputs } = stageProcess(t, port)
  const ended = go()
  await reached
  host.emit('SIGINT')
  host.emit('SIGTERM')
  assert.equal(await ended, 1)
  const { status, changed, 'failure-reason': reason } = outputs()
  assert.deepEqual([status, changed, reason], ['cancelled', 'false', 'cancelled'])
})

test('a log that nobody takes any more breaks nothing off', async (t) => {
  const { port, reached } = await silentPort(t)
  const { host, run: go, outputs } = stageProcess(t, port)
  host.env['INPUT_CONNECT-TIMEOUT'] = '200ms'
  const ended = go()
  await reached
  host.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  assert.equal(await ended, 1)
  const { 'failure-reason': reason, 'failure-message': message } = outputs()
  assert.equal(reason, 'connection')
  assert.match(message ?? '', /took more than 0\.2 s/)
})
