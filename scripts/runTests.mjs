// Runs test files on the project's own Node (which strips types) and counts what passed and what failed.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { mark } from './testReporter.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const reporter = path.join(root, 'scripts/testReporter.mjs')
const running = new Set()
process.on('exit', () => running.forEach(killGroup))

/** All *.test.ts below test/, relative to the project: those of test/live need a swarm, the others nothing. */
export function testFiles() {
  const all = fs
    .readdirSync(path.join(root, 'test'), { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => path.join('test', file))
    .sort()
  const isLive = (file) => file.startsWith(path.join('test', 'live'))
  return { unit: all.filter((file) => !isLive(file)), live: all.filter(isLive) }
}

/**
 * @param files test files, relative to the project
 * @param options concurrency: files at once; timeoutMs: of one file; env: further variables; verbose: also name what passes
 * @returns {Promise<{passed: number, failures: string[]}>} how many passed, and the text of each failure, as it was
 *   printed; a file that crashes, hangs or tests nothing is a failure
 */
export async function runTests(files, { concurrency, timeoutMs, env = {}, verbose = false }) {
  const results = []
  const queue = [...files]
  const work = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      results.push(await runFile(file, timeoutMs, env, verbose))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failures: results.flatMap(({ failures }) => failures),
  }
}

/**
 * One file in a process, and a process group, of its own: Node's --test-timeout ends tests, but no file that never exits.
 */
async function runFile(file, timeoutMs, env, verbose) {
  const args = [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout', file]
  const child = spawn(path.join(root, 'node_modules/.bin/node'), args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    detached: true,
  })
  running.add(child)
  let passed = 0
  const failures = []
  let printed = ''
  let last = 'none'
  const fail = (name, error) => {
    failures.push(`✖ ${file}: ${name}\n${indent(error)}`)
    console.log(failures.at(-1))
  }
  const take = (line) => {
    if (!line.startsWith(mark)) {
      if (line !== '') printed += `${line}\n`
      return
    }
    const result = JSON.parse(line.slice(mark.length))
    last = result.name
    if (!result.passed) return fail(result.name, result.error)
    passed++
    if (verbose) console.log(`✔ ${file}: ${result.name} (${(result.ms / 1000).toFixed(1)} s)`)
  }
  eachLine(child.stdout, take)
  eachLine(child.stderr, take)
  let late = false
  const timer = setTimeout(() => {
    late = true
    killGroup(child)
  }, timeoutMs)
  const code = await new Promise((resolve) => {
    child.on('error', (error) => resolve(String(error)))
    child.on('close', (status, signal) => resolve(signal ?? status))
  })
  clearTimeout(timer)
  running.delete(child)
  if (late) fail('the file', `did not end within ${timeoutMs / 1000} s; the last test that ended was: ${last}`)
  else if (code !== 0 && failures.length === 0) fail('the file', `ended with ${code}`)
  else if (passed + failures.length === 0) fail('the file', 'tests nothing')
  if (failures.length > 0 && printed !== '') console.log(`output of ${file}:\n${indent(printed)}`)
  return { passed, failures }
}

function killGroup(child) {
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

function eachLine(stream, take) {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
  stream.on('end', () => take(rest))
}

const indent = (text) =>
  String(text)
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
