// Writes docs/inputs.md and docs/outputs.md from action.yml, the table of inputs and the remedies, and docs/manifest.md from the
// rules of the manifest, and docs/backend.md (backendDocs.mjs): `node scripts/docs.mjs`.
// With `--check` it writes nothing and fails where a page is not what it would write. Needs a Node that strips types.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseDocument } from 'yaml'
import { ignored, ofDocker as ignoredByDocker } from '../src/compose/ignoredKeys.ts'
import { rootRules } from '../src/compose/rootRules.ts'
import { remedies } from '../src/health/remedies.ts'
import { INPUTS } from '../src/inputs/table.ts'
import { backendPage } from './backendDocs.mjs'
import { ofDocker, ofSpecification } from './manifestKeys.mjs'

const root = new URL('../', import.meta.url)
const action = parseDocument(readFileSync(new URL('action.yml', root), 'utf8'))

/** A cell of a Markdown table. */
const cell = (text) => text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')

/** The entries of a section of action.yml, each with the heading comment above it. */
function entries(section) {
  let group = ''
  return action.get(section).items.map(({ key, value }, index) => {
    const comment = index === 0 ? action.get(section).commentBefore : key.commentBefore
    if (comment) group = comment.trim()
    return { group, name: key.value, ...value.toJSON() }
  })
}

function inputsPage() {
  const inputs = entries('inputs')
  const groups = [...new Set(inputs.map(({ group }) => group))]
  const row = ({ name, description }) => {
    const { default: standard } = INPUTS[name]
    return [`\`${name}\``, standard === '' ? '' : `\`${standard}\``, description]
  }
  const sections = groups.map(
    (group) =>
      `## ${group}\n\n${table(['Input', 'Default', 'Meaning'], inputs.filter((one) => one.group === group).map(row))}`,
  )
  return `${INPUTS_INTRODUCTION}\n\n${sections.join('\n\n')}\n`
}

function outputsPage() {
  const rows = entries('outputs').map(({ name, description }) => [`\`${name}\``, description])
  const codes = Object.entries(remedies).map(([code, remedy]) => [`\`${code}\``, remedy])
  return `${OUTPUTS_INTRODUCTION}\n\n${table(['Output', 'Meaning'], rows)}\n\n${STATUSES}\n\n${CODES}\n\n${table(['Code', 'What usually mends it'], codes)}\n`
}

/**
 * Every key that the rules know, as `[path, rule, since]`; `*` stands for a name of the author's, `[]` for the items of a list.
 * Mappings that tolerate any key have those that something is said of.
 */
function* keysOf(rule, path = '', since = 0) {
  for (const [key, inner] of Object.entries({ ...rule.keys, ...(rule.open && toldOf(path, rule)) })) {
    const at = path === '' ? key : `${path}.${key}`
    const from = Math.max(since, inner.since ?? 0)
    yield [at, inner, from]
    // What is ignored is ignored with all that it holds.
    if (ignoredAt(at) === undefined && !at.endsWith('x-cluster-spec')) yield* keysOf(inner, at, from)
  }
  if (rule.others) yield* keysOf(rule.others, `${path}.*`, since)
  if (rule.items) yield* keysOf(rule.items, `${path}[]`, since)
}

/** A key that no rule describes. */
const ANYTHING = { types: [], open: true }

function toldOf(path, { keys = {} }) {
  const told = [...Object.keys(ofDocker), ...Object.keys(ofSpecification)]
    .filter((at) => at.startsWith(`${path}.`) && !at.slice(path.length + 1).includes('.'))
    .map((at) => at.slice(path.length + 1))
  const all = [...told, ...(ignored[path.replaceAll('[]', '.[]')] ?? []).map(([key]) => key)]
  return Object.fromEntries(all.filter((key) => !(key in keys)).map((key) => [key, ANYTHING]))
}

