// `npm test`: everything that must hold, from a fresh checkout on, with no step before it. Ends in "N passed, N failed",
// after all that failed once more: the end is what people see of a long log.
//   npm test                            all of it
//   npm test -- checks | unit | live    one part
//   npm test -- test/some/file.test.ts  these files
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { bedPackages, startBed } from '../test/support/bed.mjs'
import { ensurePackages, staticBusybox } from '../test/support/packages.mjs'
import { runTests, testFiles } from './runTests.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const total = { passed: 0, failures: [] }
const started = performance.now()
const say = (text) => console.log(`[${((performance.now() - started) / 1000).toFixed(0).padStart(3)} s] ${text}`)

function add({ passed, failures }) {
  total.passed += passed
  total.failures.push(...failures)
}

/** Runs a step that counts as one check: whatever it throws is its failure. */
async function check(name, step) {
  const begun = performance.now()
  try {
    await step()
    say(`✔ ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`)
    add({ passed: 1, failures: [] })
    return true
  } catch (error) {
    const failure = `✖ ${name}\n${String(error.message ?? error).replace(/^/gm, '    ')}`
    say(failure)
    add({ passed: 0, failures: [failure] })
    return false
  }
}

/** Runs a program of the project to its end; throws with all it said when it fails. */
function program(name, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(root, 'node_modules/.bin', name), args, {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1' },
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        text += chunk
      })
    }
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(text.trim() || `${name} ended with ${code}`)),
    )
  })
}

/** What the lock file wants and node_modules has not, optional packages of other platforms aside. */
function notInstalled() {
  const read = (file) => JSON.parse(fs.readFileSync(path.join(root, file), 'utf8')).packages
  const wanted = read('package-lock.json')
  const record = 'node_modules/.package-lock.json'
  const there = fs.existsSync(path.join(root, record)) ? read(record) : {}
  return Object.keys(wanted).filter(
    (name) => name !== '' && !wanted[name].optional && there[name]?.version !== wanted[name].version,
  )
}

function installDependencies() {
  const missing = notInstalled()
  if (missing.length > 0) {
    say(`npm ci: ${missing.length} packages are missing or of another version`)
    const { status, stdout, stderr } = spawnSync('npm', ['ci', '--no-fund', '--no-audit'], {
      cwd: root,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`npm ci failed:\n${stdout}${stderr}`)
  }
  const node = spawnSync(path.join(root, 'node_modules/.bin/node'), ['--version'], { encoding: 'utf8' })
  if (!node.stdout?.startsWith('v24.')) {
    throw new Error(
      'node_modules/.bin/node is not Node 24: was the install script of the package "node" kept from running?',
    )
  }
}

/** dist/ is committed, because the runner starts it as it is; so it has to be what the sources build to. */
async function checkDist(fresh) {
  const dist = path.join(root, 'dist')
  const files = (folder) => (fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [])
  const names = new Set([...files(dist), ...files(fresh)].filter((name) => name !== 'package.json'))
  const same = (name) => {
    const [a, b] = [dist, fresh].map((folder) => path.join(folder, name))
    return fs.existsSync(a) && fs.existsSync(b) && fs.readFileSync(a).equals(fs.readFileSync(b))
  }
  const different = [...names].filter((name) => !same(name))
  if (different.length > 0 || names.size === 0) {
    throw new Error(`dist/ (${different.join(', ')}) is not what src/ builds to: run "npm run build" and commit dist/`)
  }
}

async function runChecks(fresh) {
  await Promise.all([
    check('format and lint (biome)', () => program('biome', ['ci', '--colors=off', '--error-on-warnings', '.'])),
    check('types (tsc)', () => program('tsc', [])),
    check('dead code (knip)', () => program('knip', [])),
    check('dist is up to date', () => checkDist(fresh)),
  ])
}

async function runLive(files, fresh) {
  if (files.length === 0) return
  let bed
  const up = await check('a swarm for the live tests', async () => {
    bed = await startBed({ name: `test-${process.pid}`, log: say })
  })
  if (!up) return
  try {
    const env = { SWARM_BED: path.join(bed.dir, 'bed.json'), SWARM_ACTION_ENTRY: path.join(fresh, 'index.js') }
    add(await runTests(files, { concurrency: 2, timeoutMs: 400_000, env, verbose: true }))
  } finally {
    await bed.stop()
  }
}

async function main(args) {
  const parts = ['checks', 'unit', 'live']
  const files = args.filter((arg) => !parts.includes(arg)).map((file) => path.relative(root, path.resolve(file)))
  const wants = (part) => args.length === 0 || args.includes(part)
  const known = testFiles()
  const unit = wants('unit') ? known.unit : files.filter((file) => known.unit.includes(file))
  const live = wants('live') ? known.live : files.filter((file) => known.live.includes(file))
  const unknown = files.filter((file) => !known.unit.includes(file) && !known.live.includes(file))
  if (unknown.length > 0) throw new Error(`no such test file: ${unknown.join(', ')}`)

  if (!(await check('dependencies', installDependencies))) return
  if (live.length > 0) {
    const install = () => {
      ensurePackages(bedPackages, say)
      staticBusybox(say)
    }
    if (!(await check('packages for the test bed', install))) return
  }
  const fresh = fs.mkdtempSync(path.join(os.tmpdir(), 'swarm-dist-'))
  try {
    // The live tests run what the sources build to now; that dist/ holds the same is a check of its own.
    fs.writeFileSync(path.join(fresh, 'package.json'), '{"type":"module"}\n')
    const built = await check('build', () => program('node', ['scripts/build.mjs', fresh]))
    if (wants('checks')) await runChecks(fresh)
    if (unit.length > 0) {
      const count = await runTests(unit, { concurrency: 2, timeoutMs: 60_000 })
      say(`unit tests: ${count.passed} passed, ${count.failures.length} failed`)
      add(count)
    }
    if (built) await runLive(live, fresh)
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true })
  }
}

// The bed removes itself when this process exits; a signal alone would not let it.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.on(signal, () => process.exit(code))
try {
  await main(process.argv.slice(2))
} catch (error) {
  add({ passed: 0, failures: [`✖ npm test\n${error.stack ?? error}`] })
}
const failed = total.failures.length
if (failed > 0) console.log(`\nWhat failed:\n${total.failures.join('\n')}\n`)
console.log(`${total.passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
