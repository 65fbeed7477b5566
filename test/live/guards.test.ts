// What is refused before anything is written, and engines that can't take a stack.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { startBed } from '../support/bed.mjs'
import { engineCall } from '../support/engineCall.mjs'
import { liveBed } from '../support/liveBed.ts'
import { annotations, liveStacks, reach } from '../support/liveStack.ts'
import type { ActionResult } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'guard')

function assertRefused(result: ActionResult, reason: string, words: readonly RegExp[]): void {
  assert.equal(result.code, 1, result.log)
  const { status, 'failure-reason': failureReason, changes } = result.outputs
  assert.deepEqual([status, failureReason, changes], ['refused', reason, '[]'], result.log)
  const text = annotations(result, 'error').join('\n')
  for (const word of words) assert.match(text, word, result.log)
  assert.match(text, /→ \S/, 'it says what to do')
}

describe('before the first write', { concurrency: true }, () => {
  test('protected secrets, release records, reserved names and labels are refused at once, each at its line', async (t) => {
    const { deploy, objects } = stack(t, 'all', { 'own.txt': 'x' })
    const record = { Name: 'swarmcli.release.guard-other.v1', Labels: { 'com.swarmcli.type': 'release' }, Data: 'eA==' }
    const { json } = await engineCall(bed.socket, 'POST', '/configs/create', record)
    const secret = await engineCall(bed.socket, 'POST', '/secrets/create', { Name: 'Guard-Token', Data: 'eA==' })
    t.after(async () => {
      await engineCall(bed.socket, 'DELETE', `/configs/${(json as { ID: string }).ID}`)
      await engineCall(bed.socket, 'DELETE', `/secrets/${(secret.json as { ID: string }).ID}`)
    })
    const result = await deploy(
      `services:
  web:
    image: tb/ok:1
    secrets:
      - source: innocent
        target: harmless
    configs: [history]
    deploy:
      labels:
        com.swarmcli.owner: me
secrets:
  innocent: { external: true, name: Guard-Token }
  mine: { file: own.txt, name: runner-key }
  idle: { external: true, name: spare-key }
configs:
  history: { external: { name: swarmcli.release.guard-other.v1 } }
  forged: { file: own.txt, name: SwarmCLI.Release.shop.v9 }
  marked: { file: own.txt, labels: { com.swarmcli.type: release } }
`,
      { 'protected-secrets': 'guard-token\nrunner-key\nspare-key' },
    )
    assertRefused(result, 'forbidden', [
      /^stack\.yml:5: .*service web mounts the protected secret "Guard-Token"/m,
      /^stack\.yml:13: .*the manifest declares the protected secret "runner-key"/m,
      /^stack\.yml:14: .*the manifest declares the protected secret "spare-key"/m,
      /^stack\.yml:7: .*service web uses the config "swarmcli\.release\.guard-other\.v1", a release record/m,
      /^stack\.yml:17: .*the manifest declares the config "SwarmCLI\.Release\.shop\.v9", whose name is reserved/m,
      /^stack\.yml:18: .*the config "marked" sets the reserved label "com\.swarmcli\.type"/m,
      /^stack\.yml:(8|9): .*service web sets the reserved label "com\.swarmcli\.owner"/m,
    ])
    assert.deepEqual(await objects(), {})
  })

  test('a label for sequential rollouts is the manifest’s to set and to drop', async (t) => {
    const { deploy, services } = stack(t, 'rollout')
    const labelOf = async () => (await services())[0]?.Spec.Labels?.['com.swarmcli.rollout']
    const text = 'services:\n  web:\n    image: tb/ok:1\n    stop_grace_period: 1s\n'
    const set = await deploy(`${text}    deploy:\n      labels: { com.swarmcli.rollout: sequential }\n`, {
      wait: 'false',
    })
    assert.equal(set.outputs.status, 'deployed', set.log)
    assert.equal(await labelOf(), 'sequential')
    const dropped = await deploy(text, { wait: 'false' })
    assert.equal(dropped.outputs.status, 'deployed', dropped.log)
    assert.equal(await labelOf(), undefined)
  })

  test('networks of another case, of one node, of the swarm itself, and with a subnet that is in use', async (t) => {
    const { deploy, objects } = stack(t, 'nets')
    const ids: string[] = []
    const create = async (body: object) => {
      const { json } = await engineCall(bed.socket, 'POST', '/networks/create', body)
      ids.push((json as { Id: string }).Id)
    }
    t.after(async () => {
      for (const id of ids) await engineCall(bed.socket, 'DELETE', `/networks/${id}`)
    })
    await create({ Name: 'guard-Proxy', Driver: 'overlay', IPAM: { Config: [{ Subnet: '10.231.0.0/16' }] } })
    await create({ Name: 'guard-local', Driver: 'bridge' })
    const result = await deploy(`services:
  web:
    image: tb/ok:1
    networks: [proxy, prefix, one, two, three, four, routed]
networks:
  proxy: { external: true, name: guard-proxy }
  prefix: { external: true, name: guard-Pro }
  one: { external: true, name: guard-local }
  two: { name: guard-local }
  three: { name: GUARD-proxy }
  routed: { external: true, name: ingress }
  four:
    ipam: { config: [{ subnet: 10.231.7.0/24 }] }
`)
    assertRefused(result, 'missing-resource', [
      /^stack\.yml:6: .*the external network "guard-proxy" does not exist, but "guard-Proxy" does/m,
      /^stack\.yml:7: .*the external network "guard-Pro" does not exist\n→ Create it: docker network create/m,
      /^stack\.yml:8: .*has the scope "local"/m,
      /^stack\.yml:9: .*the network "guard-local" exists already with the scope "local"/m,
      /^stack\.yml:10: .*the network "guard-Proxy" exists already and belongs to no stack/m,
      /^stack\.yml:11: .*the swarm's ingress network/m,
      /^stack\.yml:12: .*the subnet 10\.231\.7\.0\/24 .* overlaps 10\.231\.0\.0\/16 of the network "guard-Proxy"/m,
    ])
    assert.deepEqual(await objects(), {})
  })

  test('an external secret or config is found by its exact name only', async (t) => {
    const { deploy, objects } = stack(t, 'exact')
    const made = await engineCall(bed.socket, 'POST', '/secrets/create', { Name: 'guard-exact-key', Data: 'eA==' })
    t.after(() => engineCall(bed.socket, 'DELETE', `/secrets/${(made.json as { ID: string }).ID}`))
    const result = await deploy(`services:
  web:
    image: tb/ok:1
    secrets: [cased, prefix]
secrets:
  cased: { external: true, name: Guard-Exact-Key }
  prefix: { external: true, name: guard-exact }
`)
    assertRefused(result, 'missing-resource', [/:6: .*"Guard-Exact-Key"/, /:7: .*"guard-exact" does not exist/])
    assert.deepEqual(await objects(), {})
  })
})

