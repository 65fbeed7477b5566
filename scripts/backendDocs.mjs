// docs/backend.md, gathered from the comments of src/backend; scripts/docs.mjs writes it. See src/backend/backend.ts for the tags.
import { readdirSync, readFileSync } from 'node:fs'
import { engineCalls } from '../src/engine/engineCalls.ts'

const read = (file) => readFileSync(new URL(`../src/backend/${file}`, import.meta.url), 'utf8')

/** Every public method of Backend, in the order of the source; see backendDocs.d.mts. */
export function backendMethods() {
  const source = read('backend.ts')
  const methods = [
    ...source.matchAll(
      /\n {2}(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2})?(?:async )?(\w+)(\((?:[^\n]|\n {2,4}(?=[ )]?\S))*?) \{\}?\n/g,
    ),
  ]
  return methods.map(([, comment = '', name, signature]) => {
    const { text, tags } = commentOf(comment)
    return {
      name,
      signature: name + signature.replace(/\s+/g, ' ').replace('( ', '(').replace(', )', ')'),
      text,
      calls: tags.filter(([tag, value]) => tag === 'calls' && value !== 'none').map(([, value]) => stepOf(value)),
      throws: tags.filter(([tag]) => tag === 'throws').map(([, value]) => value),
      isDocumented: text !== '' && (name === 'constructor' || tags.some(([tag]) => tag === 'calls')),
    }
  })
}

/** The page. */
export function backendPage() {
  const methods = backendMethods().filter(({ name }) => name !== 'constructor')
  const lacking = methods.filter(({ isDocumented }) => !isDocumented).map(({ name }) => name)
  if (lacking.length > 0) throw new Error(`src/backend/backend.ts has no comment with @calls at ${lacking.join(', ')}`)
  return `${introduction}

## Options

\`new Backend(engine, options)\`, where every option may be left out:

${optionsTable()}

## When a digest is asked for

\`\`\`ts
${declarationOf('resolveMode.ts', 'ResolveMode')}
\`\`\`

${sentence(read('resolveMode.ts'))}

## Methods

${methods.map(section).join('\n\n')}

## Beside it

${section(mounted())}

## What goes over the wire

The types of what the engine is sent and answers are in src/swarm, with units and versions. A live test holds them against real engines.

${typesTable()}
`
}

// --- Internal helpers ---

const introduction = `<!-- Written by scripts/docs.mjs from the comments in src/backend: change those, and run it. -->

# The Backend

Everything that this action does to a swarm goes through the class \`Backend\` (src/backend/backend.ts). This page is for those who read
or change the code. Its types are in src: \`StackSpec\` in convert/stackSpec.ts, \`Deployment\` in backend/applyPlan.ts, \`ServiceState\` in
health/serviceState.ts, and what goes over the wire in swarm.

- The calls are those of the Engine API, a line a step; those of one step are made at once, or in no order. "as needed" is once for each
  thing that needs it, or not at all. A test makes every one of them, and no other.
- What a deployment or a removal creates, updates or removes by a call whose answer is lost is asked for again, up to three times in all,
  after a look at what is there where a second call could do harm. Reads are repeated by the connection alone, if at all.
- \`EngineError\` (src/engine/engine.ts) is a call that the engine refused or that never reached it, with a \`kind\` and the engine's own words;
  \`DeployError\` (src/errors.ts) has one of the [codes](outputs.md#failure-reasons), a remedy, and a place in the manifest where there is one.`

/** The text of a comment, and its tags with their values; a tag may go on on lines that are indented. */
function commentOf(comment) {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
  const joined = lines.join('\n').replace(/\n {2,}/g, ' ')
  const tags = [...joined.matchAll(/^@(\w+) (.*)$/gm)].map(([, tag, value]) => [tag, value])
  const text = joined.replace(/^@.*$/gm, '').replace(/\s+/g, ' ').trim()
  return { text, tags }
}

