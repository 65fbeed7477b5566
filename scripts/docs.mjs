// Writes docs/inputs.md and docs/outputs.md from action.yml, the table of inputs and the remedies: `node scripts/docs.mjs`.
// With `--check` it writes nothing and fails where a page is not what it would write. Needs a Node that strips types.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseDocument } from 'yaml'
import { remedies } from '../src/health/remedies.ts'
import { INPUTS } from '../src/inputs/table.ts'

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

/** The mark of what is not built, made plain to see. */
const notYet = (text) => text.replace(/^Not yet: (.)/, (_, first) => `**Not yet.** ${first.toUpperCase()}`)

function inputsPage() {
  const inputs = entries('inputs')
  const groups = [...new Set(inputs.map(({ group }) => group))]
  const row = ({ name, description }) => {
    const { default: standard, built } = INPUTS[name]
    return [`\`${name}\``, standard === '' ? '' : `\`${standard}\``, built ? description : notYet(description)]
  }
  const sections = groups.map(
    (group) =>
      `## ${group}\n\n${table(['Input', 'Default', 'Meaning'], inputs.filter((one) => one.group === group).map(row))}`,
  )
  return `${INPUTS_INTRODUCTION}\n\n${sections.join('\n\n')}\n`
}

function outputsPage() {
  const rows = entries('outputs').map(({ name, description }) => [`\`${name}\``, notYet(description)])
  const codes = Object.entries(remedies).map(([code, remedy]) => [`\`${code}\``, remedy])
  return `${OUTPUTS_INTRODUCTION}\n\n${table(['Output', 'Meaning'], rows)}\n\n${STATUSES}\n\n${CODES}\n\n${table(['Code', 'What usually mends it'], codes)}\n`
}

const GENERATED = '<!-- Written by scripts/docs.mjs from action.yml: change that, and run it. -->'

const INPUTS_INTRODUCTION = `${GENERATED}

# Inputs

All inputs are checked before any connection is made, and all mistakes are reported at once. An empty input equals an absent one. What is
marked **not yet** is known but not built: asking for it is refused, so that nothing is silently left undone. An input of another action
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
naming one there or in \`variables\` is an error.`

const OUTPUTS_INTRODUCTION = `${GENERATED}

# Outputs

Outputs are set whatever happens; one that does not apply is empty. A JSON output is valid and below 256 KiB: where something is left out,
its last element is \`{"truncated": n}\`.`

const STATUSES = `## Status and exit code

| Status | Exit code | When |
| --- | --- | --- |
| \`converged\` | 0 | something was written, and every service of the manifest converged |
| \`unchanged\` | 0 | nothing was written, and every service of the manifest converged |
| \`deployed\` | 0 | written, with \`wait: false\` |
| \`refused\` | 1 | nothing was written: a check or the connection said no |
| \`failed\` | 1 | written, or already so, and a service can't converge; also where Swarm rolled it back |
| \`timed-out\` | 1 | the time was up before everything had converged |
| \`cancelled\` | 1 | the workflow was cancelled; nothing is rolled back |

**Not yet:** \`planned\`, \`removed\`, \`listed\`, \`healthy\`, \`progressing\`, \`degraded\`, \`absent\`, \`rolled-back\`, \`rollback-failed\`.`

const CODES = `## Failure reasons

The output \`failure-reason\` is one of these.`

const pages = { 'docs/inputs.md': inputsPage(), 'docs/outputs.md': outputsPage() }
for (const [name, text] of Object.entries(pages)) {
  const file = new URL(name, root)
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${name} is not current: run \`node scripts/docs.mjs\``)
    process.exitCode = 1
  }
}
