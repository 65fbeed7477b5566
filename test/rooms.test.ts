// The map of rooms in CONTRIBUTING.md, held against the imports: who may know whom.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const root = path.resolve(import.meta.dirname, '..', 'src')

/** Rooms that touch nothing outside: they may import each other (as below) and no package with effects. */
const pure: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  // One function that puts names into a sentence.
  shortList: [],
  // One function that turns an offset into a place.
  lineAndColumn: [],
  // Two functions that find their way in a text.
  scanJson: ['lineAndColumn'],
  compose: ['errors', 'shortList', 'lineAndColumn'],
  image: ['errors'],
  swarm: ['errors'],
  convert: ['errors', 'compose', 'swarm', 'image'],
  health: ['errors', 'shortList', 'swarm', 'image'],
  history: ['errors', 'swarm'],
}

/** Rooms with effects, and what they may import. */
const effects: Readonly<Record<string, readonly string[]>> = {
  // One function that opens no named pipe.
  regularFile: [],
  tunnel: ['errors', 'regularFile'],
  engine: ['errors', 'swarm'],
  registry: ['errors', 'scanJson', 'image', 'engine'],
  backend: ['errors', 'shortList', 'swarm', 'image', 'convert', 'engine', 'registry', 'health', 'history'],
  rollout: ['errors', 'swarm', 'engine', 'health', 'report'],
  report: ['errors', 'shortList', 'backend', 'engine', 'health'],
  github: ['errors', 'report'],
  inputs: ['errors', 'scanJson', 'compose', 'convert', 'github'],
}

/** Files of a pure room that import an effectful module after all: one that is handed in as an argument, and one that only calculates. */
const waysOut = new Set(['compose/workspaceFiles.ts', 'swarm/constraints.ts'])

interface Import {
  readonly file: string
  readonly room: string
  readonly target: string
  readonly typeOnly: boolean
}

function roomOf(file: string): string {
  const [first = ''] = file.split(path.sep)
  return first.replace(/\.ts$/, '')
}

function imports(): Import[] {
  return fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = fs.readFileSync(path.join(root, file), 'utf8')
      return [...text.matchAll(/^(?:import|export)\s+(type\s+)?[^'";]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm)].map(
        (match) => {
          const target = match[2] ?? match[3] ?? ''
          const inside = target.startsWith('.')
          return {
            file,
            room: roomOf(file),
            target: inside ? roomOf(path.relative(root, path.resolve(root, path.dirname(file), target))) : target,
            typeOnly: match[1] !== undefined,
          }
        },
      )
    })
}

const all = imports()
const rooms = { ...pure, ...effects }

test('every room is on the map', () => {
  const known = new Set([...Object.keys(rooms), 'commands', 'run', 'index'])
  assert.deepEqual(
    [...new Set(all.map(({ room }) => room))].filter((room) => !known.has(room)),
    [],
  )
})

test('a room imports only the rooms that the map allows it', () => {
  const broken = all
    .filter(
      ({ room, target }) =>
        room in rooms && (target in rooms || ['run', 'index', 'commands'].includes(target)) && target !== room,
    )
    .filter(({ room, target }) => !rooms[room]?.includes(target))
    .map(({ file, target }) => `${file} imports ${target}`)
  assert.deepEqual(broken, [])
})

test('a pure room touches no file, network, process or clock', () => {
  const effectful = /^(node:(fs|net|http|https|tls|child_process|dns|os|process|timers).*|ssh2|dockerode|@actions\/.*)$/
  const broken = all
    .filter(
      ({ file, room, target, typeOnly }) => room in pure && !waysOut.has(file) && !typeOnly && effectful.test(target),
    )
    .map(({ file, target }) => `${file} imports ${target}`)
  const clocks = fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && roomOf(file) in pure && !waysOut.has(file))
    .filter((file) =>
      /\bDate\.now\(|\bprocess\.|\bsetTimeout\(|\bfetch\(/.test(fs.readFileSync(path.join(root, file), 'utf8')),
    )
  assert.deepEqual([...broken, ...clocks], [])
})

test('one file imports dockerode, and nothing imports run', () => {
  assert.deepEqual(
    [...new Set(all.filter(({ target }) => target === 'dockerode').map(({ file }) => file))],
    ['engine/dockerEngine.ts'],
  )
  assert.deepEqual(
    all.filter(({ target }) => target === 'run').map(({ file }) => file),
    ['index.ts'],
  )
})
