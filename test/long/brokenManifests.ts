// Manifests that nobody should write: what the fuzzer feeds to the loader. All chance comes from a seed.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax

export interface Chance {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number
  pick<T>(items: readonly T[]): T
}

/** The same numbers for the same seed (mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return {
    below,
    pick: (items) => {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}

/** Texts or bytes of one file or two, made out of `sound` manifests. */
export function brokenManifest(
  chance: Chance,
  sound: readonly string[],
): { kind: string; files: (string | Uint8Array)[] } {
  const kinds: Readonly<Record<string, () => string | Uint8Array>> = {
    bytes: () => randomBytes(chance),
    tokens: () => tokens(chance),
    mutated: () => mutated(chance, sound),
    'mutated bytes': () => flipped(chance, Buffer.from(mutated(chance, sound))),
    nested: () => nested(chance),
    aliases: () => aliases(chance),
    templates: () => templates(chance),
    large: () => large(chance),
    projects: () => projects(chance),
  }
  // Slight damage reaches deepest into the code.
  const kind = chance.pick([...Object.keys(kinds), 'mutated', 'mutated', 'mutated', 'mutated', 'templates'])
  const make = kinds[kind] ?? (() => '')
  const files = [make()]
  if (chance.below(4) === 0) files.push(mutated(chance, sound))
  return { kind, files }
}

// --- Internal helpers ---

const pieces = [
  ': ',
  ':',
  '- ',
  '-',
  '? ',
  '{',
  '}',
  '[',
  ']',
  ',',
  '&a ',
  '*a',
  '&b ',
  '*b',
  '<<: *a',
  '<<',
  '!!binary ',
  '!!str ',
  '!reset ',
  '!override ',
  '!x ',
  '|',
  '>-',
  '|2',
  "'",
  '"',
  '#',
  ' #',
  '%YAML 1.2\n',
  '---\n',
  '...\n',
  '\n',
  '\n  ',
  '\n    ',
  '\n      ',
  '\t',
  '\r\n',
  '\r',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\u0000',
  '\u001b[31m',
  '::error::',
  '\\',
  '\\x',
  '\\u12',
  '~',
  'null',
  'true',
  '0x',
  '0o8',
  '1e999',
  '-.inf',
  '.nan',
  '2001-01-01',
  '1:2:3',
  '9223372036854775808',
  '${',
  '${A',
  '${A:-',
  '${A:?',
  '$',
  '$$',
  '${B}',
  '}',
  'services:',
  'services',
  'a:',
  'image:',
  'image: b',
  'ports:',
  'deploy:',
  'x-a:',
  'networks:',
  'volumes:',
  'configs:',
  'secrets:',
  'extends:',
  'include:',
  'é',
  '\ud83d\ude00',
  '\ud800',
  '__proto__:',
  'constructor:',
  'toString: ',
  'hasOwnProperty',
  'length: 1',
] as const

const values = [
  'null',
  '~',
  '""',
  '"${A}"',
  '"${A:?}"',
  '"$"',
  '{}',
  '[]',
  '[[]]',
  '{a: {b: {c: d}}}',
  '[null]',
  '-1',
  '0',
  '1.5',
  '1e400',
  '18446744073709551616',
  'true',
  'y',
  '.nan',
  '2001-12-14t21:59:43.10-05:00',
  '!!binary aGk=',
  '!reset null',
  '!override []',
  '*a',
  '&z 1',
  '|\n   text',
  '"\\0"',
  '__proto__',
  '99999999999999999999h',
  '-5s',
  '1/0',
  '0x7fffffffffffffff',
  '"::"',
  '1-65535',
  '"1-65535:1-65535"',
  '"70000:1"',
  '../../../../etc/passwd',
  '/dev/stdin',
  '{external: true, name: {}}',
] as const

function many(chance: Chance, most: number, make: () => string): string {
  return Array.from({ length: 1 + chance.below(most) }, make).join('')
}

function randomBytes(chance: Chance): Uint8Array {
  const starts = [[], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff], [0, 0, 0xfe, 0xff]]
  const ranges = [256, 128, 64]
  const range = chance.pick(ranges)
  return Uint8Array.from([
    ...chance.pick(starts),
    ...Array.from({ length: chance.below(2000) }, () => chance.below(range)),
  ])
}