describe('what an engine does not know', { concurrency: true }, () => {
  const minorVersion = async (): Promise<number> => {
    const { json } = await engineCall(bed.socket, 'GET', '/version')
    return Number((json as { ApiVersion: string }).ApiVersion.split('.')[1])
  }

  test('is left out with a warning where it may be, and makes no difference the next time', async (t) => {
    const { deploy } = stack(t, 'old')
    const text = `services:
  web:
    image: tb/ok:1
    stop_grace_period: 1s
    oom_score_adj: 5
    healthcheck: { test: ['NONE'], start_period: 1s, start_interval: 1s }
`
    const result = await deploy(text, { wait: 'false' })
    assert.equal(result.outputs.status, 'deployed', result.log)
    const minor = await minorVersion()
    const expected = [
      ...(minor < 44 ? [`"healthcheck.start_interval", which came with API 1.44 (it speaks 1.${minor})`] : []),
      ...(minor < 46 ? [`"oom_score_adj", which came with API 1.46 (it speaks 1.${minor})`] : []),
    ]
    const said = annotations(result, 'warning').flatMap(
      (line) => /does not know (.*); it is left out/.exec(line)?.[1] ?? [],
    )
    assert.deepEqual(said, expected, result.log)
    const again = await deploy(text, { wait: 'false' })
    assert.equal(again.outputs.status, 'unchanged', again.log)
  })

  test('is refused where something else would come of it, at its line', async (t) => {
    const { deploy, objects } = stack(t, 'unknown')
    const result = await deploy(`services:
  web:
    image: tb/ok:1
    networks: [front]
    volumes:
      - { type: image, source: tb/ok:1, target: /image }
      - { type: cluster, source: disk, target: /disk }
      - { type: volume, source: data, target: /data, volume: { subpath: web } }
volumes: { data: , disk: }
networks:
  front: { enable_ipv4: false }
`)
    const minor = await minorVersion()
    assertRefused(result, 'unsupported', [
      /^stack\.yml:6: .*Swarm does not know a mount of type "image"/m,
      /^stack\.yml:11: .*"enable_ipv4: false", and Swarm has no networks without IPv4/m,
      ...(minor < 42 ? [/^stack\.yml:7: .*type "cluster", which came with API 1\.42/m] : []),
      ...(minor < 45 ? [/^stack\.yml:\d+: .*"volumes\.volume\.subpath", which came with API 1\.45/m] : []),
    ])
    assert.deepEqual(await objects(), {})
  })
})

