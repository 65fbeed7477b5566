// Secrets and configs whose content changes, through the whole action: what containers then see, and what nobody may see.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Config, Secret } from '../../src/swarm/secret.ts'
import { engineCall } from '../support/engineCall.mjs'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, liveStacks } from '../support/liveStack.ts'
import type { ActionResult } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'rotation')

const docker = (args: readonly string[], input = ''): string =>
  execFileSync('docker', ['-H', `unix://${bed.socket}`, ...args], { encoding: 'utf8', input })

async function get(port: number, file: string): Promise<string> {
  const answer = await fetch(`http://${bed.host}:${port}${file}`, { signal: AbortSignal.timeout(5000) })
  return `${answer.status} ${await answer.text()}`
}

async function stored<T extends Secret | Config>(kind: 'secrets' | 'configs', name: string): Promise<readonly T[]> {
  const filters = encodeURIComponent(JSON.stringify({ name: [name] }))
  const { json } = await engineCall(bed.socket, 'GET', `/${kind}?filters=${filters}`)
  return json as readonly T[]
}

const digestLabel = 'com.swarm-stack-deploy.digest'

/** The part of a config's name that tells its content. */
const suffix = (content: string): string => createHash('sha256').update(content).digest('hex').slice(0, 8)

/** All that a run says, but for what it tells the runner to hide. */
function said(results: readonly ActionResult[]): string {
  return results
    .flatMap(({ raw, summary, outputs, commands }) => [
      ...raw.split('\n').filter((line) => !line.startsWith('::add-mask::')),
      summary,
      JSON.stringify(outputs),
      JSON.stringify(commands.filter(({ name }) => name !== 'add-mask')),
    ])
    .join('\n')
}

// Both servers show their whole file system.
const serving = (port: number): string => `
    image: tb/ok:1
    command: [httpd, -f, -p, '8080', -h, /]
    ports: [{ target: 8080, published: ${port}, mode: host }]
    stop_grace_period: 1s
    deploy: { update_config: { monitor: 1s } }`

const manifest = `services:
  web:${serving(18481)}
    configs: [{ source: motd, target: /etc/motd, mode: 0440, uid: '7' }]
    secrets: [token, other]
  side:${serving(18482)}
    configs: [{ source: motd, target: /srv/page }]
  aside:
    image: tb/ok:1
    stop_grace_period: 1s
    secrets: [other]
configs:
  motd: { file: motd.txt }
secrets:
  token: { file: token.txt }
  other: { file: other.txt }
`