function tokens(chance: Chance): string {
  return many(chance, 300, () => chance.pick(pieces))
}

function mutated(chance: Chance, sound: readonly string[]): string {
  const lines = chance.pick(sound).split('\n')
  const other = chance.pick(sound).split('\n')
  for (let left = 1 + chance.below(chance.below(4) === 0 ? 6 : 1); left > 0 && lines.length > 0; left--) {
    const at = chance.below(lines.length)
    const line = lines[at] ?? ''
    const column = chance.below(line.length + 1)
    const edits: readonly (() => unknown)[] = [
      () => lines.splice(at, 1 + chance.below(3)),
      () => lines.splice(at, 0, line),
      () => lines.splice(at, 0, other[chance.below(other.length)] ?? ''),
      () => lines.splice(at, 1, `${' '.repeat(chance.below(9))}${line.trim()}`),
      () => lines.splice(at, 1, line.replace(/:.*$/, `: ${chance.pick(values)}`)),
      () => lines.splice(at, 1, line.replace(/^(\s*- ).*$/, `$1${chance.pick(values)}`)),
      () => lines.splice(at, 1, line.slice(0, column) + chance.pick(pieces) + line.slice(column)),
      () => lines.splice(at, 1, line.slice(0, column) + line.slice(column + 1 + chance.below(4))),
      () => lines.splice(at, 1, line.replace(/[\w-]+/, 'a'.repeat(1 + chance.below(5000)))),
      () => lines.splice(at),
    ]
    chance.pick(edits)()
  }
  return lines.join(chance.pick(['\n', '\n', '\n', '\r\n', '\r']))
}

function flipped(chance: Chance, bytes: Uint8Array): Uint8Array {
  for (let left = 1 + chance.below(5); left > 0 && bytes.length > 0; left--)
    bytes[chance.below(bytes.length)] = chance.below(256)
  return bytes
}

/** Up to a hundred thousand levels, at places where the loader goes down. */
function nested(chance: Chance): string {
  const depth = 10 ** (1 + chance.below(4)) * (1 + chance.below(10))
  const [open, close, core] = chance.pick([
    ['[', ']', ''],
    ['{a: ', '}', 'b'],
    ['[{a: ', '}]', ''],
    ['{? ', '}', 'a'],
    ['- ', '', 'a'],
    ['!!seq [', ']', ''],
    ['&a [', ']', '*a'],
    ['"${A:-', '', '}"'],
  ] as const)
  const whole = `${open.repeat(depth)}${core}${chance.below(3) === 0 ? '' : close.repeat(depth)}`
  const blocks = (): string =>
    Array.from({ length: Math.min(depth, 700) }, (_, level) => `${' '.repeat(level)}a:\n`).join('')
  return chance.pick([
    () => whole,
    () => `services:\n  a:\n    image: b\n    labels: ${whole}\n`,
    () => `x-a: ${whole}\n`,
    () => `services:\n  a: ${whole}\n`,
    () => blocks(),
  ])()
}

/** Anchors that use each other, some of them without end, and merge keys. */
function aliases(chance: Chance): string {
  const levels = 1 + chance.below(30)
  const width = 1 + chance.below(12)
  const lines = ['x-0: &v0 {a: b}']
  for (let level = 1; level <= levels; level++) {
    const target = chance.below(10) === 0 ? chance.below(levels + 2) : level - 1
    const uses = Array.from({ length: width }, () => `*v${target}`)
    const value = chance.pick([
      () => `[${uses.join(', ')}]`,
      () => `{${uses.map((use, index) => `k${index}: ${use}`).join(', ')}}`,
      () => `{<<: [${uses.join(', ')}], k: ${level}}`,
      () => `{<<: *v${target}}`,
    ])()
    lines.push(`x-${level}: &v${level} ${value}`)
  }
  const use = `*v${chance.below(levels + 1)}`
  lines.push(
    chance.pick([
      `services:\n  a:\n    <<: ${use}\n    image: b`,
      `services:\n  a:\n    image: b\n    labels: ${use}\n    deploy: ${use}`,
      `services: ${use}`,
      `services: {a: {image: b}, <<: [${use}, ${use}]}`,
      '',
    ]),
  )
  return `${lines.join('\n')}\n`
}