describe('networks', { concurrency: true }, () => {
  test('one that exists is left as it is, with one warning that names every difference', async (t) => {
    const { name, deploy, objects } = stack(t, 'drift')
    const withNetwork = (network: string) =>
      `services:\n  web:\n    image: tb/ok:1\n    stop_grace_period: 1s\n    networks: [front]\nnetworks:\n  front:\n${network}`
    const first = withNetwork(`    attachable: true
    driver_opts: { com.docker.network.driver.mtu: 1400 }
    ipam:
      config: [{ subnet: 10.232.0.0/16, gateway: 10.232.0.9, ip_range: 10.232.1.0/24 }]
`)
    const quick = { wait: 'false' }
    assert.equal((await deploy(first, quick)).outputs.status, 'deployed')
    const [before, again] = [await objects(), await deploy(first, quick)]
    assert.equal(again.outputs.status, 'unchanged', again.log)
    assert.deepEqual(annotations(again, 'warning'), [])

    const other = withNetwork(`    internal: true
    driver_opts: { com.docker.network.driver.mtu: 9000 }
    ipam:
      config: [{ subnet: 10.232.0.0/16, gateway: 10.232.0.1 }]
`)
    const changed = await deploy(other, quick)
    const [warning = '', ...more] = annotations(changed, 'warning')
    assert.deepEqual(more, [])
    assert.ok(
      warning.includes(
        `the network "${name}_front" exists with other settings, and stays as it is: attachable true instead of false, internal false instead of true, option com.docker.network.driver.mtu 1400 instead of 9000, gateway of 10.232.0.0/16 10.232.0.9 instead of 10.232.0.1, ip_range of 10.232.0.0/16 10.232.1.0/24 instead of none`,
      ),
      warning,
    )
    assert.match(warning, /^stack\.yml:7: /)
    assert.deepEqual(await objects(), before)
  })

  test('two runs that create the same one at once share it', async (t) => {
    const { name, deploy, objects } = stack(t, 'race')
    const text =
      'services:\n  web:\n    image: tb/ok:1\n    stop_grace_period: 1s\n    networks: [a, b]\nnetworks:\n  a:\n  b:\n'
    const results = await Promise.all([deploy(text, { wait: 'false' }), deploy(text, { wait: 'false' })])
    for (const result of results) assert.equal(result.code, 0, result.log)
    const networks = Object.keys(await objects()).filter((key) => key.startsWith('network '))
    assert.deepEqual(networks.sort(), [`network ${name}_a`, `network ${name}_b`])
  })
})

