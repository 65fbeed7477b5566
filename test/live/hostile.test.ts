// Containers, labels and errors that write to deceive, through the whole action: its log as the runner reads it, its Markdown as
// GitHub renders it.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { githubHtml, tagsOf } from '../report/githubMarkdown.ts'
import { engineCall } from '../support/engineCall.mjs'
import { startGitHubServer } from '../support/gitHubServer.ts'
import { liveBed } from '../support/liveBed.ts'
import { liveStacks, reach } from '../support/liveStack.ts'
import { type ActionResult, runAction } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'hostile')

const LINES = [
  '::error file=x::PWNED',
  '  ::add-mask::PWNED',
  '::set-output name=status::PWNED',
  'x ##[error]PWNED',
  '::stop-commands::PWNED',
  '\x1b[2K\r::warning::PWNED',
  '\u202e::notice::PWNED ##\u200b[error]PWNED',
  '</details><script>PWNED</script> ![PWNED](http://evil.example/p.png) [PWNED](http://evil.example) @octocat #1',
  '``` \n# PWNED',
]

/** Nothing of it came through: no command, no control character, no markup. */
function assertHarmless({ raw, commands, summary, outputs }: ActionResult, ...markdown: readonly string[]): void {
  const own = ['add-mask', 'group', 'endgroup', 'error', 'warning', 'notice', 'debug']
  for (const { name, text, properties } of commands) {
    assert.ok(own.includes(name), name)
    assert.doesNotMatch(text, /^PWNED/)
    assert.ok(properties.file === undefined || properties.file === 'stack.yml', properties.file)
  }
  assert.ok(!commands.some(({ name, text }) => name === 'add-mask' && text.includes('PWNED')))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  const invisible = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/
  for (const text of [raw, JSON.stringify(outputs), summary, ...markdown]) assert.doesNotMatch(text, invisible)
  for (const page of [summary, ...markdown]) {
    const html = githubHtml(page)
    const known =
      /^<\/?(details|summary|code|pre|p|h2|h3|ul|li|strong|table|thead|tbody|tr|th|td)>$|^<code class="language-text">$|^<a href="https:\/\/github\.com\/acme\/shop\/actions\/runs\/\S+">$|^<\/a>$/
    assert.deepEqual(
      tagsOf(html).filter((tag) => !known.test(tag)),
      [],
    )
    const prose = html.replace(/<!--.*?-->/g, '').replace(/<code[^>]*>[\s\S]*?<\/code>/g, '')
    assert.doesNotMatch(prose, /@\w|#\d|PWNED<\/h/)
  }
}

test('containers that write commands, and a name of a program that is one', async (t) => {
  const server = await startGitHubServer()
  t.after(() => server.close())
  const manifest = JSON.stringify({
    services: {
      talks: {
        image: 'tb/crash:1',
        command: ['sh', '-c', `printf '%b' "${LINES.join('\n').replaceAll(/[`"\\$]/g, '\\$&')}"; exit 3`],
        labels: { [`${LINES[0]}`]: LINES.join('\n') },
        deploy: { restart_policy: { delay: '0s' }, labels: { said: LINES.join('\n') } },
      },
      named: {
        image: 'tb/ok:1',
        entrypoint: ['\n::error::PWNED\r##[error]PWNED <b>PWNED</b> @octocat'],
        deploy: { restart_policy: { delay: '0s' } },
      },
      sick: {
        image: 'tb/ok:1',
        healthcheck: {
          test: ['CMD-SHELL', `printf '%b' "${LINES.slice(0, 5).join('\n')}"; exit 1`],
          interval: '1s',
          retries: 1,
        },
        stop_grace_period: '1s',
        deploy: { restart_policy: { delay: '0s' } },
      },
    },
  })
  const result = await stack(t, 'deploy').deploy(
    manifest,
    {
      comment: 'true',
      environment: '--> <b>PWNED</b> @octocat',
      'github-token': 'ghs_0123456789abcdef',
      'log-lines': '30',
      'max-failures': '1',
    },
    {
      env: { GITHUB_API_URL: server.url },
      event: { name: 'pull_request', payload: { pull_request: { number: 1, head: { sha: 'f'.repeat(40) } } } },
    },
  )
  assert.equal(result.outputs.status, 'failed', result.log)
  // It is all there to be read: the container's lines, the error of its start, its health check's words.
  for (const shown of [/\| .*: :error file=x: :PWNED/, /^named\.1 on .*PWNED/m, /^ *> .*PWNED/m])
    assert.match(result.log, shown)
  const [comment] = server.comments
  assertHarmless(result, comment?.body ?? assert.fail('no comment'))
  assert.deepEqual(server.violations, [])
})

test('the name of a stack that another client made', async (t) => {
  const name = 'hostile-list'
  const label = `${name}\n::error::PWNED ##[error]PWNED <img src=x> | a | @octocat`
  const { json } = await engineCall(bed.socket, 'POST', '/services/create', {
    Name: 'hostile-by-hand',
    Labels: { 'com.docker.stack.namespace': label, 'com.swarm-stack-deploy.owner': `gha/${LINES.join('')}` },
    TaskTemplate: { ContainerSpec: { Image: 'tb/ok:1' } },
    Mode: { Replicated: { Replicas: 0 } },
  })
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'list-'))
  t.after(async () => {
    await engineCall(bed.socket, 'DELETE', `/services/${(json as { readonly ID: string }).ID}`)
    fs.rmSync(workspace, { recursive: true })
  })
  const result = await runAction({ workspace, inputs: { ...reach(bed), command: 'list' } })
  assert.equal(result.outputs.status, 'listed', result.log)
  assert.match(result.log, /hostile-list .*PWNED/)
  assertHarmless(result)
})