/** Services that extend each other, and files that include each other: `fuzz.ts` gives them the names 1.yml and 2.yml. */
function projects(chance: Chance): string {
  const count = 10 ** (1 + chance.below(3)) * (1 + chance.below(3))
  const file = (): string => chance.pick(['', '', '', ', file: 1.yml', ', file: 2.yml', ', file: gone.yml'])
  const target = (index: number): string =>
    `s${chance.pick([index + 1, index + 1, index + 1, index, chance.below(count)])}`
  const services = Array.from(
    { length: count },
    (_, index) => `  s${index}: {image: a, extends: {service: ${target(index)}${file()}}}\n`,
  ).join('')
  const include = chance.pick([
    '',
    '1.yml',
    '2.yml',
    '2.yml, 2.yml',
    '{path: [1.yml, 2.yml], env_file: app.env}',
    '{path: 2.yml, project_directory: x}',
  ])
  return `include: [${include}]\nservices:\n${services}`
}

function templates(chance: Chance): string {
  const inside = [
    '${',
    '}',
    '$',
    '$$',
    ':-',
    ':?',
    ':+',
    '-',
    '+',
    '?',
    'A',
    'B',
    'LONG',
    'HIDDEN',
    ' ',
    '"',
    ':',
    '/',
    '1',
    'é',
    '\u0000',
  ]
  const template = (): string =>
    JSON.stringify(many(chance, chance.below(20) === 0 ? 3000 : 12, () => chance.pick(inside)))
  const keys = [
    'image',
    'command',
    'hostname',
    'stop_grace_period',
    'user',
    'restart',
    'entrypoint',
    'env_file',
    'dns',
    'tty',
    'init',
  ]
  const lists = [
    'ports',
    'volumes',
    'environment',
    'networks',
    'secrets',
    'configs',
    'cap_add',
    'extra_hosts',
    'env_file',
  ]
  return [
    'services:',
    '  a:',
    `    image: ${template()}`,
    ...new Set([`    ${chance.pick(keys.slice(1))}: ${template()}`]),
    `    ${chance.pick(lists)}: [${template()}, ${template()}]`,
    `    deploy: {replicas: ${template()}, resources: {limits: {cpus: ${template()}, memory: ${template()}}}}`,
    'networks:',
    `  default: {name: ${template()}, driver: ${template()}}`,
  ].join('\n')
}

function large(chance: Chance): string {
  const count = 10 ** (1 + chance.below(3)) * (1 + chance.below(9))
  const repeat = (line: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => line(index)).join('')
  return chance.pick([
    () => `services:\n${repeat((index) => `  s${index}:\n    image: a:\${A}\n    unknown${index}: 1\n`)}`,
    () =>
      `services:\n  a:\n    image: b\n    environment:\n${repeat((index) => `      - K${index % 50}=\${B}\${C${index}}\n`)}`,
    () => `services:\n  a:\n    image: b\n    ports:\n${repeat((index) => `      - "${index}:${index}"\n`)}`,
    () => `services:\n  a:\n    image: b\n    ports: ["1-${count * 6}:1-${count * 6}"]\n`,
    () => `services:\n  a:\n    image: b\n    networks: [${repeat((index) => `n${index}, `)}]\n`,
    () =>
      `services:\n  a:\n    image: ${'b/'.repeat(count)}\n    command: ${'"x" '.repeat(count)}\n    hostname: "${'$'.repeat(count)}"\n`,
    () =>
      `services:\n  a:\n    image: b\n    volumes:\n${repeat((index) => `      - v${index}:/d\n`)}volumes:\n${repeat((index) => `  w${index}:\n`)}`,
    () => `x-a: ${'"'.repeat(count)}\nservices: ${"'a' ".repeat(count)}`,
    () => `services:\n  a:\n    image: b\n    command: |${'\n     x'.repeat(count)}\n\t- y`,
    () => `${'# comment\n'.repeat(count)}${'\n'.repeat(count)}${'a: b\n'.repeat(count)}`,
  ])()
}
