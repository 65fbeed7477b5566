// What has left the manifest, through the whole action: what goes, what stays, and that every way back still works afterwards.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownBed } from '../support/liveBed.ts'
import { annotations, changesOf, type LiveStack, liveStacks } from '../support/liveStack.ts'

const bed = await ownBed('prune')
const stack = liveStacks(bed, 'prune')

const docker = (...args: readonly string[]): string =>
  execFileSync('docker', ['-H', `unix://${bed.socket}`, ...args], {
    encoding: 'utf8',
    timeout: 60_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const quick = { monitor: '1s' }
const fast = 'stop_grace_period: 1s\n    deploy: { update_config: { monitor: 1s, failure_action: rollback } }'

/** What there is of a stack, such as `service web`, without its name. */
async function owned({ name, objects }: LiveStack): Promise<readonly string[]> {
  return Object.keys(await objects()).map((object) => object.replace(` ${name}_`, ' '))
}

/** The secret files of the running tasks, once there is one of a service. */
async function secretsOf({ name, running }: LiveStack): Promise<readonly string[]> {
  for (let tries = 0; tries < 150; tries++) {
    const [task] = await running()
    if (task) return (task.Spec.ContainerSpec?.Secrets ?? []).map(({ SecretName }) => SecretName.replace(name, ''))
    await sleep(200)
  }
  throw new Error('nothing runs after 30 s')
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds()) return
    await sleep(200)
  }
  throw new Error(`waited a minute in vain until ${what}`)
}

