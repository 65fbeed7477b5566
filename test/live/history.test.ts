// Release records in a real swarm: one for each deployment that changes something, with the verdict on it and no secret in it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { parse } from 'yaml'
import type { Config } from '../../src/swarm/secret.ts'
import { engineCall } from '../support/engineCall.mjs'
import { liveBed } from '../support/liveBed.ts'
import { annotations, liveStacks } from '../support/liveStack.ts'
import type { ActionResult } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'history')

/** By number. */
async function recordsOf(name: string): Promise<readonly Config[]> {
  const filters = JSON.stringify({ label: [`com.swarmcli.release=${name}`] })
  const { json } = await engineCall(bed.socket, 'GET', `/configs?filters=${encodeURIComponent(filters)}`)
  return (json as Config[]).sort((left, right) => numberOf(left) - numberOf(right))
}

function numberOf({ Spec: { Labels } }: Config): number {
  return Number(Labels?.['com.swarmcli.revision'])
}

/** `1 deployed`. */
async function statuses(name: string): Promise<readonly string[]> {
  return (await recordsOf(name)).map((config) => `${numberOf(config)} ${config.Spec.Labels?.['com.swarmcli.status']}`)
}

function textOf(record: Config | undefined): string {
  return gunzipSync(Buffer.from(record?.Spec.Data ?? '', 'base64')).toString()
}

function ended({ outputs, log }: ActionResult, status: string, revision: string, previous: string): void {
  const { status: is, revision: number, 'previous-revision': before } = outputs
  assert.deepEqual([is, number, before], [status, revision, previous], log)
}

const web = (image: string): string =>
  `services:\n  web:\n    image: ${image}\n    stop_grace_period: 1s\n    deploy: { update_config: { monitor: 1s } }\n`

