// What `docker stack deploy --detach=false` makes of the stacks that the live tests try with the action. Writes down its answers and the
// tables of docs/convergence.md. Needs a docker CLI that knows `--detach` (26 or newer) on the PATH:
//   npm run test:cli [LABEL…]
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { inParallel } from '../../src/backend/inParallel.ts'
import { type Bed, startBed } from '../support/bed.mjs'
import { type LiveStack, liveStacks } from '../support/liveStack.ts'
import { lookAt, type MatrixRow, type Scene } from '../support/matrixRow.ts'
import { type CliAnswer, matrixSections, matrixTables, PATIENCE } from '../support/matrixTable.ts'

const root = path.resolve(import.meta.dirname, '../..')
const recordedFile = path.join(root, 'test/fixtures/cliMatrix.json')
const pageFile = path.join(root, 'docs/convergence.md')

function sceneOf(bed: Bed, stack: LiveStack, deploy: (manifest: string, wait: boolean) => Promise<number>): Scene {
  return {
    name: stack.name,
    socket: bed.socket,
    async write(manifest) {
      await deploy(manifest, false)
    },
    look: () => lookAt(stack),
  }
}

async function ask(bed: Bed, row: MatrixRow): Promise<CliAnswer> {
  const undo: (() => unknown)[] = []
  const stack = liveStacks(bed, 'cli')({ after: (fn) => void undo.unshift(fn as () => unknown) }, row.label, row.files)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cli-matrix-'))
  undo.push(() => fs.rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(row.files ?? {})) fs.writeFileSync(path.join(folder, name), text)
  const deploy = async (manifest: string, wait: boolean): Promise<number> => {
    const file = path.join(folder, 'stack.yml')
    fs.writeFileSync(file, `version: "3.13"\n${manifest}`)
    const args = [
      'stack',
      'deploy',
      '--resolve-image',
      row.inputs?.['resolve-image'] ?? 'never',
      `--detach=${!wait}`,
      '-c',
      file,
      stack.name,
    ]
    const { code } = await bed.shell(['timeout', '-k', '5', `${PATIENCE}`, 'docker', ...args])
    return code
  }
  try {
    const scene = sceneOf(bed, stack, deploy)
    const undoBefore = await row.before?.(scene)
    if (undoBefore !== undefined) undo.push(undoBefore)
    const began = performance.now()
    const [code] = await Promise.all([deploy(row.manifest, true), row.meanwhile?.(scene)])
    const seconds = (performance.now() - began) / 1000
    return code === 124 || code === 137 ? { code: undefined, seconds: PATIENCE } : { code, seconds }
  } finally {
    for (const one of undo) await one()
  }
}

const wanted = process.argv.slice(2)
const rows = Object.values(matrixSections)
  .flat()
  .filter(({ label }) => wanted.length === 0 || wanted.includes(label))
const recorded: Record<string, CliAnswer> = fs.existsSync(recordedFile)
  ? JSON.parse(fs.readFileSync(recordedFile, 'utf8'))
  : {}
const bed = await startBed({ name: `cli-${process.pid}`, log: console.log })
try {
  await inParallel(rows, 6, async (row) => {
    try {
      recorded[row.label] = await ask(bed, row)
      console.log(row.label, JSON.stringify(recorded[row.label]))
    } catch (error) {
      console.log(row.label, String(error))
    }
  })
} finally {
  await bed.stop()
}
const sorted = Object.fromEntries(Object.entries(recorded).sort(([one], [other]) => (one < other ? -1 : 1)))
fs.writeFileSync(recordedFile, `${JSON.stringify(sorted, undefined, 2)}\n`)
const page = fs.readFileSync(pageFile, 'utf8')
fs.writeFileSync(
  pageFile,
  page.replace(
    /(?<=<!-- written by test\/long\/cliMatrix\.ts -->\n).*(?=<!-- end -->)/s,
    () => `\n${matrixTables(sorted)}\n\n`,
  ),
)