/** What happens instead of an ignored key. */
function ignoredAt(path) {
  const [, parent, key] = /^(?:(.*)\.)?([^.]+)$/.exec(path)
  const pattern = (parent ?? '').replaceAll('[]', '.[]')
  return ignored[pattern]?.find(([name]) => name === key)?.[1][0]
}

function effectOf(path) {
  const instead = ignoredAt(path)
  return instead === undefined ? (ofDocker[path] ?? ofSpecification[path]) : `Ignored, with a warning: ${instead}`
}

/** The version that a key exists from, or that it is one of the Compose Specification. */
function originOf(path, since) {
  const key = path.split('.').at(-1)
  const docker = ignoredByDocker.some(([name]) => path === `services.*.${name}`) || /\.ipv[46]_address$/.test(path)
  const isNew = ignoredAt(path) === undefined ? path in ofSpecification : !docker
  return isNew && !key.startsWith('x-') ? 'Specification' : `3.${since}`
}

const TYPES = { string: 'text', integer: 'whole number', boolean: 'true or false', null: 'empty' }

function formOf({ types, choices, format, open }) {
  if (open && (types.length === 0 || types.length > 5)) return 'anything'
  if (format === 'duration') return 'duration'
  const shown = types.filter((type) => type !== 'timestamp').map((type) => TYPES[type] ?? type)
  return choices ? choices.map((choice) => `\`${choice}\``).join(', ') : shown.join(', ')
}

