// Runs the action as GitHub's runner does: its environment, its files, its reading of the log, its way of cancelling.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseFileCommands, readLog } from './runnerCommands.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Runs the action to its end; see runner.d.mts for what goes in and comes out. */
export const runAction = (options) => startAction(options).done

/** Starts the action; see runner.d.mts. */
export function startAction({
  inputs = {},
  workspace,
  env = {},
  event = {},
  onLine = () => {},
  entry = process.env.SWARM_ACTION_ENTRY ?? path.join(root, 'dist/index.js'),
}) {
  const temp = fs.mkdtempSync(path.join(os.tmpdir(), 'swarm-runner-'))
  const files = Object.fromEntries(
    ['OUTPUT', 'STEP_SUMMARY', 'STATE', 'ENV', 'PATH'].map((name) => [
      `GITHUB_${name}`,
      path.join(temp, name.toLowerCase()),
    ]),
  )
  for (const file of Object.values(files)) fs.writeFileSync(file, '')
  const eventFile = path.join(temp, 'event.json')
  fs.writeFileSync(eventFile, JSON.stringify(event.payload ?? {}))
  fs.mkdirSync(path.join(temp, 'home'))
  fs.mkdirSync(path.join(temp, 'temp'))

  const started = performance.now()
  const child = spawn(process.execPath, [entry], {
    cwd: workspace,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      LANG: 'C.UTF-8',
      HOME: path.join(temp, 'home'),
      ...runnerVariables(event),
      ...files,
      GITHUB_WORKSPACE: workspace,
      GITHUB_EVENT_PATH: eventFile,
      RUNNER_TEMP: path.join(temp, 'temp'),
      ...inputVariables(inputs),
      ...env,
    },
  })

  // Whoever is interrupted while it runs leaves neither the program nor the folder behind.
  const abandon = () => {
    child.kill('SIGKILL')
    fs.rmSync(temp, { recursive: true, force: true })
  }
  process.once('exit', abandon)

  const log = readLog()
  const raw = []
  const waiting = new Set()
  const take = (line) => {
    raw.push(line)
    const shown = log.add(line)
    if (shown !== undefined) onLine(shown)
    for (const check of waiting) check(line)
  }
  const streams = Promise.all([child.stdout, child.stderr].map((stream) => eachLine(stream, take)))
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code: code ?? 128, signal }))
  })

  const finish = async () => {
    try {
      const { code, signal } = await ended
      const durationMs = performance.now() - started
      await streams
      const read = (name) => fs.readFileSync(files[name] ?? '', 'utf8')
      return {
        code,
        signal,
        durationMs,
        log: log.lines.join('\n'),
        raw: raw.join('\n'),
        commands: log.commands,
        masks: log.masks,
        outputs: parseFileCommands(read('GITHUB_OUTPUT')),
        state: parseFileCommands(read('GITHUB_STATE')),
        summary: read('GITHUB_STEP_SUMMARY'),
      }
    } finally {
      process.removeListener('exit', abandon)
      fs.rmSync(temp, { recursive: true, force: true })
    }
  }
  const done = finish()
  // Whoever only cancels or waits for a line still gets the failure from `done`; it must not count as unhandled before.
  done.catch(() => {})
  return {
    done,
    kill: (signal) => child.kill(signal),
    async cancel() {
      // Only the entry process gets the signals; a program that outlives them is killed.
      for (const [signal, grace] of [
        ['SIGINT', 7500],
        ['SIGTERM', 2500],
      ]) {
        child.kill(signal)
        const ending = await Promise.race([ended.then(() => true), sleep(grace, false, { ref: false })])
        if (ending) return done
      }
      child.kill('SIGKILL')
      return done
    },
    untilLine(pattern, timeoutMs = 60_000) {
      const matches = (line) => (typeof pattern === 'string' ? line.includes(pattern) : pattern.test(line))
      const earlier = raw.find(matches)
      if (earlier !== undefined) return Promise.resolve(earlier)
      return new Promise((resolve, reject) => {
        const settle = (act) => {
          waiting.delete(check)
          clearTimeout(timer)
          act()
        }
        const check = (line) => matches(line) && settle(() => resolve(line))
        const fail = (why) => () =>
          settle(() => reject(new Error(`${why} before a line with ${pattern}:\n${raw.join('\n')}`)))
        const timer = setTimeout(fail(`${timeoutMs} ms passed`), timeoutMs)
        waiting.add(check)
        ended.then(fail('the action ended'), fail('the action could not be started'))
      })
    },
  }
}

/** What a hosted runner sets, with addresses that nobody answers at: a test talks to no GitHub unless it says so. */
function runnerVariables({ name = 'push', repository = 'acme/shop' }) {
  return {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: 'deploy',
    GITHUB_ACTOR: 'octocat',
    GITHUB_API_URL: 'http://127.0.0.1:9',
    GITHUB_EVENT_NAME: name,
    GITHUB_GRAPHQL_URL: 'http://127.0.0.1:9/graphql',
    GITHUB_JOB: 'deploy',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REF_NAME: 'main',
    GITHUB_REPOSITORY: repository,
    GITHUB_REPOSITORY_OWNER: repository.split('/')[0],
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_RUN_ID: '1',
    GITHUB_RUN_NUMBER: '1',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_SHA: '0123456789abcdef0123456789abcdef01234567',
    GITHUB_WORKFLOW: 'deploy',
    RUNNER_ARCH: 'X64',
    RUNNER_ENVIRONMENT: 'self-hosted',
    RUNNER_NAME: 'test',
    RUNNER_OS: 'Linux',
  }
}

/** `INPUT_*` for every input that action.yml declares, its default or empty, and for what is given beyond them. */
function inputVariables(inputs) {
  const values = { ...declaredInputs(), ...inputs }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, value]),
  )
}

/** The defaults of action.yml, read by its layout (two levels of two blanks), since the demo has no YAML parser. */
function declaredInputs() {
  const text = fs.readFileSync(path.join(root, 'action.yml'), 'utf8')
  const section = /^inputs:\n((?: .*\n|\n)*)/m.exec(text)?.[1] ?? ''
  const values = {}
  let name
  for (const line of section.split('\n')) {
    name = /^ {2}([\w-]+):/.exec(line)?.[1] ?? name
    if (!name) continue
    values[name] ??= ''
    const value = /^ {4}default: (.*)$/.exec(line)?.[1]
    // Expressions such as ${{ github.token }} have no value outside of GitHub.
    if (value !== undefined) values[name] = value.includes('${{') ? '' : value.replace(/^(['"])(.*)\1$/, '$2')
  }
  return values
}

async function eachLine(stream, take) {
  let rest = ''
  stream.setEncoding('utf8')
  for await (const chunk of stream) {
    // A lone CR ends a line as well, for the runner.
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  }
  if (rest !== '') take(rest.replace(/\r$/, ''))
}