describe('release records', { concurrency: true }, () => {
  test('three deployments, one that changes nothing, one that fails, and then only two are kept', async (t) => {
    const { name, deploy } = stack(t, 'three')
    const soon = { monitor: '3s', 'max-failures': '2' }
    ended(await deploy(web('tb/ok:1'), soon), 'converged', '1', '')
    ended(await deploy(web('tb/ok:2'), soon), 'converged', '2', '1')
    ended(await deploy(web('tb/ok:2'), soon), 'unchanged', '2', '1')
    ended(await deploy(web('tb/crash:1'), soon), 'failed', '3', '2')
    assert.deepEqual(await statuses(name), ['1 deployed', '2 deployed', '3 failed'])
    ended(await deploy(web('tb/ok:1'), { ...soon, history: '0' }), 'converged', '3', '2')
    ended(await deploy(web('tb/ok:2'), { ...soon, history: '2', wait: 'false' }), 'deployed', '4', '3')
    assert.deepEqual(await statuses(name), ['2 deployed', '4 deployed'])
    const missing = `${web('tb/ok:2')}    networks: [gone]\nnetworks: { gone: { external: true } }\n`
    ended(await deploy(missing, { ...soon, history: '2' }), 'refused', '4', '2')
    ended(await deploy('', { command: 'rollback', 'stack-name': name, revision: '3' }), 'refused', '4', '2')
    const [, record] = await recordsOf(name)
    const { 'com.swarmcli.created': created, 'swarmcli.created': stored, ...labels } = record?.Spec.Labels ?? {}
    assert.deepEqual(labels, {
      'com.swarmcli.type': 'release',
      'com.swarmcli.release': name,
      'com.swarmcli.chart': name,
      'com.swarmcli.chart.version': '0123456789abcdef0123456789abcdef01234567',
      'com.swarmcli.revision': '4',
      'com.swarmcli.status': 'deployed',
      'com.swarmcli.owner': `gha/acme/shop:release/${name}`,
    })
    for (const time of [created, stored]) assert.ok(Math.abs(Date.parse(time ?? '') - Date.now()) < 300_000, time)
    assert.equal(parse(textOf(record)).manifest, web('tb/ok:2'))
  })

  test('no secret and no value is in a record, and a file with one in it is left out', async (t) => {
    const planted = {
      variable: 'planted-variable',
      secret: 'planted "secret"\nof two lines',
      fromFile: 'planted-env-file',
      content: 'planted-secret-content',
      password: 'planted-registry-pass',
    }
    const { name, deploy } = stack(t, 'planted', {
      'web.env': `FROM_FILE=${planted.fromFile}\n`,
      'token.txt': planted.content,
      'motd.txt': 'hello\n',
      'leaky.conf': `token = ${planted.content}\n`,
      'other.yml': `services:\n  web: { environment: { VARIABLE: "$\{VARIABLE}" }, configs: [leaky] }\n`,
    })
    const manifest = `${web('tb/ok:1')}    environment: { SECRET: "\${SECRET}" }
    env_file: web.env
    secrets: [token]
    configs: [motd]
secrets:
  token: { file: token.txt }
configs:
  motd: { file: motd.txt }
  leaky: { file: leaky.conf }
`
    const result = await deploy(manifest, {
      manifest: 'stack.yml\nother.yml',
      variables: `VARIABLE=${planted.variable}`,
      secrets: `SECRET<<END\n${planted.secret}\nEND`,
      'registry-auth': `registry.invalid ci ${planted.password}`,
      monitor: '1s',
    })
    ended(result, 'converged', '1', '')
    const said = annotations(result, 'warning')
    assert.equal(said.length, 1, said.join('\n'))
    assert.match(said[0] ?? '', /without the file leaky\.conf/)
    const [record] = await recordsOf(name)
    const text = textOf(record)
    const { files, ...rest } = parse(text)
    const contents = Object.entries<string>(files).map(([file, base64]) => [
      file,
      Buffer.from(base64, 'base64').toString(),
    ])
    assert.deepEqual(
      contents.map(([file]) => file),
      ['motd.txt', 'other.yml', 'stack.yml'],
    )
    const everything = JSON.stringify([record?.Spec, text, contents])
    for (const value of Object.values(planted).flatMap((one) => one.split('\n'))) {
      for (const form of [value, JSON.stringify(value).slice(1, -1), Buffer.from(value).toString('base64')]) {
        assert.ok(!everything.includes(form), `${form} is in ${everything}`)
      }
    }
    assert.deepEqual(Object.fromEntries(contents)['stack.yml'], manifest)
    assert.deepEqual(rest.values, {
      manifests: ['stack.yml', 'other.yml'],
      variables: ['SECRET', 'VARIABLE'],
      images: { web: 'tb/ok:1' },
      secrets: { token: `${name}_token` },
      configs: { leaky: `${name}_leaky`, motd: `${name}_motd` },
      omitted: ['leaky.conf'],
    })
    assert.deepEqual(parse(rest.manifest), { include: [{ path: ['stack.yml', 'other.yml'] }] })

    const inPlain = `${manifest}# ${planted.password}\n`
    const refused = await deploy(inPlain.replace('tb/ok:1', 'tb/ok:2'), {
      secrets: `SECRET=${planted.password}`,
      monitor: '1s',
    })
    ended(refused, 'converged', '1', '')
    assert.match(annotations(refused, 'warning').join(), /no release record is written: the manifest stack\.yml/)
    assert.deepEqual(await statuses(name), ['1 deployed'])
  })

  test('of a cancelled run it stays open how it ended, until a run of the same manifest has waited', async (t) => {
    const { name, start, deploy } = stack(t, 'cancelled')
    const slow = (delay: number) =>
      `services:\n  slow: { image: tb/slow:1, stop_grace_period: 1s, environment: { START_DELAY: '${delay}' } }\n`
    const action = start(slow(15))
    await action.untilLine(/::group::Wait until it runs/)
    ended(await action.cancel(), 'cancelled', '1', '')
    assert.deepEqual(await statuses(name), ['1 pending-install'])
    ended(await deploy(slow(15), { wait: 'false' }), 'unchanged', '1', '')
    assert.deepEqual(await statuses(name), ['1 pending-install'])
    ended(await deploy(slow(15), { monitor: '1s' }), 'unchanged', '1', '')
    assert.deepEqual(await statuses(name), ['1 deployed'])
    ended(await deploy(slow(0), { monitor: '1s' }), 'converged', '2', '1')
    assert.deepEqual(await statuses(name), ['1 deployed', '2 deployed'])
  })

  test('a record without room for its files is written without them', async (t) => {
    const noise = Array.from({ length: 10_000 }, (_, n) => createHash('sha512').update(`${n}`).digest('base64')).join(
      '\n',
    )
    const { name, deploy } = stack(t, 'large', { 'large.conf': noise })
    const result = await deploy(`${web('tb/ok:1')}    configs: [large]\nconfigs: { large: { file: large.conf } }\n`, {
      monitor: '1s',
    })
    ended(result, 'converged', '1', '')
    assert.match(annotations(result, 'warning').join(), /without its files.*large\.conf/)
    const { files, values } = parse(textOf((await recordsOf(name))[0]))
    assert.deepEqual([files, values.omitted], [undefined, ['large.conf']])
  })

  test('docs/history.md: its commands show what it says they show', async (t) => {
    const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/history.md'), 'utf8')
    const [list = '', listed = '', show = '', shown = ''] = [
      ...page.matchAll(/^```(?:sh|text|yaml)\n(.*?)^```$/gms),
    ].map(([, block]) => block)
    const { name, deploy } = stack(t, 'docs', {
      'web.env': 'A=b\n',
      'token.txt': 'a-token',
      'motd.txt': Buffer.from(parse(shown).files['motd.txt'], 'base64').toString(),
    })
    const here = (text: string): string =>
      text
        .replaceAll('ghcr.io/acme/shop:', 'tb/ok:')
        .replaceAll(/(?<=release[.=]|release\/|^release: |^namespace: |name: |: )shop(?=$|[._ ])/gm, name)
    const inputs = { variables: 'VERSION=1\nDB_PASSWORD=a-password', monitor: '1s' }
    const { manifest } = parse(here(shown))
    ended(await deploy(manifest, inputs), 'converged', '1', '')
    const run = async (command: string): Promise<string> => {
      const { code, stdout, stderr } = await bed.shell(['sh', '-c', here(command)])
      assert.equal(code, 0, stderr)
      return stdout
    }
    const created = /^created: .*$/m
    assert.equal((await run(show)).replace(created, ''), here(shown).replace(created, ''))
    await deploy(manifest.replace(/image: .*/, 'image: tb/crash:1'), { ...inputs, 'max-failures': '1' })
    const lines = (text: string): readonly string[] => text.trim().split('\n').sort()
    assert.deepEqual(lines(await run(list)), lines(here(listed)))
  })
})