/** The first comment of a file. */
const sentence = (source) => commentOf(/\/\*\*([\s\S]*?)\*\//.exec(source)[1]).text

function stepOf(value) {
  return value.split(', ').map((item) => {
    const [, call, times = '1', star] = /^(\w+)(?: x(\d+))?(\*)?$/.exec(item) ?? [undefined, item]
    return { call, times: Number(times), asNeeded: star !== undefined }
  })
}

function section({ name, signature, text, calls, throws }) {
  const steps = calls.map((step, index) => `${index + 1}. ${step.map(shownCall).join(', ')}`)
  const made = steps.length === 0 ? 'No calls.' : `Calls:\n\n${steps.join('\n')}`
  const errors = throws.length === 0 ? '' : `\n\nRejects with:\n\n${throws.map((one) => `- ${one}`).join('\n')}`
  return `### ${name}\n\n\`\`\`ts\n${signature}\n\`\`\`\n\n${text}\n\n${made}${errors}`
}

function shownCall({ call, times, asNeeded }) {
  const route = routes[call] ?? fail(`the engine has no call ${call}`)
  return `\`${route}\`${times === 1 ? '' : ` (${times} times)`}${asNeeded ? ' as needed' : ''}`
}

function fail(message) {
  throw new Error(message)
}

/** Engine's method → `GET /networks`: what the calls themselves ask for, with an id in braces. */
const routes = await routesOf()

async function routesOf() {
  let last = ''
  const engine = engineCalls(
    async ({ method, path }) => {
      last = `${method} ${decodeURIComponent(path)}`
      throw new Error('only the path is wanted')
    },
    async () => true,
  )
  const found = {}
  for (const name of Object.keys(engine)) {
    const first = name.startsWith('list') || name === 'info' ? undefined : name.startsWith('create') ? {} : '{id}'
    await engine[name](name === 'inspectDistribution' ? '{image}' : first, 0, {}).catch(() => {})
    found[name] = last
  }
  return found
}

function mounted() {
  const file = 'mountedSecretNames.ts'
  const { text, tags } = commentOf(/\/\*\*([\s\S]*?)\*\//.exec(read(file))[1])
  const signature = declarationOf(file, 'mountedSecretNames').replace(/^async function /, '')
  return { name: 'mountedSecretNames', signature, text, calls: [], throws: tags.map(([, value]) => value) }
}

/** The types of src/swarm by file. */
function typesTable() {
  const folder = new URL('../src/swarm/', import.meta.url)
  const rows = readdirSync(folder)
    .sort()
    .map((file) => {
      const source = readFileSync(new URL(file, folder), 'utf8')
      const names = [...source.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => `\`${name}\``)
      return [`src/swarm/${file}`, names]
    })
  return [
    ['File', 'Types'],
    ['---', '---'],
    ...rows.filter(([, names]) => names.length > 0).map(([file, names]) => [file, names.join(', ')]),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

function declarationOf(file, name) {
  const [, text] = new RegExp(`export ((?:async )?(?:type|function) ${name}\\b.*?)(?: \\{)?\\n`).exec(read(file))
  return text
}

/** The members of BackendOptions with their comments, and the defaults that withDefaults gives them. */
function optionsTable() {
  const source = read('options.ts')
  const [, members] = /export interface BackendOptions \{\n([\s\S]*?)\n\}/.exec(source)
  const rows = [...members.matchAll(/(?: {2}\/\*\*([\s\S]*?)\*\/\n)? {2}readonly (\w+)\?: (.*)/g)].map(
    ([, comment = '', name, type]) => {
      const [, standard = 'undefined'] = new RegExp(`${name}: options\\.${name} \\?\\? (.*),\\n`).exec(source) ?? []
      return [
        `\`${name}\``,
        `\`${type.replace(' | undefined', '')}\``,
        standard === 'undefined' ? '' : `\`${standard.replace(/^\((.*)\)$/, '$1')}\``,
        commentOf(comment).text,
      ]
    },
  )
  const undocumented = rows.filter(([, , , text]) => text === '').map(([name]) => name)
  if (undocumented.length > 0) throw new Error(`src/backend/options.ts says nothing of ${undocumented.join(', ')}`)
  return [['Option', 'Type', 'Default', 'Meaning'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}