describe('prune', { concurrency: 3 }, () => {
  test('a service that left goes with its network, config and secret, when it is asked for; its volume stays', async (t) => {
    const shop = stack(t, 'shop', { 'page.txt': 'hello', 'key.txt': 'planted key' })
    const { name, deploy } = shop
    const whole = `services:
  old:
    image: tb/ok:1
    ${fast}
    networks: [back]
    configs: [page]
    secrets: [key]
    volumes: [data:/data]
  web:
    image: tb/ok:1
    ${fast}
    networks: [front]
networks: { back: {}, front: {} }
configs: { page: { file: page.txt } }
secrets: { key: { file: key.txt } }
volumes: { data: {} }
`
    const rest = `services:
  web:
    image: tb/ok:1
    ${fast}
    networks: [front]
networks: { front: {} }
`
    assert.equal((await deploy(whole, quick)).outputs.status, 'converged')
    t.after(() => until('the volume is gone', async () => removed(`${name}_data`)))

    const left = await deploy(rest, quick)
    assert.deepEqual([left.outputs.status, left.outputs.changed], ['unchanged', 'false'], left.log)
    const [warning, ...others] = annotations(left, 'warning')
    assert.deepEqual(others, [])
    const orphans = `service ${name}_old; network ${name}_back`
    assert.equal(
      warning,
      `the stack ${name} still has what the manifest does not: ${orphans}\n→ \`prune: true\` removes them.`,
    )
    assert.equal((await owned(shop)).length, 6)

    const prune = { ...quick, prune: 'true' }
    const pruned = await deploy(rest, prune)
    const { status, changed, warnings, revision } = pruned.outputs
    assert.deepEqual([status, changed, warnings, revision], ['converged', 'true', '0', '2'], pruned.log)
    assert.deepEqual(changesOf(pruned), [`remove service ${name}_old`, `remove network ${name}_back`])
    // A node goes on listing a network until its last container is gone.
    await until('the network is gone', async () => !(await owned(shop)).includes('network back'))
    assert.deepEqual(await owned(shop), ['service web', 'secret key', 'config page', 'network front'])
    assert.match(pruned.summary, new RegExp(`remove service \`${name}_old\``))

    const again = await deploy(rest, prune)
    assert.deepEqual([again.outputs.status, changesOf(again)], ['unchanged', []], again.log)

    // With the release that needs them, config and secret go as well.
    const last = await deploy(rest.replace('tb/ok:1', 'tb/ok:2'), { ...prune, history: '1' })
    assert.deepEqual(changesOf(last), [
      `update service ${name}_web`,
      `remove config ${name}_page`,
      `remove secret ${name}_key`,
    ])
    assert.deepEqual(await owned(shop), ['service web', 'network front'])

    for (const [title, { log }] of [
      ['left', left],
      ['pruned', pruned],
    ] as const) {
      const lines = shown(title).replaceAll('shop', name).split('\n')
      assert.ok(lines.length > 1)
      // Times are this run's own.
      for (const line of lines) assert.ok(log.includes(line.replace(/, [\d.]+ s, .*/, '')), `${line}\n--\n${log}`)
    }
  })

  test('a rollback by hand and one of Swarm’s own find the secret that they need; older generations go', async (t) => {
    const back = stack(t, 'back', { 'key.txt': 'planted one' })
    const { name, workspace, deploy } = back
    const manifest = (image: string): string => `services:
  web:
    image: ${image}
    ${fast}
    secrets: [key]
secrets: { key: { file: key.txt } }
`
    const inputs = { ...quick, prune: 'true', history: '0' }
    const rotate = async (content: string, image = 'tb/ok:1') => {
      fs.writeFileSync(path.join(workspace, 'key.txt'), content)
      return deploy(manifest(image), inputs)
    }
    const secrets = async (): Promise<readonly string[]> =>
      (await owned(back)).filter((one) => one.startsWith('secret'))

    assert.equal((await rotate('planted one')).outputs.status, 'converged')
    const second = await rotate('planted two')
    assert.equal(second.outputs.status, 'converged', second.log)
    assert.match(
      second.log,
      new RegExp(`Kept, since a rollback of service ${name}_web needs it: secret ${name}_key\\n`),
    )
    assert.equal((await secrets()).length, 2)

    docker('service', 'rollback', '--detach', `${name}_web`)
    await until('the old secret is back', async () => (await secretsOf(back)).includes('_key'))
    // The task of a rollback starts from what its node still has; a later one has to ask.
    docker('service', 'update', '--detach', '--force', `${name}_web`)
    await until('it runs on', async () => {
      const [service] = await back.services()
      return service?.UpdateStatus?.State === 'completed' && (await back.running()).length === 1
    })
    assert.deepEqual(await secretsOf(back), ['_key'])

    const third = await rotate('planted three')
    assert.equal(third.outputs.status, 'converged', third.log)
    // Nothing refers to the second any more: the spec before is that of the first.
    assert.equal(changesOf(third).filter((change) => change.startsWith('remove secret')).length, 1)
    assert.equal((await secrets()).length, 2)

    const before = await secretsOf(back)
    const broken = await rotate('planted four', 'tb/crash:1')
    assert.equal(broken.outputs.status, 'failed', broken.log)
    assert.deepEqual(
      changesOf(broken).filter((change) => change.startsWith('remove')),
      [],
    )
    await until(
      'Swarm has rolled back',
      async () => (await back.services())[0]?.UpdateStatus?.State === 'rollback_completed',
    )
    assert.deepEqual(await secretsOf(back), before)
    docker('service', 'update', '--detach', '--force', `${name}_web`)
    await until('it runs on', async () => (await back.services())[0]?.UpdateStatus?.State === 'completed')
    assert.deepEqual(await secretsOf(back), before)
  })

  test('after a prune `command: rollback` brings back what it removed, with the secret that the release had', async (t) => {
    const again = stack(t, 'again', { 'key.txt': 'planted one' })
    const { name, workspace, deploy } = again
    const manifest = (more: string): string => `services:
  web:
    image: tb/ok:1
    ${fast}
    secrets: [key]
${more}secrets: { key: { file: key.txt } }
`
    const inputs = { ...quick, prune: 'true' }
    assert.equal(
      (await deploy(manifest(`  old:\n    image: tb/ok:1\n    ${fast}\n`), inputs)).outputs.status,
      'converged',
    )
    for (const content of ['planted two', 'planted three']) {
      fs.writeFileSync(path.join(workspace, 'key.txt'), content)
      const { log, outputs } = await deploy(manifest(''), inputs)
      assert.equal(outputs.status, 'converged', log)
    }
    assert.deepEqual(
      (await owned(again)).filter((one) => one.startsWith('service')),
      ['service web'],
    )
    const back = await deploy('', { ...quick, command: 'rollback', revision: '1' })
    assert.equal(back.outputs.status, 'converged', back.log)
    assert.deepEqual(changesOf(back), [`create service ${name}_old`, `update service ${name}_web`])
    const secrets = (await again.services()).flatMap(({ Spec }) => Spec.TaskTemplate.ContainerSpec?.Secrets ?? [])
    assert.deepEqual(
      secrets.map(({ SecretName }) => SecretName),
      [`${name}_key`],
    )
  })

  test('a plan names the generation that the deployment frees, and the run that it approves removes just that', async (t) => {
    const { name, workspace, deploy } = stack(t, 'foreseen', { 'page.txt': 'one' })
    const text = `services:
  web:
    image: tb/ok:1
    ${fast}
    configs: [page]
configs: { page: { file: page.txt } }
`
    for (const history of ['1', '0']) {
      const inputs = { ...quick, history }
      for (const content of ['one', 'two']) {
        fs.writeFileSync(path.join(workspace, 'page.txt'), `${content} ${history}`)
        const { log, outputs } = await deploy(text, inputs)
        assert.equal(outputs.status, 'converged', log)
      }
      fs.writeFileSync(path.join(workspace, 'page.txt'), `three ${history}`)
      const planned = await deploy(text, { ...inputs, prune: 'true', command: 'plan' })
      const removals = changesOf(planned).filter((change) => change.startsWith('remove'))
      assert.ok(removals.length > 0, planned.log)
      const approval = { 'expect-plan': planned.outputs['plan-id'] ?? '' }
      const deployed = await deploy(text, { ...inputs, prune: 'true', ...approval })
      assert.equal(deployed.outputs.status, 'converged', deployed.log)
      assert.deepEqual([...changesOf(deployed)].sort(), [...changesOf(planned)].sort())
      assert.ok(removals.every((change) => change.startsWith(`remove config ${name}_page`)))
    }
  })

  test('what the docker CLI made is named and left alone; what is in use is a warning, and the run stays green', async (t) => {
    const mixed = stack(t, 'mixed')
    const { name, workspace, deploy } = mixed
    const cli = path.join(workspace, 'cli.yml')
    const [label, namespace] = ['--label', `com.docker.stack.namespace=${name}`]
    const made = (key: string): string => `  ${key}:\n    image: tb/ok:1\n    stop_grace_period: 1s\n`
    fs.writeFileSync(cli, `version: "3.8"\nservices:\n${['adopted', 'legacy', 'web'].map(made).join('')}`)
    docker('stack', 'deploy', '-c', cli, '--resolve-image', 'never', name)
    const manifest = (more: string): string => `services:
  web:
    image: tb/ok:1
    ${fast}
    networks: [front]
${more}`
    const open = 'networks: { front: {}, open: { attachable: true } }\n'
    const other = `  other:\n    image: tb/ok:1\n    ${fast}\n    networks: [open]\n`
    const first = await deploy(manifest(made('adopted') + other + open), quick)
    assert.equal(first.outputs.status, 'converged', first.log)
    const stamps = (await mixed.services()).map(({ Spec }) => Spec.Labels?.['com.swarmcli.owner'] !== undefined)
    assert.deepEqual(stamps, [true, false, true, true])
    assert.match(
      annotations(first, 'warning').join('\n'),
      new RegExp(
        `what the manifest does not: service ${name}_legacy\n→ This action did not create it for this repository`,
      ),
    )

    docker('service', 'rm', `${name}_other`)
    const container = docker('run', '-d', '--network', `${name}_open`, 'tb/ok:1').trim()
    docker('service', 'create', '--detach', '--name', `${name}_byhand`, label, namespace, 'tb/ok:1')
    const pruned = await deploy(manifest('networks: { front: {} }\n'), { ...quick, prune: 'true' })
    docker('rm', '-f', container)
    assert.equal(pruned.outputs.status, 'unchanged', pruned.log)
    assert.equal(pruned.code, 0)
    assert.deepEqual(changesOf(pruned), [])
    const [warning = '', ...more] = annotations(pruned, 'warning')
    assert.deepEqual(more, [])
    assert.match(warning, new RegExp(`the network ${name}_open has left the manifest and could not be removed: .+`))
    assert.match(
      pruned.log,
      new RegExp(
        `Kept, since this action did not create it: services ${name}_adopted, ${name}_byhand, ${name}_legacy; network ${name}_default`,
      ),
    )
  })
})

/** A block of the page about it. */
function shown(title: string): string {
  const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/prune.md'), 'utf8')
  return new RegExp(`\`\`\`text ${title}\\n(.*?)\`\`\``, 's').exec(page)?.[1]?.trim() ?? ''
}

function removed(volume: string): boolean {
  try {
    docker('volume', 'rm', volume)
    return true
  } catch {
    return false
  }
}
