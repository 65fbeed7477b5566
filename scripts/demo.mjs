// `npm run demo`: the action on a real, throw-away swarm, over real SSH, just as GitHub's runner would start it: a deployment
// that works, the same again, and one that fails. Needs root on Debian or Ubuntu, and Node 20; removes all it started.
import fs from 'node:fs'
import http from 'node:http'
import { fileURLToPath } from 'node:url'
import { startBed } from '../test/support/bed.mjs'
import { runAction } from '../test/support/runner.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const say = (text) => console.log(text)
const title = (text) => say(`\n━━━ ${text} ${'━'.repeat(Math.max(3, 96 - text.length))}`)
const block = (text, edge) => say(text.replace(/\n$/, '').replace(/^/gm, edge))

/** One run of the action, all of what a reader of the workflow would see of it, and whether it ended as expected. */
async function deploy(bed, manifest, version, expected) {
  const inputs = {
    host: `ssh://${bed.user}@${bed.host}`,
    'ssh-key': fs.readFileSync(bed.keyFile, 'utf8'),
    'known-hosts': fs.readFileSync(bed.knownHostsFile, 'utf8'),
    'stack-name': 'shop',
    manifest,
    variables: `VERSION=${version}`,
    'resolve-image': 'never',
    monitor: '5s',
  }
  say('with:')
  for (const [name, value] of Object.entries(inputs)) say(`  ${name}: ${value.includes('\n') ? '(a file)' : value}`)
  say('log:')
  const result = await runAction({ inputs, workspace: root, onLine: (line) => block(line, '  │ ') })
  say(`outputs (exit code ${result.code}, ${(result.durationMs / 1000).toFixed(1)} s):`)
  for (const [name, value] of Object.entries(result.outputs)) block(`${name} = ${value}`, '  ')
  say('job summary:')
  block(result.summary, '  ┊ ')
  for (const [name, value] of Object.entries(expected)) {
    const got = name === 'code' ? result.code : result.outputs[name]
    if (got !== value) throw new Error(`the demo expected ${name} to be ${value}, and got ${got}`)
  }
}

function get(url) {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { timeout: 5000, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve(`${response.statusCode} ${text.trim()}`))
    })
    request.on('timeout', () => request.destroy(new Error(`${url} does not answer within 5 s`)))
    request.on('error', reject)
  })
}

async function showSite(bed) {
  const url = `http://${bed.host}:8080/`
  const answer = await get(url)
  say(`GET ${url}  →  ${answer}`)
  if (!answer.startsWith('200 ')) throw new Error(`the site answers ${answer}`)
}

async function showServices(bed) {
  const { stdout, stderr } = await bed.shell(['docker', 'service', 'ls'])
  say('on the manager, "docker service ls" says:')
  block(stdout || stderr, '  ')
}

async function show(bed) {
  title('Deploying examples/shop')
  await deploy(bed, 'examples/shop/stack.yml', '1', { code: 0, status: 'converged', changed: 'true' })
  await showServices(bed)
  await showSite(bed)

  title('The same again: nothing is written, nothing restarts')
  await deploy(bed, 'examples/shop/stack.yml', '1', { code: 0, status: 'unchanged', changed: 'false' })

  title('Deploying examples/shop-broken: what failure looks like')
  const failure = { code: 1, status: 'failed', 'failed-service': 'mailer', 'failure-reason': 'crash-loop' }
  await deploy(bed, 'examples/shop-broken/stack.yml', '2', failure)
  await showServices(bed)
  await showSite(bed)
}

async function demo() {
  title('A throw-away swarm')
  const bed = await startBed({ name: `demo-${process.pid}`, log: say })
  await show(bed).finally(async () => {
    title('Removing all of it')
    await bed.stop()
  })
  if (fs.existsSync(bed.dir)) throw new Error(`${bed.dir} is still there: node test/support/bed.mjs down ${bed.name}`)
  say('gone: the engine, its containers, the SSH server, the network and their folder')
}

// The bed removes itself when this process exits; a signal alone would not let it.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])
  process.on(signal, () => process.exit(code))
try {
  await demo()
  say('\nThe demo went as it should.')
} catch (error) {
  console.error(`\nThe demo failed: ${error.message}`)
  process.exitCode = 1
}
