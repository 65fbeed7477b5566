// Feeds broken manifests to the loader and the conversion: nothing may be thrown, and nothing may take long.
//
//   npm run test:long                  for 300 s
//   npm run test:long -- 60 [seed]     for 60 s; the same seed makes the same manifests
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { loadStack } from '../../src/compose/load.ts'
import { convertStack } from '../../src/convert/convertStack.ts'
import { forbiddable } from '../../src/convert/forbidden.ts'
import { goldenFixtures } from '../support/convertFixtures.ts'
import { printExactly } from '../support/dockerCli.ts'
import { brokenManifest, chanceOf } from './brokenManifests.ts'

/** Seconds of the processor, for other work on the machine is no fault of ours. */
const longest = 2
/** Seconds without an answer after which a run hangs. */
const patience = 30

interface Order {
  readonly seed: number
  readonly seconds: number
}

type Message =
  | { readonly started: number }
  | { readonly ended: number; readonly kind: string; readonly seconds: number; readonly accepted: boolean }
  | { readonly fault: string; readonly number: number; readonly kind: string }
  | { readonly done: true }

if (parentPort) work(workerData as Order)
else process.exitCode = (await watch()) ? 0 : 1

// --- Internal helpers ---

/** Runs manifest after manifest, each from a seed of its own, in a thread that `watch` can end. */
function work({ seed, seconds }: Order): void {
  const sound = soundManifests()
  const tell = (message: Message): void => parentPort?.postMessage(message)
  const end = performance.now() + seconds * 1000
  for (let number = seed; performance.now() < end; number++) {
    tell({ started: number })
    const { kind, files } = brokenManifest(chanceOf(number), sound)
    const begun = process.threadCpuUsage()
    try {
      const accepted = run(files)
      const { user, system } = process.threadCpuUsage(begun)
      const took = (user + system) / 1e6
      if (took > longest) tell({ fault: `took ${took.toFixed(1)} s`, number, kind })
      tell({ ended: number, kind, seconds: took, accepted })
    } catch (error) {
      tell({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error), number, kind })
    }
  }
  tell({ done: true })
}

function watch(): Promise<boolean> {
  const [seconds = '300', given] = process.argv.slice(2)
  const seed = given === undefined ? Date.now() % 1e9 : Number(given)
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { seed, seconds: Number(seconds) } satisfies Order,
  })
  let current = seed
  let runs = 0
  let accepted = 0
  let slowest = { number: seed, kind: '', seconds: 0 }
  const faults: string[] = []
  const report = (fault: string, number: number, kind: string): void => {
    const folder = path.join(os.tmpdir(), `fuzz-${number}`)
    fs.mkdirSync(folder, { recursive: true })
    const { files } = brokenManifest(chanceOf(number), soundManifests())
    for (const [index, file] of files.entries()) fs.writeFileSync(path.join(folder, `${index + 1}.yml`), file)
    faults.push(fault)
    console.log(`✖ ${number} (${kind}), kept in ${folder}\n${fault}`)
  }
  return new Promise((resolve) => {
    const finish = async (): Promise<void> => {
      clearTimeout(timer)
      await worker.terminate()
      const slow = `slowest ${slowest.seconds.toFixed(2)} s (${slowest.number}, ${slowest.kind})`
      console.log(`${runs} manifests from seed ${seed}, ${accepted} of them accepted, ${slow}; ${faults.length} faults`)
      resolve(faults.length === 0 && runs > 0)
    }
    const hangs = (): void => {
      report(`no answer within ${patience} s`, current, 'a hang')
      void finish()
    }
    let timer = setTimeout(hangs, patience * 1000)
    worker.on('message', (message: Message) => {
      if ('done' in message) void finish()
      else if ('fault' in message) report(message.fault, message.number, message.kind)
      else if ('started' in message) {
        current = message.started
        clearTimeout(timer)
        timer = setTimeout(hangs, patience * 1000)
      } else {
        runs++
        if (message.accepted) accepted++
        if (message.seconds > slowest.seconds) slowest = { ...message, number: message.ended }
      }
    })
    worker.on('error', (error) => {
      report(error.stack ?? error.message, current, 'the end of the thread')
      void finish()
    })
  })
}

/** Loads and converts; throws where the result is not what a caller may rely on. Whether the manifest was accepted. */
function run(files: readonly (string | Uint8Array)[]): boolean {
  const contents = Object.fromEntries(files.map((file, index) => [`${index + 1}.yml`, file]))
  const variables: Readonly<Record<string, string>> = { A: '8080', B: '', LONG: 'x'.repeat(10_000), TAG: '$$A' }
  const loaded = loadStack({
    files: Object.keys(contents),
    variables: {
      get: (name) => (Object.hasOwn(variables, name) ? variables[name] : name.length > 2 ? 'x1' : undefined),
      isHidden: (name) => name === 'HIDDEN',
    },
    // Whatever else a manifest names exists, or the conversion would hardly ever be reached.
    readFile: (file) => ({
      absolute: path.resolve('/w', file),
      shown: file,
      content: Buffer.from(contents[path.basename(file)] ?? 'A=1\nB\n'),
    }),
    home: '/home/user',
  })
  const converted = loaded.stack && convertStack(loaded.stack, 'fuzz')
  const forbidding =
    loaded.stack && convertStack(loaded.stack, 'fuzz', { forbid: new Set(forbiddable), bindRoot: '/srv' })
  if (converted?.spec) printExactly(converted.spec)
  const refused = loaded.problems.some(({ severity }) => severity === 'error')
  if (refused === (loaded.stack !== undefined)) throw new Error('a stack in spite of an error, or none without one')
  for (const { message, position, excerpt } of [
    ...loaded.problems,
    ...(converted?.problems ?? []),
    ...(forbidding?.problems ?? []),
  ]) {
    if (message === '' || message.length > 20_000)
      throw new Error(`a message of ${message.length} characters: ${message.slice(0, 200)}`)
    if (/undefined|\[object|NaN/.test(message) && !/undefined (?:network|volume|secret|config)/.test(message)) {
      throw new Error(`a message that shows the program: ${message}`)
    }
    if (position !== undefined && !(position.line >= 1 && position.column >= 1)) throw new Error(`no place: ${message}`)
    if (excerpt !== undefined && excerpt.length > 1000) throw new Error(`an excerpt of ${excerpt.length} characters`)
  }
  return converted?.spec !== undefined
}

/** Our own manifests, and real ones where they lie beside the checkout. */
function soundManifests(): readonly string[] {
  const own = goldenFixtures().flatMap(({ directory, files }) => files.map((file) => path.join(directory, file)))
  const corpus = path.resolve(import.meta.dirname, '..', '..', '..', 'shared', 'corpus')
  const real = fs.existsSync(corpus)
    ? fs
        .readdirSync(corpus)
        .filter((file) => file.endsWith('.yml'))
        .map((file) => path.join(corpus, file))
    : []
  const specification = path.resolve(import.meta.dirname, '..', 'fixtures', 'specification', 'alone.yml')
  return [...own, specification, specification, specification, ...real].map((file) => fs.readFileSync(file, 'utf8'))
}
