// A part of a stack, restarts that are asked for, and the list of all stacks, through the whole action.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { parse } from 'yaml'
import type { Config } from '../../src/swarm/secret.ts'
import { engineCall } from '../support/engineCall.mjs'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, liveStacks, reach, servicesOf } from '../support/liveStack.ts'
import { startAction } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'part')
const quick = { monitor: '1s' }

const service = (key: string, image: string, more = ''): string => `  ${key}:
    image: ${image}
    stop_grace_period: 1s
    deploy: { update_config: { monitor: 1s }${more} }
`

async function recordsOf(name: string) {
  const filters = encodeURIComponent(JSON.stringify({ label: [`com.swarmcli.release=${name}`] }))
  const { json } = await engineCall(bed.socket, 'GET', `/configs?filters=${filters}`)
  return (json as readonly Config[])
    .map(({ Spec }) => parse(gunzipSync(Buffer.from(Spec.Data ?? '', 'base64')).toString()))
    .sort((left, right) => left.revision - right.revision)
}

describe('a part of a stack', { concurrency: 3 }, () => {
  test('only the named services are written and judged, and the record holds the whole manifest', async (t) => {
    const { name, deploy, services, objects } = stack(t, 'shop')
    const manifest = (tag: string) => `services:
${service('web', `tb/ok:${tag}`)}${service('worker', `tb/ok:${tag}`)}${service('old', 'tb/ok:1')}`
    assert.equal((await deploy(manifest('1'), quick)).outputs.status, 'converged')
    const before = await objects()

    const misspelt = await deploy(manifest('2'), { ...quick, services: 'webb\nworker', force: 'wrker' })
    assert.deepEqual([misspelt.outputs.status, misspelt.outputs['failure-reason']], ['refused', 'input'], misspelt.log)
    const errors = annotations(misspelt, 'error').join('\n')
    assert.match(errors, /`services` names a service "webb", which the manifest does not have \(did you mean "web"\?\)/)
    assert.match(errors, /`force` names a service "wrker", .* \(did you mean "worker"\?\)/)
    assert.ok(!misspelt.log.includes('▼ Connection'))
    for (const line of shown('unknown').split('\n'))
      assert.ok(misspelt.log.includes(line), `${line}\n--\n${misspelt.log}`)

    const rest = manifest('2').replace(service('old', 'tb/ok:1'), service('broken', 'tb/crash:1'))
    const part = await deploy(rest, { ...quick, services: '# only this\nweb' })
    assert.deepEqual([part.outputs.status, part.outputs.warnings], ['converged', '0'], part.log)
    assert.deepEqual(changesOf(part), [`update service ${name}_web`])
    assert.deepEqual(
      servicesOf(part).map((one) => one.name),
      ['web'],
    )
    const after = await objects()
    for (const key of ['worker', 'old']) assert.equal(after[`service ${name}_${key}`], before[`service ${name}_${key}`])
    assert.deepEqual(
      (await services()).map(({ Spec }) => `${Spec.Name} ${Spec.TaskTemplate.ContainerSpec?.Image}`),
      ['old tb/ok:1', 'web tb/ok:2', 'worker tb/ok:1'].map((one) => `${name}_${one}`),
    )
    const [first, second, ...more] = await recordsOf(name)
    assert.deepEqual(more, [])
    assert.equal(second.manifest, rest)
    assert.deepEqual(first.values.images, { old: 'tb/ok:1', web: 'tb/ok:1', worker: 'tb/ok:1' })
    assert.deepEqual(second.values.images, { old: 'tb/ok:1', web: 'tb/ok:2', worker: 'tb/ok:1' })

    const again = await deploy(rest, { ...quick, services: 'web', prune: 'true' })
    assert.deepEqual([again.outputs.status, changesOf(again)], ['unchanged', []], again.log)
    assert.match(annotations(again, 'warning').join('\n'), /^the input `prune` is ignored/)
    assert.ok((await services()).some(({ Spec }) => Spec.Name === `${name}_old`))
  })

  test('forced services get new tasks, also together with a change, and jobs run again', async (t) => {
    const { name, deploy, running, tasks, services } = stack(t, 'force')
    const manifest = (tag: string) => `services:
${service('aside', 'tb/ok:1')}  job: { image: tb/job:1, deploy: { mode: replicated-job } }
${service('web', `tb/ok:${tag}`)}`
    const ids = async () => new Map((await running()).map(({ ServiceID, ID }): [string, string] => [ServiceID, ID]))
    const completed = async () => (await tasks()).filter(({ Status }) => Status.State === 'complete').length
    assert.equal((await deploy(manifest('1'), quick)).outputs.status, 'converged')
    const named = new Map((await services()).map(({ ID, Spec }) => [Spec.Name?.replace(`${name}_`, ''), ID]))
    const taskOf = async (key: string) => (await ids()).get(named.get(key) ?? '')
    const before = { web: await taskOf('web'), aside: await taskOf('aside') }
    assert.equal(await completed(), 1)

    const forced = await deploy(manifest('1'), { ...quick, force: 'web\njob' })
    assert.equal(forced.outputs.status, 'converged', forced.log)
    const changes = JSON.parse(forced.outputs.changes ?? '')
    assert.deepEqual(changes, [
      { kind: 'service', name: `${name}_job`, action: 'update', fields: ['forceUpdate'] },
      { kind: 'service', name: `${name}_web`, action: 'update', fields: ['forceUpdate'] },
    ])
    const [web, aside] = [await taskOf('web'), await taskOf('aside')]
    assert.ok(web !== undefined && web !== before.web)
    assert.equal(aside, before.aside)
    assert.equal(await completed(), 2)
    // What runs is the same as before: no release.
    assert.equal((await recordsOf(name)).length, 1)

    const unchanged = await deploy(manifest('1'), quick)
    assert.deepEqual([unchanged.outputs.status, changesOf(unchanged)], ['unchanged', []], unchanged.log)

    const both = await deploy(manifest('2'), { ...quick, force: 'true' })
    assert.equal(both.outputs.status, 'converged', both.log)
    const fields = JSON.parse(both.outputs.changes ?? '').map((change: { fields: unknown }) => change.fields)
    assert.deepEqual(fields, [['forceUpdate'], ['forceUpdate'], ['image', 'forceUpdate']])
    assert.notEqual(await taskOf('aside'), before.aside)
    assert.equal(await completed(), 3)
    const [webNow] = (await services()).filter(({ Spec }) => Spec.Name === `${name}_web`)
    assert.equal(webNow?.Spec.TaskTemplate.ForceUpdate, 2)
  })

  test('the list of stacks needs neither name nor manifest, and says how each stands', async (t) => {
    const well = stack(t, 'well')
    const sick = stack(t, 'sick')
    assert.equal((await well.deploy(`services:\n${service('web', 'tb/ok:1')}`, quick)).outputs.status, 'converged')
    const failing = `services:\n${service('web', 'tb/ok:1')}${service('dies', 'tb/crash:1', ', restart_policy: { condition: none }')}`
    assert.equal((await sick.deploy(failing, quick)).outputs.status, 'failed')
    const { code, log, outputs, summary } = await startAction({
      workspace: well.workspace,
      inputs: { ...reach(bed), command: 'list', monitor: '0s' },
    }).done
    assert.deepEqual([code, outputs.status, outputs.changed], [0, 'listed', 'false'], log)
    const stacks: readonly Readonly<Record<string, unknown>>[] = JSON.parse(outputs.stacks ?? '')
    const of = (name: string) => stacks.find((one) => one.name === name)
    assert.deepEqual(of(well.name), {
      name: well.name,
      services: 1,
      owner: 'gha/acme/shop',
      revision: 1,
      release: 'deployed',
      status: 'healthy',
      health: '1 of 1 services converged',
    })
    const { health, ...rest } = of(sick.name) ?? {}
    assert.deepEqual(rest, {
      name: sick.name,
      services: 2,
      owner: 'gha/acme/shop',
      revision: 1,
      release: 'failed',
      status: 'degraded',
    })
    assert.match(String(health), /^1 of 2 services converged; dies: .*3/)
    assert.match(log, /^✅ The swarm's stacks are listed/m)
    assert.match(log, /^ {2}Stack +Services +Status +Revision +Owner +Health$/m)
    assert.match(log, new RegExp(`^ {2}${sick.name} +2 +degraded +1 \\(failed\\) +gha/acme/shop +1 of 2`, 'm'))
    const plain = (text: string): string => text.replace(/ +/g, ' ').trim()
    const lines = shown('list')
      .replaceAll('blog', sick.name)
      .replace(/^( +)shop/m, `$1${well.name}`)
      .split('\n')
      .map(plain)
    assert.equal(lines.length, 4)
    // Times are this run's own, and a failure's words are told elsewhere.
    for (const line of lines)
      assert.ok(plain(log).includes(line.replace(/ \(listed, .*|…$/, '')), `${line}\n--\n${log}`)
    assert.match(summary, new RegExp(`^\\| \`${well.name}\` \\| 1 \\| ✅ healthy \\| 1 \\|`, 'm'))
  })
})

/** A block of the page about it. */
function shown(title: string): string {
  const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/prune.md'), 'utf8')
  return new RegExp(`\`\`\`text ${title}\\n(.*?)\`\`\``, 's').exec(page)?.[1]?.trim() ?? ''
}