test('a volume that exists keeps its settings, and whoever changes them is told so', async (t) => {
  const { name, deploy, running } = stack(t, 'volume')
  const text = (size: string, tier: string, more = '') => `services:
  web:
    image: tb/ok:1
    stop_grace_period: 1s
    volumes: ["data:/data"]
volumes:
  data:
    driver_opts: { type: tmpfs, device: tmpfs, o: "size=${size}" }
    labels: { tier: ${tier} }${more}
`
  const volume = `${name}_data`
  const inspect = async (of: string) => {
    const { json } = await engineCall(bed.socket, 'GET', `/volumes/${of}`)
    const { Options, Labels } = json as Readonly<Record<'Options' | 'Labels', Readonly<Record<string, string>>>>
    return [Options.o, Labels.tier]
  }
  const brief = { monitor: '1s' }
  const first = await deploy(text('1m', 'one'), brief)
  assert.equal(first.outputs.status, 'converged', first.log)
  assert.deepEqual(annotations(first, 'warning'), [])
  assert.deepEqual(await inspect(volume), ['size=1m', 'one'])
  assert.deepEqual(annotations(await deploy(text('1m', 'one'), brief), 'warning'), [])
  const [before] = await running()

  const next = text('2m', 'two')
  const warning = `stack.yml:7: stack.yml:7:3: the volume "${volume}" gets other settings (option o, label tier), but where it exists it stays as it is`
  const planned = await deploy(next, { command: 'plan' })
  assert.ok(annotations(planned, 'warning').join('\n').startsWith(`${warning}\n`), planned.log)
  assert.match(
    planned.log,
    /^ {2}volume \S+_data is left as it is\n {6}\(it gets other settings \(option o, label tier\)/m,
  )
  assert.match(planned.summary, /volume `\S+_data` is left as it is/)

  const changed = await deploy(next, brief)
  assert.equal(changed.outputs.status, 'converged', changed.log)
  assert.equal(annotations(changed, 'warning').length, 1)
  assert.ok(annotations(changed, 'warning')[0]?.startsWith(warning), changed.log)
  const [after] = await running()
  assert.notEqual(after?.ID, before?.ID)
  assert.deepEqual(await inspect(volume), ['size=1m', 'one'])

  // The second piece of advice.
  const renamed = await deploy(text('2m', 'two', `\n    name: ${name}_data2`), brief)
  assert.equal(renamed.outputs.status, 'converged', renamed.log)
  assert.deepEqual(annotations(renamed, 'warning'), [])
  assert.deepEqual(await inspect(`${name}_data2`), ['size=2m', 'two'])
})

describe('docs/guards.md shows what the action says', { concurrency: true }, () => {
  const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/guards.md'), 'utf8')
  const sections = page.split('\n## ').slice(1)
  for (const section of sections) {
    const [title = ''] = section.split('\n')
    test(title, async (t) => {
      const blocks = [...section.matchAll(/```(yaml|text)\n([\s\S]*?)```/g)]
      const yaml = blocks.filter(([, kind]) => kind === 'yaml').map(([, , text = '']) => text)
      const shown = blocks.filter(([, kind]) => kind === 'text').map(([, , text = '']) => text)
      assert.equal(shown.length, 1)
      const { with: inputs = {} }: { with?: Record<string, string> } = yaml[1] === undefined ? {} : parse(yaml[1])
      if (inputs['protected-secrets'] !== undefined) {
        const body = { Name: inputs['protected-secrets'], Data: 'eA==' }
        const { json } = await engineCall(bed.socket, 'POST', '/secrets/create', body)
        t.after(() => engineCall(bed.socket, 'DELETE', `/secrets/${(json as { ID: string }).ID}`))
      }
      const { name, deploy, objects } = stack(t, 'page')
      const result = await deploy(yaml[0] ?? '', inputs)
      assert.equal(result.outputs.status, 'refused', result.log)
      const text = (shown[0] ?? '').trimEnd().replaceAll('shop', name)
      assert.ok(text !== '' && result.log.includes(text), `${text}\n${result.log}`)
      assert.deepEqual(await objects(), {})
    })
  }
})

test('a swarm without quorum, without addresses, and locked', async (t) => {
  const own = await startBed({ name: `guards-${process.pid}`, withWorker: true })
  t.after(() => own.stop())
  assert.ok(own.worker)
  const manifest =
    'services:\n  web:\n    image: tb/ok:1\n    stop_grace_period: 1s\n    networks: [a, b]\nnetworks:\n  a:\n  b:\n'
  const { deploy } = stack(t, 'own')
  const inside = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await own.shell(['bash', '-ec', script])
    assert.equal(code, 0, stderr)
    return stdout
  }

  await t.test('half of the managers are gone', async () => {
    assert.ok(own.worker)
    await inside(
      'docker node promote worker; for i in $(seq 50); do docker node ls | grep -q Reachable && exit; sleep 0.2; done; exit 1',
    )
    await engineCall(own.worker.socket, 'POST', '/swarm/leave?force=true')
    await inside(
      `for i in $(seq 100); do [ -z "$(docker info --format '{{.Swarm.Error}}')" ] || exit 0; sleep 0.2; done; exit 1`,
    )
    const result = await deploy(manifest, reach(own))
    assertRefused(result, 'not-a-manager', [
      /the engine on manager is a manager, but its swarm has no leader/,
      /More than half of the managers/,
    ])
  })

  await t.test('the address pool is used up', async () => {
    await inside(
      `docker swarm leave --force; docker swarm init --advertise-addr ${own.host} --default-addr-pool 10.88.0.0/24 --default-addr-pool-mask-length 25`,
    )
    const result = await deploy(manifest, reach(own))
    assert.equal(result.code, 1, result.log)
    const text = annotations(result, 'error').join('\n')
    assert.match(
      text,
      /^stack\.yml:[78]: .*Swarm has no addresses for the network "guard-own_[ab]": the swarm's address pool may be used up/m,
    )
    assert.equal(result.outputs['failure-reason'], 'network')
    // One of the two got the last addresses; the other is gone again.
    assert.equal(
      (await inside("docker network ls --filter name=guard-own_ --format '{{.Name}} {{.Driver}}'")).trim().split('\n')
        .length,
      1,
    )
  })

  await t.test('locked', async () => {
    await inside(`pid=$(cat /run/docker.pid); mapfile -d '' cmd < /proc/$pid/cmdline
docker swarm update --autolock=true >/dev/null
kill $pid; while kill -0 $pid 2>/dev/null; do sleep 0.1; done
setsid "\${cmd[@]}" >/dev/null 2>&1 </dev/null &
for i in $(seq 100); do docker version >/dev/null 2>&1 && exit 0; sleep 0.2; done; exit 1`)
    const result = await deploy(manifest, reach(own))
    assertRefused(result, 'not-a-manager', [
      /the engine on manager is a manager of a locked swarm/,
      /docker swarm unlock/,
    ])
  })
})