function manifestPage() {
  const keys = [...keysOf(rootRules)]
  const without = keys.filter(([path]) => effectOf(path) === undefined).map(([path]) => path)
  const known = new Set(keys.map(([path]) => path))
  const gone = [...Object.keys(ofDocker), ...Object.keys(ofSpecification)].filter((path) => !known.has(path))
  if (without.length > 0) console.error(`scripts/manifestKeys.mjs says nothing of ${without.join(', ')}`)
  if (gone.length > 0) console.error(`scripts/manifestKeys.mjs tells of keys that do not exist: ${gone.join(', ')}`)
  if (without.length + gone.length > 0) process.exitCode = 1
  const sections = [
    ['The top level', /^[^.[]+$|^include\[/, ''],
    ['A service', /^services\.\*\.(?!deploy\.)/, 'services.*.'],
    ['`deploy` of a service', /^services\.\*\.deploy\./, 'services.*.deploy.'],
    ...['networks', 'volumes', 'secrets', 'configs'].map((kind) => [
      `One of \`${kind}\``,
      new RegExp(`^${kind}\\.`),
      `${kind}.*.`,
    ]),
  ].map(([title, pattern, prefix]) => {
    const rows = keys
      .filter(([path]) => pattern.test(path))
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([path, rule, since]) => [
        `\`${path.slice(prefix.length)}\``,
        formOf(rule),
        originOf(path, since),
        effectOf(path) ?? '',
      ])
    return `## ${title}\n\n${table(['Key', 'Form', 'From', 'In the swarm'], rows)}`
  })
  return `${MANIFEST_INTRODUCTION}\n\n${sections.join('\n\n')}\n`
}

const GENERATED = '<!-- Written by scripts/docs.mjs from action.yml: change that, and run it. -->'

const INPUTS_INTRODUCTION = `${GENERATED}

# Inputs

All inputs are checked before any connection is made, and all mistakes are reported at once. An empty input equals an absent one. An input of another action
(\`file\`, \`user\`, \`ssh_key\` …) is an error that says what to write here; any other unknown one is a warning.

| Form | How it is written |
| --- | --- |
| boolean | \`true\`, \`True\`, \`TRUE\`, \`false\`, \`False\`, \`FALSE\` |
| duration | as in Go: \`90s\`, \`5m\`, \`1h30m\`; a bare number is seconds |
| list | one item a line; a line that begins with \`#\` is a comment |
| map | \`KEY=value\` lines, the value verbatim to the line's end; \`KEY<<EOF\` … \`EOF\` for a value of several lines; or one JSON object |

Messages about \`secrets\`, keys and credentials name a line's number, never its text. The values of \`secrets\`, keys, passwords and tokens,
each line of them, and their base64, URL and JSON forms are masked everywhere, if they have 4 characters or more.

A manifest sees neither \`INPUT_*\`, \`ACTIONS_*\`, \`STATE_*\` nor \`GITHUB_TOKEN\`, \`GH_TOKEN\`, \`SSH_AUTH_SOCK\`, \`DOCKER_AUTH_CONFIG\`, and
naming one there, in \`variables\`, in \`secrets\` or in an \`env-file\` is an error.`

const OUTPUTS_INTRODUCTION = `${GENERATED}

# Outputs

Outputs are set whatever happens; one that does not apply is empty. A JSON output is valid and below 256 KiB: where something is left out,
its last element is \`{"truncated": n}\`.`

const MANIFEST_INTRODUCTION = `<!-- Written by scripts/docs.mjs from the rules in src/compose and scripts/manifestKeys.mjs: change those, and run it. -->

# The manifest

Every key that a manifest may have, and what it becomes in the swarm. The fields are those of the Engine API; \`ContainerSpec\` is short
for \`TaskTemplate.ContainerSpec\`. What differs from \`docker stack deploy\` is in [compatibility.md](compatibility.md).

- \`*\` stands for a name that you choose, \`[]\` for the items of a list. Any other key is an error that names the nearest one, but for
  those that begin with \`x-\`, which mean nothing.
- **From** is the first \`version\` that has the key; *Specification* are keys of the Compose Specification that the docker CLI refuses or
  loses.
- A mapping of texts (environment, labels, options) may be a list of \`KEY=value\` where the form says list. A *duration* is one of
  Go (\`1m30s\`), a size has a unit (\`512m\`).
- Variables are replaced in all values, not in keys: \`\${NAME}\`, \`\${NAME:-default}\`, \`\${NAME:?message}\`, \`\${NAME:+text}\`; \`$$\` is a plain \`$\`.`

const STATUSES = `## Status and exit code

| Status | Exit code | When |
| --- | --- | --- |
| \`converged\` | 0 | something was written, and every service of the manifest converged |
| \`unchanged\` | 0 | nothing was written, and every service of the manifest converged (with \`wait: false\` nobody looked) |
| \`deployed\` | 0 | written, with \`wait: false\` |
| \`refused\` | 1 | nothing was written: a check or the connection said no |
| \`failed\` | 1 | written, or already so, and a service can't converge; also where Swarm rolled it back |
| \`timed-out\` | 1 | the time was up before everything had converged |
| \`rolled-back\` | 1 | the deployment failed, and \`on-failure: rollback\` put everything back; see docs/rollback.md |
| \`rollback-failed\` | 1 | it could not: someone must look |
| \`cancelled\` | 1 | the workflow was cancelled; nothing is rolled back |
| \`removed\` | 0 | \`command: remove\`: the stack is gone, or was not there |
| \`planned\` | 0 | \`command: plan\`: nothing was written |
| \`healthy\` | 0 | \`command: status\`: every service has converged |
| \`progressing\` | 0 | \`command: status\`: some are on their way |
| \`degraded\` | 1 | \`command: status\`: a service can't run |
| \`absent\` | 1 | \`command: status\`: the swarm has no such stack |
| \`listed\` | 0 | \`command: list\`: the swarm's stacks |`

const CODES = `## Failure reasons

The output \`failure-reason\` is one of these. Where the log has a remedy of its own, that one knows more: a \`conflict\` may also be a stack
of [another repository](ownership.md), or another [plan](plan.md) than the approved one.`

const pages = {
  'docs/inputs.md': inputsPage(),
  'docs/outputs.md': outputsPage(),
  'docs/manifest.md': manifestPage(),
  'docs/backend.md': backendPage(),
}
for (const [name, text] of Object.entries(pages)) {
  const file = new URL(name, root)
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${name} is not current: run \`node scripts/docs.mjs\``)
    process.exitCode = 1
  }
}
