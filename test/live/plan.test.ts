// `command: plan` through the whole action, and on a real engine what each way to change a service by hand looks like in a plan.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Backend } from '../../src/backend/backend.ts'
import { differencesOf, type StackDifferences } from '../../src/backend/differences.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import type { ServiceSpec } from '../../src/swarm/service.ts'
import { openUnixTunnel } from '../../src/tunnel/unixTunnel.ts'
import { startGitHubServer } from '../support/gitHubServer.ts'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, liveStacks } from '../support/liveStack.ts'
import { createTheirs, pairsOfStacks, planAndDeploy } from '../support/planProperty.ts'
import { startRegistry } from '../support/registry.ts'
import type { ActionResult } from '../support/runner.mjs'
import { aFileObject, aNetworkObject, aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'plan')
const tunnel = await openUnixTunnel(bed.socket, AbortSignal.timeout(10_000))
const engine = openEngine(tunnel.agent)
after(() => tunnel.close())

const docker = (...args: readonly string[]): string =>
  execFileSync('docker', ['-H', `unix://${bed.socket}`, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
const plan = { command: 'plan' }
const brief = { monitor: '2s' }
const by = (repository: string) => ({ event: { repository } })

/** All that a run says, but for what it tells the runner to hide. */
function said({ raw, summary, outputs, commands }: ActionResult): string {
  return [
    ...raw.split('\n').filter((line) => !line.startsWith('::add-mask::')),
    summary,
    JSON.stringify(outputs),
    JSON.stringify(commands.filter(({ name }) => name !== 'add-mask')),
  ].join('\n')
}

interface PlannedChange {
  readonly name: string
  readonly restarts?: string
  readonly differences: readonly {
    readonly field: string
    readonly old: string
    readonly new: string
    readonly note?: string
  }[]
}

function plannedChanges({ outputs }: ActionResult): readonly PlannedChange[] {
  return JSON.parse(outputs.changes ?? '')
}

const manifest = (more = '', replicas = 2): string => `services:
  web:
    image: tb/ok:1
    stop_grace_period: 1s
    environment:
      DB_PASSWORD: \${DB_PASSWORD}
      LOG_LEVEL: info${more}
    secrets: [token]
    configs: [motd]
    deploy: { replicas: ${replicas} }
configs:
  motd: { file: motd.txt }
secrets:
  token: { file: token.txt }
`

describe('a plan', { concurrency: true }, () => {
  test('is shown, named, and deployed as it was approved, or not at all', async (t) => {
    const { name, workspace, deploy, objects } = stack(t, 'shop', {
      'motd.txt': 'hello',
      'token.txt': 'planted token one',
    })
    const secrets = { ...brief, secrets: 'DB_PASSWORD=planted-password-one' }
    const first = await deploy(manifest(), { ...secrets, ...plan }, by('acme/shop'))
    assert.equal(first.code, 0, first.log)
    assert.deepEqual([first.outputs.status, first.outputs.changed], ['planned', 'false'])
    assert.deepEqual(await objects(), {})
    assert.match(first.outputs['plan-id'] ?? '', /^[0-9a-f]{8}(-[0-9a-f]{8}){3}$/)
    assert.match(first.log, /\+ service \S+_web is created\n(.*\n)* {6}env\[DB_PASSWORD\]: \$\{DB_PASSWORD\}\n/)
    assert.match(first.log, /\+ config \S+_motd is created\n {6}content: 5 bytes\n/)

    const created = `+ service ${name}_web is created`
    assert.ok(first.raw.split('\n').includes(`\x1b[32m${created}\x1b[0m`), first.raw)
    const plain = await deploy(manifest(), { ...secrets, ...plan }, { ...by('acme/shop'), env: { NO_COLOR: '1' } })
    assert.ok(plain.raw.split('\n').includes(created), plain.raw)
    // Colours are for the log only.
    for (const text of [plain.raw, first.summary, ...Object.values(first.outputs)]) {
      assert.ok(!text.includes('\x1b') && !text.includes('\\u001b'), text)
    }

    const approved = { 'expect-plan': first.outputs['plan-id'] ?? '' }
    const deployed = await deploy(manifest(), { ...secrets, ...approved }, by('acme/shop'))
    assert.equal(deployed.outputs.status, 'converged', deployed.log)
    assert.equal(deployed.outputs['plan-id'], first.outputs['plan-id'])
    assert.deepEqual(changesOf(deployed), changesOf(first))

    const nothing = await deploy(manifest(), { ...secrets, ...plan }, by('acme/shop'))
    assert.deepEqual(changesOf(nothing), [])
    assert.match(nothing.log, /is as the manifest says: a deployment would write nothing/)

    docker('service', 'scale', '--detach', `${name}_web=5`)
    fs.writeFileSync(path.join(workspace, 'motd.txt'), 'hello, world')
    fs.writeFileSync(path.join(workspace, 'token.txt'), 'planted token two')
    const before = await objects()
    const next = { ...secrets, secrets: 'DB_PASSWORD=planted-password-two' }
    const second = await deploy(manifest(), { ...next, ...plan }, by('acme/shop'))
    assert.equal(second.outputs.status, 'planned', second.log)
    const web = plannedChanges(second).find((change) => change.name === `${name}_web`)
    assert.equal(web?.restarts, 'all')
    const shown = new Map(
      web?.differences.map((one) => [one.field, `${one.old} → ${one.new} ${one.note ?? ''}`.trim()]),
    )
    assert.equal(shown.get('replicas'), '5 → 2 scaled by hand')
    assert.equal(shown.get('env[DB_PASSWORD]'), '(other) → ${DB_PASSWORD}')
    assert.equal(shown.has('env[LOG_LEVEL]'), false)
    assert.match(
      second.log,
      /\+ secret \S+_token-[0-9a-f]{8} is created, and services move to it\n {6}\(the content has changed/,
    )
    assert.ok(second.raw.includes(`\x1b[33m~ service ${name}_web is updated: its tasks are replaced\x1b[0m\n`))
    assert.match(second.summary, /\| `replicas` \| `5` \| `2` \| scaled by hand \|/)
    assert.match(second.summary, new RegExp(`\`plan-id\`: \`${second.outputs['plan-id']}\``))
    assert.deepEqual(await objects(), before)

    const stale = await deploy(manifest(), { ...next, ...approved }, by('acme/shop'))
    assert.equal(stale.code, 1)
    assert.deepEqual([stale.outputs.status, stale.outputs['failure-reason']], ['refused', 'conflict'], stale.log)
    assert.equal(stale.outputs['plan-id'], second.outputs['plan-id'])
    assert.match(stale.outputs['failure-message'] ?? '', /something else/)
    assert.match(
      annotations(stale, 'error').join(),
      /what would be done to \S.* is something else[\s\S]*Run `command: plan` again/,
    )
    assert.match(
      stale.log,
      /What would be done now is not what was approved:\n[\s\S]*replicas: 5 → 2 \(scaled by hand\)/,
    )
    assert.match(stale.summary, /What would be done/)
    assert.deepEqual(await objects(), before)

    for (const result of [first, deployed, nothing, second, stale]) assert.doesNotMatch(said(result), /planted/)
  })

  test('is refused where a deployment would be', async (t) => {
    const { deploy, objects, name } = stack(t, 'refused')
    const faulty = `services:
  web: { image: tb/ok:1, secrets: [missing] }
secrets:
  missing: { external: true, name: plan-nowhere }
`
    const [planned, deployed] = [await deploy(faulty, plan), await deploy(faulty)]
    for (const result of [planned, deployed]) {
      assert.equal(result.code, 1)
      assert.deepEqual([result.outputs.status, result.outputs['failure-reason']], ['refused', 'missing-resource'])
    }
    assert.equal(planned.outputs['failure-message'], deployed.outputs['failure-message'])
    assert.match(planned.log, new RegExp(`The stack ${name} would not be deployed`))
    assert.deepEqual(await objects(), {})
  })

  test('tells what has left the manifest, and that prune removes it', async (t) => {
    const { deploy, name, objects } = stack(t, 'left')
    const both = `services:
  web: { image: tb/ok:1, stop_grace_period: 1s, deploy: { replicas: 0 } }
  old: { image: tb/ok:1, stop_grace_period: 1s, deploy: { replicas: 0 } }
`
    const one = both.replace(/ {2}old.*\n/, '')
    assert.equal((await deploy(both, {}, by('acme/shop'))).outputs.status, 'converged')
    const before = await objects()
    const kept = await deploy(one, plan, by('acme/shop'))
    assert.match(
      kept.log,
      /service \S+_old is left as it is\n +\(the manifest does not have it any more: `prune: true` removes it\)/,
    )
    assert.deepEqual(changesOf(kept), [])
    const removed = await deploy(one, { ...plan, prune: 'true' }, by('acme/shop'))
    assert.match(removed.log, /- service \S+_old is removed/)
    assert.deepEqual(changesOf(removed), [`remove service ${name}_old`])
    assert.notEqual(removed.outputs['plan-id'], kept.outputs['plan-id'])
    assert.deepEqual(await objects(), before)
  })

  test('warns of a spec that Swarm has just rolled back', async (t) => {
    const { deploy } = stack(t, 'back')
    const text = (image: string): string => `services:
  web:
    image: ${image}
    stop_grace_period: 1s
    deploy:
      restart_policy: { delay: 200ms }
      update_config: { failure_action: rollback, monitor: 2s }
`
    assert.equal((await deploy(text('tb/ok:1'), brief)).outputs.status, 'converged')
    const failed = await deploy(text('tb/crash:1'), brief)
    assert.equal(failed.outputs['failure-reason'], 'rolled-back', failed.log)
    const again = await deploy(text('tb/crash:1'), plan)
    assert.equal(again.outputs.status, 'planned')
    assert.match(
      annotations(again, 'warning').join('\n'),
      /service web: what is to be written is what Swarm has just rolled back: task: non-zero exit \(3\)/,
    )
    const other = await deploy(text('tb/ok:2'), plan)
    assert.doesNotMatch(annotations(other, 'warning').join('\n'), /rolled back/)
  })
})

test('a tag that moved after the approval is shown with both digests, and stops the deployment', async (t) => {
  const registry = await startRegistry(bed, 18930)
  t.after(() => registry.stop())
  const { deploy, objects } = stack(t, 'moved')
  const image = `${registry.address}/plan/web:1`
  await registry.push('tb/ok:1', 'plan/web:1')
  const text = `services:\n  web: { image: "${image}", stop_grace_period: 1s, deploy: { replicas: 0 } }\n`
  const always = { 'resolve-image': 'always', 'registry-auth': 'none' }
  assert.equal((await deploy(text, always)).outputs.status, 'converged')
  const approved = (await deploy(text, { ...always, ...plan })).outputs['plan-id'] ?? ''
  const before = await objects()

  await registry.push('tb/ok:2', 'plan/web:1')
  const refused = await deploy(text, { ...always, 'expect-plan': approved })
  assert.equal(refused.outputs.status, 'refused', refused.log)
  assert.match(refused.outputs['failure-message'] ?? '', /what would be done to services is something else/)
  assert.match(
    refused.log,
    /image: \S+\/plan\/web:1@sha256:([0-9a-f]{12})… → \S+\/plan\/web:1@sha256:(?!\1)[0-9a-f]{12}… \(the tag names another image now\)/,
  )
  assert.deepEqual(await objects(), before)
})

test('on a pull request: a status of its own, no deployment, and the plan as a comment', async (t) => {
  const server = await startGitHubServer()
  t.after(() => server.close())
  const { name, deploy } = stack(t, 'pull')
  const pull_request = { number: 12, head: { sha: 'f'.repeat(40), repo: { full_name: 'acme/shop' } } }
  const inputs = {
    ...plan,
    'github-token': 'ghs_0123456789abcdef',
    comment: 'true',
    environment: 'preview',
    deployment: 'true',
  }
  const planned = await deploy('services:\n  web: { image: tb/ok:1 }\n', inputs, {
    env: { GITHUB_API_URL: server.url },
    event: { name: 'pull_request', payload: { pull_request } },
  })
  assert.equal(planned.outputs.status, 'planned', planned.log)
  const [last] = server.statuses.slice(-1)
  assert.deepEqual([last?.state, last?.context], ['success', `swarm/preview/${name} (plan)`])
  assert.deepEqual([server.deployments, server.violations], [[], []])
  const [comment] = server.comments
  assert.match(comment?.body ?? '', new RegExp(`service \`${name}_web\` is created`))
  assert.ok(!comment?.body.includes('\x1b'))
  assert.match(comment?.body ?? '', new RegExp(`\`plan-id\`: \`${planned.outputs['plan-id']}\``))
})

test('docs/plan.md shows what a run says', async (t) => {
  const { name, deploy } = stack(t, 'page')
  const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/plan.md'), 'utf8')
  const shown = (block: string): string => {
    const [, text = ''] = new RegExp(`\`\`\`text ${block}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
    assert.notEqual(text, '')
    return text.trimEnd().replaceAll('shop', name)
  }
  const text = (level: string): string => `services:
  web:
    image: tb/ok:1
    stop_grace_period: 1s
    environment: { DB_PASSWORD: "\${DB_PASSWORD}"${level} }
    deploy: { replicas: 2 }
  api: { image: tb/ok:1, stop_grace_period: 1s }
`
  const old = '  old: { image: tb/ok:1, stop_grace_period: 1s }\n'
  const at = by('acme/shop')
  const first = await deploy(text('') + old, { wait: 'false', secrets: 'DB_PASSWORD=planted one' }, at)
  assert.equal(first.outputs.status, 'deployed', first.log)
  docker('service', 'scale', '--detach', `${name}_web=5`)

  const secrets = { secrets: 'DB_PASSWORD=planted two' }
  const info = await deploy(text(', LOG_LEVEL: info'), { ...plan, ...secrets }, at)
  const debug = await deploy(text(', LOG_LEVEL: debug'), { ...plan, ...secrets }, at)
  assert.ok(debug.log.includes(shown('shown')), debug.log)
  const [then = '', now = ''] = [info, debug].map(({ outputs }) => outputs['plan-id'])
  assert.ok(debug.log.includes(`plan-id: ${now}\n`))
  assert.match(shown('id'), /^plan-id: [0-9a-f]{8}(-[0-9a-f]{8}){3}$/)
  const refused = await deploy(text(', LOG_LEVEL: debug'), { ...secrets, 'expect-plan': then }, at)
  const expected = shown('refused').replace('<now>', now).replace('<then>', then)
  assert.ok(refused.log.includes(expected), refused.log)
})

describe('a change by hand is planned as exactly that', () => {
  const namespace = 'plan-hand'
  const spec: StackSpec = aStackSpec(namespace, {
    networks: [aNetworkObject(namespace, 'front'), aNetworkObject(namespace, 'back')],
    secrets: [aFileObject(namespace, 'key', 'planted')],
    configs: [aFileObject(namespace, 'conf', 'on')],
    services: [
      aServiceObject(namespace, 'web', {
        container: { Env: ['A=1'], Args: ['httpd'], User: 'root', Hostname: 'one' },
        template: {
          Networks: [{ Target: `${namespace}_front` }],
          RestartPolicy: { Condition: 'any', Delay: 5_000_000_000 },
        },
        // No task: what a task makes of it is for other tests.
        spec: {
          Mode: { Replicated: { Replicas: 0 } },
          Labels: { team: 'a' },
          UpdateConfig: { Parallelism: 1, Monitor: 5_000_000_000 },
          RollbackConfig: { Parallelism: 1, Monitor: 5_000_000_000 },
        },
      }),
      // It is there so that the second network is.
      aServiceObject(namespace, 'other', {
        template: { Networks: [{ Target: `${namespace}_back` }] },
        spec: { Mode: { Replicated: { Replicas: 0 } } },
      }),
    ],
  })
  const backend = new Backend(engine, { rotate: true, owner: 'gha/acme/shop' })
  const differences = async (wanted = spec): Promise<StackDifferences> =>
    differencesOf(await backend.planStack(wanted, 'never'), [], (text) => text)
  const clean = async (): Promise<void> => {
    await backend.removeStack(namespace)
  }
  after(clean)

  const cases: readonly (readonly [update: string, fields: readonly string[], restarts?: string])[] = [
    ['--image tb/ok:2', ['image: tb/ok:2 → tb/ok:1 (changed by hand)']],
    ['--env-add B=2', ['env[B]: (other) → (absent) (added by hand)']],
    ['--env-add A=2', ['env[A]: (other) → 1 (changed by hand)']],
    ['--env-rm A', ['env[A]: (absent) → 1 (removed by hand)']],
    ['--label-add team=b', ['labels[team]: (other) → a (changed by hand)'], 'none'],
    ['--container-label-add x=y', ['containerLabels[x]: (other) → (absent) (added by hand)']],
    ['--replicas 3', ['replicas: 3 → 0 (scaled by hand)'], 'none'],
    ['--limit-cpu 0.5', ['resources.limits.nanoCPUs: 0.5 → (absent) (added by hand)']],
    ['--limit-memory 64m', ['resources.limits.memoryBytes: 64 MiB → (absent) (added by hand)']],
    ['--limit-pids 9', ['resources.limits.pids: 9 → (absent) (added by hand)']],
    ['--reserve-memory 8m', ['resources.reservations.memoryBytes: 8 MiB → (absent) (added by hand)']],
    [
      '--mount-add type=volume,source=plan-v,target=/v',
      ['mounts[/v]: source plan-v, type volume → (absent) (added by hand)'],
    ],
    [
      '--publish-add mode=host,published=18931,target=80',
      ['ports[18931:80/tcp/host]: given → (absent) (added by hand)'],
    ],
    ['--constraint-add node.role==worker', ['constraints: node.role==worker → (absent) (added by hand)'], 'some'],
    [
      '--placement-pref-add spread=node.labels.zone',
      ['placement.preferences: spread.spreadDescriptor node.labels.zone → (absent) (added by hand)'],
      'some',
    ],
    ['--replicas-max-per-node 2', ['placement.maxReplicas: 2 → (absent) (added by hand)'], 'some'],
    [
      `--secret-add source=${namespace}_key,target=t`,
      [`secrets[${namespace}_key]: file.mode 0444, file.name t → (absent) (added by hand)`],
    ],
    [
      `--config-add source=${namespace}_conf,target=/c`,
      [`configs[${namespace}_conf]: file.mode 0444, file.name /c → (absent) (added by hand)`],
    ],
    [`--network-add ${namespace}_back`, [`networks[${namespace}_back]: given → (absent) (added by hand)`]],
    ['--args true', ['args: (other) → httpd (changed by hand)']],
    ['--entrypoint true', ['command: (other) → (absent) (added by hand)']],
    ['--user nobody', ['user: nobody → root (changed by hand)']],
    ['--workdir /tmp', ['workingDir: /tmp → (absent) (added by hand)']],
    ['--health-cmd true', ['healthcheck.test: (other) → (absent) (added by hand)']],
    ['--no-healthcheck', ['healthcheck.test: (other) → (absent) (added by hand)']],
    ['--update-parallelism 3', ['updateConfig.parallelism: 3 → 1 (changed by hand)'], 'none'],
    ['--rollback-delay 3s', ['rollbackConfig.delay: 3s → (absent) (added by hand)'], 'none'],
    ['--restart-condition on-failure', ['restartPolicy.condition: on-failure → (absent) (added by hand)']],
    ['--restart-max-attempts 4', ['restartPolicy.maxAttempts: 4 → (absent) (added by hand)']],
    ['--stop-grace-period 7s', ['stopGracePeriod: 7s → 1s (changed by hand)']],
    ['--stop-signal SIGUSR1', ['stopSignal: SIGUSR1 → (absent) (added by hand)']],
    ['--hostname two', ['hostname: two → one (changed by hand)']],
    ['--host-add h:10.9.9.9', ['hosts: 10.9.9.9 h → (absent) (added by hand)']],
    ['--dns-add 10.9.9.9', ['dns.nameservers: 10.9.9.9 → (absent) (added by hand)']],
    ['--dns-search-add a.test', ['dns.search: a.test → (absent) (added by hand)']],
    ['--dns-option-add ndots:1', ['dns.options: ndots:1 → (absent) (added by hand)']],
    ['--cap-add NET_ADMIN', ['capabilityAdd: CAP_NET_ADMIN → (absent) (added by hand)']],
    ['--cap-drop CHOWN', ['capabilityDrop: CAP_CHOWN → (absent) (added by hand)']],
    ['--sysctl-add net.core.somaxconn=99', ['sysctls[net.core.somaxconn]: (other) → (absent) (added by hand)']],
    ['--ulimit-add nofile=9:99', ['ulimits[nofile]: hard 99, soft 9 → (absent) (added by hand)']],
    [
      '--log-driver json-file --log-opt max-size=1m',
      [
        'logDriver.name: json-file → (absent) (added by hand)',
        'logDriver.options[max-size]: (other) → (absent) (added by hand)',
      ],
    ],
    ['--endpoint-mode dnsrr', ['endpointMode: dnsrr → (absent) (added by hand)']],
    ['--init', ['init: true → (absent) (added by hand)']],
    ['--tty', ['tty: true → (absent) (added by hand)']],
    ['--read-only', ['readOnly: true → (absent) (added by hand)']],
    ['--group-add g', ['groups: g → (absent) (added by hand)']],
    [
      '--generic-resource-add gpu=2',
      [
        'resources.reservations.genericResources: discreteResourceSpec.kind gpu, discreteResourceSpec.value 2 → (absent) (added by hand)',
      ],
    ],
  ]

  test('deployed and left alone it plans nothing, and each kind of docker service update shows as itself', async () => {
    await clean()
    await backend.deployStack(spec, 'never')
    assert.deepEqual((await differences()).objects, [])
    const name = `${namespace}_web`
    const ours = (await engine.listServices({ name: [name] }))[0] ?? assert.fail()
    const wrong: string[] = []
    for (const [update, expected, restarts = 'all'] of cases) {
      docker('service', 'update', '--detach', '--no-resolve-image', ...update.split(' '), name)
      const { objects } = await differences()
      const found = objects.flatMap(({ fields }) =>
        fields.map(
          ({ field, old, new: now, note }) => `${field}: ${old} → ${now}${note === undefined ? '' : ` (${note})`}`,
        ),
      )
      const [service] = objects
      try {
        assert.deepEqual([objects.length, found, service?.restarts], [1, expected, restarts])
      } catch {
        wrong.push(`${update}: ${JSON.stringify([found, service?.restarts])}`)
      }
      await putBack(ours.ID, ours.Spec)
    }
    assert.deepEqual(wrong, [])
    assert.deepEqual((await differences()).objects, [])
  })

  /** As it was written, label and all; Swarm may be at it at the same time. */
  async function putBack(id: string, wanted: ServiceSpec): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        const { Version } = await engine.inspectService(id)
        await engine.updateService(id, Version.Index, wanted)
        return
      } catch (error) {
        if (tries === 10) throw error
        await sleep(200)
      }
    }
  }
})

test('a stack of the docker CLI differs in nothing but whose it is', async (t) => {
  const { name, workspace, deploy } = stack(t, 'cli', { 'motd.txt': 'hello', 'token.txt': 'planted token' })
  const text = manifest(
    '\n    healthcheck: { test: "true || exit 1", interval: 30s }\n    command: httpd -f -p 8080',
    0,
  ).replace('services:', 'version: "3.8"\nservices:')
  fs.writeFileSync(path.join(workspace, 'cli.yml'), text)
  execFileSync(
    'docker',
    ['-H', `unix://${bed.socket}`, 'stack', 'deploy', '--resolve-image', 'never', '-c', 'cli.yml', name],
    {
      cwd: workspace,
      env: { ...process.env, DB_PASSWORD: 'planted-password' },
      stdio: 'pipe',
    },
  )
  const result = await deploy(text, { ...plan, secrets: 'DB_PASSWORD=planted-password' }, by('acme/shop'))
  assert.equal(result.outputs.status, 'planned', result.log)
  const changes = plannedChanges(result).map(({ name: changed, restarts, differences }) => [
    changed.slice(name.length),
    restarts,
    differences.map(({ field, old }) => `${field} was ${old}`),
  ])
  assert.deepEqual(changes, [
    ['_token', undefined, ['labels[com.swarm-stack-deploy.digest] was (absent)']],
    ['_web', 'none', ['labels[com.swarmcli.owner] was (absent)']],
  ])
  assert.doesNotMatch(said(result), /planted/)
})

test('a deployment writes what its plan said, for 10 random pairs of manifests', async (t: TestContext) => {
  const prefix = 'plan-pair'
  const backend = new Backend(engine)
  const removeTheirs = async (): Promise<void> => {
    const { secrets, configs, networks } = {
      secrets: await engine.listSecrets({ name: ['their-secret', 'c9'] }),
      configs: await engine.listConfigs({ name: ['their-config', 'c9'] }),
      networks: await engine.listNetworks({ name: ['outer', 'outside'] }),
    }
    for (const { ID } of secrets) await engine.removeSecret(ID)
    for (const { ID } of configs) await engine.removeConfig(ID)
    for (const { Id } of networks) await engine.removeNetwork(Id)
  }
  await createTheirs(engine)
  t.after(removeTheirs)
  const ends: string[] = []
  for (const [index, pair] of pairsOfStacks(10, (number) => `${prefix}${number}`).entries()) {
    try {
      for (const spec of pair) ends.push(await planAndDeploy(engine, withoutTasks(spec)))
    } finally {
      await backend.removeStack(`${prefix}${index}`)
    }
  }
  assert.ok(ends.filter((end) => end === 'done').length >= 10, ends.join())
})

/** The images of random manifests are nowhere. */
function withoutTasks(spec: StackSpec): StackSpec {
  const Constraints = ['node.labels.nowhere==1']
  return {
    ...spec,
    services: spec.services.map((service) => {
      const { TaskTemplate: template } = service.spec
      const Placement = { ...template.Placement, Constraints }
      return { ...service, spec: { ...service.spec, TaskTemplate: { ...template, Placement } } }
    }),
  }
}
