// The main job: a stack converges and is reachable, again it is left alone, and a new version rolls out.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, liveStacks, servicesOf } from '../support/liveStack.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'deploy')

const shop = `services:
  web:
    image: tb/ok:\${VERSION}
    networks: [front]
    ports:
      - { target: 8080, published: 18431, mode: host }
    stop_grace_period: 1s
    deploy: &soon { update_config: { monitor: 1s, parallelism: 0 } }
  worker:
    image: tb/ok:\${VERSION}
    networks: [front]
    stop_grace_period: 1s
    deploy: { <<: *soon, replicas: 2 }
  agent:
    image: tb/ok:\${VERSION}
    stop_grace_period: 1s
    deploy: { <<: *soon, mode: global }
  page:
    image: tb/ok:1
    command: [sh, -c, 'grep -q "^a-[t]oken$$" /run/secrets/token && exec httpd -f -p 8080 -h /srv']
    ports:
      - { target: 8080, published: 18432, mode: host }
    stop_grace_period: 1s
    configs:
      - { source: motd, target: /srv/motd }
    secrets: [token]
  late:
    image: tb/slow:1
    environment: { START_DELAY: '4' }
    stop_grace_period: 1s
networks:
  front:
configs:
  motd: { file: motd.txt }
secrets:
  token: { file: token.txt }
`

async function get(port: number, path: string): Promise<string> {
  const answer = await fetch(`http://${bed.host}:${port}${path}`, { signal: AbortSignal.timeout(5000) })
  return `${answer.status} ${await answer.text()}`
}

describe('a deployment', { concurrency: true }, () => {
  test('a stack of five services converges and answers; again it is left alone; a new image is waited for', async (t) => {
    const { name, deploy, objects, tasks, running } = stack(t, 'shop', {
      'motd.txt': 'hello\n',
      'token.txt': 'a-token\n',
    })
    const first = await deploy(shop, { variables: 'VERSION=1', monitor: '2s' })
    assert.equal(first.code, 0, first.log)
    const {
      'duration-ms': duration,
      'engine-version': engine,
      services,
      changes,
      'plan-id': plan,
      ...outputs
    } = first.outputs
    assert.deepEqual(outputs, {
      status: 'converged',
      'stack-name': name,
      changed: 'true',
      warnings: '0',
      manager: '1 manager',
      revision: '1',
      'previous-revision': '',
      'failed-service': '',
      'failure-reason': '',
      'failure-message': '',
    })
    assert.match(engine ?? '', /^\d+\.\d+/)
    assert.match(plan ?? '', /^[0-9a-f]{8}(?:-[0-9a-f]{8}){3}$/)
    assert.ok(Number(duration) > 4000 && Number(duration) <= first.durationMs, `${duration} ms`)
    assert.deepEqual(changesOf(first), [
      `create network ${name}_default`,
      `create network ${name}_front`,
      `create secret ${name}_token`,
      `create config ${name}_motd`,
      ...['agent', 'late', 'page', 'web', 'worker'].map((key) => `create service ${name}_${key}`),
    ])
    assert.deepEqual(
      servicesOf(first).map(({ name, mode, image, running, desired, state }) => [
        name,
        mode,
        image,
        `${running}/${desired}`,
        state,
      ]),
      [
        ['web', 'replicated', 'tb/ok:1', '1/1', 'converged'],
        ['worker', 'replicated', 'tb/ok:1', '2/2', 'converged'],
        ['agent', 'global', 'tb/ok:1', '1/1', 'converged'],
        ['page', 'replicated', 'tb/ok:1', '1/1', 'converged'],
        ['late', 'replicated', 'tb/slow:1', '1/1', 'converged'],
      ],
    )
    assert.match(first.summary, /converged/)
    assert.equal(await get(18431, '/'), '200 ok\n')
    assert.equal(await get(18432, '/motd'), '200 hello\n')

    const before = { objects: await objects(), tasks: (await tasks()).map(({ ID }) => ID) }
    const second = await deploy(shop, { variables: 'VERSION=1' })
    assert.equal(second.code, 0, second.log)
    assert.equal(second.outputs.status, 'unchanged')
    assert.equal(second.outputs.changed, 'false')
    assert.deepEqual(changesOf(second), [])
    assert.deepEqual({ objects: await objects(), tasks: (await tasks()).map(({ ID }) => ID) }, before)

    const third = await deploy(shop, { variables: 'VERSION=2', monitor: '2s' })
    const live = await running()
    assert.equal(third.code, 0, third.log)
    assert.equal(third.outputs.status, 'converged')
    assert.deepEqual(
      changesOf(third),
      ['agent', 'web', 'worker'].map((key) => `update service ${name}_${key}`),
    )
    assert.deepEqual(live.map((task) => task.Spec.ContainerSpec?.Image).sort(), [
      ...['tb/ok:1', 'tb/ok:2', 'tb/ok:2', 'tb/ok:2', 'tb/ok:2', 'tb/slow:1'],
    ])
    assert.equal(await get(18431, '/'), '200 ok\n')
    const untouched = live.filter((task) => task.Spec.ContainerSpec?.Image !== 'tb/ok:2').map(({ ID }) => ID)
    assert.ok(untouched.every((id) => before.tasks.includes(id)))
  })

  test('without a wait it is written and nothing more; without a registry the image is deployed as it is written', async (t) => {
    const one = 'services:\n  web:\n    image: tb/ok:1\n    stop_grace_period: 1s\n'
    const [quick, unresolved] = [stack(t, 'quick'), stack(t, 'unresolved')]
    const [written, warned] = await Promise.all([
      quick.deploy(one.replace('tb/ok:1', 'tb/nosuch:1'), { wait: 'false' }),
      unresolved.deploy(one, { 'resolve-image': 'always', monitor: '1s' }),
    ])
    assert.equal(written.code, 0, written.log)
    assert.equal(written.outputs.status, 'deployed')
    assert.equal(written.outputs.changed, 'true')
    assert.deepEqual(Object.keys(await quick.objects()), [`service ${quick.name}_web`, `network ${quick.name}_default`])

    assert.equal(warned.code, 0, warned.log)
    assert.equal(warned.outputs.status, 'converged')
    assert.equal(warned.outputs.warnings, '1')
    const [warning, ...others] = annotations(warned, 'warning')
    assert.deepEqual(others, [])
    assert.match(warning ?? '', /^stack\.yml:3: .*tb\/ok:1.*(?:dial tcp|lookup|registry)/s)
  })
})