describe('rotation', { concurrency: true }, () => {
  test('containers see the new content at the same path, and the old one again when it comes back', async (t) => {
    const planted = { first: 'planted token one', second: 'planted token two', other: 'planted other token' }
    const { name, workspace, deploy, running, objects } = stack(t, 'shop', {
      'motd.txt': 'hello one\n',
      'token.txt': planted.first,
      'other.txt': planted.other,
    })
    const write = (file: string, content: string) => fs.writeFileSync(path.join(workspace, file), content)
    const contents = async (): Promise<readonly string[]> => [
      await get(18481, '/etc/motd'),
      await get(18482, '/srv/page'),
      await get(18481, '/run/secrets/token'),
      await get(18481, '/run/secrets/other'),
    ]
    const inputs = { monitor: '1s' }
    const first = await deploy(manifest, inputs)
    assert.equal(first.outputs.status, 'converged', first.log)
    const old = ['200 hello one\n', '200 hello one\n', `200 ${planted.first}`, `200 ${planted.other}`]
    assert.deepEqual(await contents(), old)
    const ids = new Map((await running()).map((task) => [task.ServiceID, task.ID]))

    write('motd.txt', 'hello two\n')
    const config = await deploy(manifest, inputs)
    assert.equal(config.outputs.status, 'converged', config.log)
    const motd = `${name}_motd-${suffix('hello two\n')}`
    assert.deepEqual(changesOf(config), [
      `rotate config ${motd}`,
      `update service ${name}_side`,
      `update service ${name}_web`,
    ])
    assert.match(config.log, new RegExp(`^ *Creating config ${motd}, in place of ${name}_motd$`, 'm'))
    assert.deepEqual(await contents(), ['200 hello two\n', '200 hello two\n', ...old.slice(2)])
    const [mode] = (await running()).flatMap(({ Spec }) =>
      (Spec.ContainerSpec?.Configs ?? []).filter(({ File }) => File?.Name === '/etc/motd').map(({ File }) => File),
    )
    assert.deepEqual([mode?.UID, mode?.GID, mode?.Mode], ['7', '0', 0o440])

    write('token.txt', planted.second)
    const secret = await deploy(manifest, inputs)
    assert.equal(secret.outputs.status, 'converged', secret.log)
    const [rotated, follows, ...more] = changesOf(secret)
    assert.match(rotated ?? '', new RegExp(`^rotate secret ${name}_token-[0-9a-f]{8}$`))
    assert.deepEqual([follows, more], [`update service ${name}_web`, []])
    assert.deepEqual(
      [await get(18481, '/run/secrets/token'), await get(18481, '/run/secrets/other')],
      [`200 ${planted.second}`, `200 ${planted.other}`],
    )

    const before = await objects()
    const again = await deploy(manifest, inputs)
    assert.deepEqual([again.outputs.status, changesOf(again)], ['unchanged', []])
    assert.deepEqual(await objects(), before)

    write('motd.txt', 'hello one\n')
    write('token.txt', planted.first)
    const back = await deploy(manifest, inputs)
    assert.equal(back.outputs.status, 'converged', back.log)
    assert.deepEqual(changesOf(back), [`update service ${name}_side`, `update service ${name}_web`])
    assert.deepEqual(await contents(), old)
    // What nobody changed was never restarted.
    const aside = (await running()).filter((task) => ids.get(task.ServiceID) === task.ID)
    assert.deepEqual(
      aside.map(({ Spec }) => Spec.ContainerSpec?.Secrets?.map(({ SecretName }) => SecretName)),
      [[`${name}_other`]],
    )

    const records = await stored<Config>('configs', `swarmcli.release.${name}.`)
    assert.equal(records.length, 4)
    const recorded = records.map(
      ({ Spec }) => JSON.stringify(Spec.Labels) + gunzipSync(Buffer.from(Spec.Data ?? '', 'base64')),
    )
    assert.match(recorded.join('\n'), new RegExp(motd))
    const everything = [said([first, config, secret, again, back]), ...recorded].join('\n')
    const secrets = await stored<Secret>('secrets', `${name}_`)
    assert.equal(secrets.length, 3)
    const labels = secrets.map(({ Spec }) => Spec.Labels?.[digestLabel] ?? '')
    for (const label of labels) assert.match(label, /^[0-9a-f]{32}:[0-9a-f]{64}$/)
    const hidden = [
      ...Object.values(planted).flatMap((content) => [content, Buffer.from(content).toString('base64')]),
      ...labels.flatMap((label) => label.split(':')),
    ]
    for (const text of hidden) assert.ok(!everything.includes(text), `shown: ${text}`)
  })

  const files = `services:
  web:
    image: tb/ok:1
    stop_grace_period: 1s
    secrets: [token]
    deploy: { update_config: { monitor: 1s } }
secrets:
  token: { file: token.txt }
`

  test('a secret that the docker CLI made is adopted if it is the same, and superseded if not', async (t) => {
    const { name, workspace, deploy } = stack(t, 'theirs', { 'token.txt': 'planted by us' })
    const secret = `${name}_token`
    const id = docker(['secret', 'create', '-l', 'team=shop', secret, '-'], 'planted by them').trim()
    t.after(() => engineCall(bed.socket, 'DELETE', `/secrets/${id}`).catch(() => {}))
    const labels = async () => (await stored<Secret>('secrets', secret)).find(({ ID }) => ID === id)?.Spec.Labels ?? {}

    const refused = await deploy(files, { rotate: 'false' })
    assert.equal(refused.outputs.status, 'refused', refused.log)
    assert.match(
      annotations(refused, 'error').join('\n'),
      /^stack\.yml:8: .*content of the secret "rotation-theirs_token"/m,
    )
    assert.deepEqual(await labels(), { team: 'shop' })

    const superseded = await deploy(files, { monitor: '1s' })
    assert.equal(superseded.outputs.status, 'converged', superseded.log)
    assert.match(changesOf(superseded)[1] ?? '', new RegExp(`^rotate secret ${secret}-[0-9a-f]{8}$`))
    assert.deepEqual(await labels(), { team: 'shop' })
    assert.equal((await deploy(files, { monitor: '1s' })).outputs.status, 'unchanged')

    fs.writeFileSync(path.join(workspace, 'token.txt'), 'planted by them')
    const adopted = await deploy(files, { monitor: '1s' })
    assert.equal(adopted.outputs.status, 'converged', adopted.log)
    assert.deepEqual(changesOf(adopted), [`update secret ${secret}`, `update service ${name}_web`])
    assert.deepEqual(Object.keys(await labels()).sort(), ['com.docker.stack.namespace', digestLabel])
    assert.equal((await deploy(files, { monitor: '1s' })).outputs.status, 'unchanged')
    assert.doesNotMatch(said([refused, superseded, adopted]), /planted by/)
  })

  test('without rotation, with a name too long or with a template, a changed content is refused at its line', async (t) => {
    const { name, workspace, deploy, objects } = stack(t, 'refused', { 'motd.txt': 'one\n' })
    const long = `${name}_`.padEnd(60, 'x')
    const declared = {
      plain: 'file: motd.txt',
      long: `file: motd.txt, name: ${long}`,
      template: 'file: motd.txt, template_driver: golang',
    }
    const configs = (...keys: readonly (keyof typeof declared)[]): string =>
      `configs:\n${keys.map((key) => `  ${key}: { ${declared[key]} }\n`).join('')}`
    const all = `services:\n  web: { image: tb/ok:1, stop_grace_period: 1s }\n${configs('plain', 'long', 'template')}`
    const created = await deploy(all, { wait: 'false' })
    assert.equal(created.outputs.status, 'deployed', created.log)
    const before = await objects()
    fs.writeFileSync(path.join(workspace, 'motd.txt'), 'two\n')

    const fixed = await deploy(all, { rotate: 'false' })
    assert.equal(fixed.outputs.status, 'refused', fixed.log)
    assert.equal(fixed.outputs['failure-reason'], 'conflict')
    const lines = annotations(fixed, 'error').join('\n')
    assert.match(lines, /^stack\.yml:4: .*the content of the config "rotation-refused_plain" differs from/m)
    assert.match(lines, /^stack\.yml:6: .*the config "rotation-refused_template" .*never rotated/m)

    const rotating = await deploy(all)
    assert.equal(rotating.outputs.status, 'refused', rotating.log)
    assert.equal(annotations(rotating, 'error').length, 2)
    assert.match(annotations(rotating, 'error').join('\n'), /^stack\.yml:5: .*has 69 characters.*at most 64/m)
    assert.match(rotating.log, /"name:" of at most 55 characters/)
    assert.deepEqual(await objects(), before)
  })

  test('docs/configs-and-secrets.md shows what happens', async (t) => {
    const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/configs-and-secrets.md'), 'utf8')
    const blocks = (kind: string): readonly string[] =>
      [...page.matchAll(new RegExp(`^\`\`\`${kind}\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text)
    const [shown = '', ...others] = blocks('yaml')
    assert.deepEqual(others, [])
    const { name, workspace, deploy } = stack(t, 'docs', { 'motd.txt': 'Welcome!\n' })
    const run = (motd: string, token: string, rotate: boolean) => {
      fs.writeFileSync(path.join(workspace, 'motd.txt'), motd)
      const inputs = { secrets: `API_TOKEN=${token}`, rotate: String(rotate), wait: 'false' }
      return deploy(shown.replace('ghcr.io/acme/shop:1.4', 'tb/ok:1'), inputs)
    }
    const first = await run('Welcome!\n', 'token-of-march', true)
    const second = await run('Welcome back!\n', 'token-of-april', true)
    const refused = await run('Closed today.\n', 'token-of-april', false)
    assert.deepEqual(
      [first, second, refused].map(({ outputs }) => outputs.status),
      ['deployed', 'deployed', 'refused'],
      second.log,
    )
    // The salt, and so the name of a secret, is another one each time.
    const plain = (text: string): string => text.replaceAll(/(?<=_api_token-)[0-9a-f]{8}/g, 'X')
    const [rotation = '', refusal = '', ...more] = blocks('text').map((text) =>
      plain(text.replaceAll('shop_', `${name}_`).trimEnd()),
    )
    assert.deepEqual(more, [])
    assert.ok(plain(second.log).includes(rotation), second.log)
    assert.ok(plain(refused.log).includes(refusal), refused.log)
  })
})
