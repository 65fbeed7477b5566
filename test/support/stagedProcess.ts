// The whole action in this process, and an engine that says what a test wants.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { run } from '../../src/run.ts'
import { testKey } from '../tunnel/keys.ts'
import { parseFileCommands } from './runnerCommands.mjs'

/** A process as the runner starts it: what it says is kept, its outputs go to a file. */
export function stageProcess(t: TestContext, port: number) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'run-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  fs.writeFileSync(path.join(folder, 'stack.yml'), 'services:\n  web:\n    image: nginx\n')
  const file = path.join(folder, 'output')
  const summary = path.join(folder, 'summary')
  for (const one of [file, summary]) fs.writeFileSync(one, '')
  const said: string[] = []
  const stdout = Object.assign(new EventEmitter(), { write: (text: string): boolean => said.push(text) > 0 })
  const env: Record<string, string> = {
    GITHUB_WORKSPACE: folder,
    GITHUB_OUTPUT: file,
    GITHUB_STEP_SUMMARY: summary,
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
    folder,
    run: (mountedSecrets = path.join(folder, 'no-secrets')) => run(host as never, mountedSecrets),
    said: () => said.join(''),
    summary: () => fs.readFileSync(summary, 'utf8'),
    outputs: () => parseFileCommands(fs.readFileSync(file, 'utf8')),
  }
}

/** An engine at a unix socket: answers as it is told, by method and path; undefined is no answer at all. */
export async function fakeEngine(
  t: TestContext,
  answer: (call: string) => string | undefined | Promise<string | undefined>,
): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'engine-'))
  const socket = path.join(folder, 'sock')
  const server = http.createServer(async ({ method, url }, response) => {
    const body = await answer(`${method} ${url}`)
    if (body !== undefined) response.setHeader('api-version', '1.41').end(body)
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
    fs.rmSync(folder, { recursive: true })
  })
  return `unix://${socket}`
}

/** What `/info` says of a manager that can do its work. */
export const managerInfo = {
  Name: 'manager-a',
  ServerVersion: '28.2.2',
  SystemTime: new Date().toISOString(),
  Swarm: {
    LocalNodeState: 'active',
    ControlAvailable: true,
    NodeID: 'n1',
    RemoteManagers: [{ NodeID: 'n1', Addr: '127.0.0.1:2377' }],
    Cluster: { ID: 'c1' },
  },
}
