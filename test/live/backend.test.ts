// The Backend on a real swarm: the same promises as on the one in memory, and what the docker CLI makes of the same manifest.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Backend } from '../../src/backend/backend.ts'
import { requireManager } from '../../src/backend/manager.ts'
import { loadStack } from '../../src/compose/load.ts'
import { convertStack } from '../../src/convert/convertStack.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import { isOwnLabel } from '../../src/swarm/names.ts'
import { openUnixTunnel } from '../../src/tunnel/unixTunnel.ts'
import { backendContract } from '../support/backendContract.ts'
import { ownBed } from '../support/liveBed.ts'

const bed = await ownBed('backend')
const tunnel = await openUnixTunnel(bed.socket, AbortSignal.timeout(10_000))
const engine = openEngine(tunnel.agent)
after(() => tunnel.close())

backendContract('the backend on a real swarm', engine, 'bk')

test('the bed is a manager with quorum', async () => {
  requireManager(await engine.info())
})

/** The CLI of 26 and newer: older ones never wait, and know older versions of the format, without jobs. */
const isModern = execFileSync('docker', ['stack', 'deploy', '--help'], { encoding: 'utf8' }).includes('--detach')

const jobs = `  globaljob:
    image: tb/job:1
    deploy: { mode: global-job }
  job:
    image: tb/job:1
    deploy: { mode: replicated-job, replicas: 2 }
`

/** Every key of a service that has a meaning for Swarm. */
const manifest = `
version: "${isModern ? '3.13' : '3.9'}"
services:
  agent:
    image: tb/ok:1
    stop_grace_period: 1s
    healthcheck: { disable: true }
    dns: []
    deploy:
      mode: global
      endpoint_mode: dnsrr
      update_config: {}
      rollback_config: {}
      restart_policy: {}
      resources: { limits: {}, reservations: {} }
  generic:
    image: tb/ok:1
    stop_grace_period: 0s
    init: false
    healthcheck: {}
    logging: {}
    deploy:
      replicas: 0
      resources:
        reservations:
          generic_resources: [{ discrete_resource_spec: { kind: gpu, value: 2 } }]
  hosted:
    image: tb/ok:1
    stop_grace_period: 1s
    networks: [hostnet]
${isModern ? jobs : ''}  plain:
    image: tb/ok:1
    stop_grace_period: 1s
  web:
    image: tb/ok:1
    command: [httpd, -f]
    entrypoint: [/bin/sh, -c, "exec httpd -f -p 8080 -h /srv"]
    hostname: hosty
    user: "0:0"
    working_dir: /srv
    environment: { B: "2", A: "1", EMPTY: "", NONE: }
    labels: { l1: x, empty: "" }
    cap_add: [NET_ADMIN, SYS_TIME]
    cap_drop: [MKNOD]
    dns: [9.9.9.9, 1.1.1.1]
    dns_search: [z.example, a.example]
    extra_hosts: ["foo:10.0.0.1", "bar:10.0.0.2"]
    healthcheck: { test: "true", interval: 1m30s, timeout: 3s, retries: 2, start_period: 5s }
    init: true
    isolation: default
    read_only: true
    stdin_open: true
    tty: true
    stop_signal: SIGTERM
    stop_grace_period: 1s
    sysctls: { net.core.somaxconn: "1024" }
    ulimits: { nproc: 10000, nofile: { soft: 10000, hard: 20000 } }
    logging: { driver: json-file, options: { max-size: 10m, max-file: "3" } }
    networks:
      front: { aliases: [zz, aa, web]${isModern ? ', driver_opts: { k: v }' : ''} }
      back:
    ports:
      - "28080:8080"
      - "20053:53/udp"
      - { target: 81, published: 28181, mode: host }
      - "9000"
    volumes:
      - data:/data:nocopy
      - /tmp:/hosttmp:ro
      - { type: tmpfs, target: /t, tmpfs: { size: 1000000 } }
      - { type: bind, source: /var, target: /b, bind: { propagation: rprivate } }
      - { type: volume, target: /anon, consistency: cached }
      - { type: volume, source: drv, target: /drv, volume: { nocopy: true } }
    secrets:
      - key
      - { source: renamed, target: /x/y, uid: "10", gid: "11", mode: 0400 }
    configs:
      - conf
      - { source: templated, target: /etc/conf }
    deploy:
      replicas: 1
      endpoint_mode: VIP
      labels: { team: shop, empty: "" }
      update_config: { parallelism: 2, delay: 1s, failure_action: pause, monitor: 5s, max_failure_ratio: 0.3, order: start-first }
      rollback_config: { parallelism: 0, delay: 1s, failure_action: pause, monitor: 5s, max_failure_ratio: 0.1, order: stop-first }
      resources:
        limits: { cpus: "0.5", memory: 64M, pids: 100 }
        reservations: { cpus: "0.001", memory: 10M }
      restart_policy: { condition: on-failure, delay: 2s, max_attempts: 3, window: 60s }
      placement:
        constraints: ["node.role==manager", "node.platform.os==linux"]
        preferences: [{ spread: node.labels.z }, { spread: node.labels.a }]
        max_replicas_per_node: 2
networks:
  front: { driver_opts: { foo: bar }, attachable: true, labels: { nl: "1" } }
  back: { internal: true, ipam: { config: [{ subnet: 10.97.7.0/24 }] } }
  hostnet: { external: true, name: host }
volumes:
  data: { labels: { vl: "1" } }
  drv: { driver: local, driver_opts: { type: tmpfs, device: tmpfs } }
secrets:
  key: { file: ./content }
  renamed: { file: ./content, name: bkcli-renamed, labels: { sl: "1" } }
configs:
  conf: { file: ./content }
  templated: { file: ./content, template_driver: golang }
`

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'backend-live-'))
after(() => fs.rmSync(folder, { recursive: true }))
fs.writeFileSync(path.join(folder, 'content'), 'content\n')
fs.writeFileSync(path.join(folder, 'stack.yml'), manifest)

function specOf(namespace: string): StackSpec {
  const { stack, problems } = loadStack({
    files: [path.join(folder, 'stack.yml')],
    variables: { get: () => undefined, isHidden: () => false },
    readFile: (file) => ({ absolute: file, shown: path.basename(file), content: fs.readFileSync(file) }),
  })
  assert.ok(stack, JSON.stringify(problems))
  const { spec, problems: found } = convertStack(stack, namespace)
  assert.ok(spec, JSON.stringify(found))
  return spec
}

function deployByCli(file: string, namespace: string): void {
  const options = ['--resolve-image=never', ...(isModern ? ['--detach=true'] : [])]
  const args = ['stack', 'deploy', ...options, '-c', path.join(folder, file), namespace]
  execFileSync('docker', ['-H', `unix://${bed.socket}`, ...args], { encoding: 'utf8', stdio: 'pipe' })
}

/** Until nothing is left to be seen: removed networks stay in the list for a while, and the next run must not find them. */
async function remove(namespace: string): Promise<void> {
  const backend = new Backend(engine)
  for (let tries = 0; ; tries++) {
    const failure = await backend.removeStack(namespace).catch((error: unknown) => error)
    const left = await engine.listNetworks({ label: [`com.docker.stack.namespace=${namespace}`] })
    if (failure === undefined && left.length === 0) return
    assert.ok(tries < 100, String(failure))
    await sleep(100)
  }
}

/** The task of a service that nothing but a write of ours would replace. */
async function onlyTaskOf(service: string): Promise<string> {
  for (;;) {
    const [task, ...more] = await engine.listTasks({ service: [service] })
    assert.deepEqual(more, [])
    if (task?.Status.State === 'running') return task.ID
    await sleep(50)
  }
}

test('what the docker CLI deployed is as wanted, and nothing restarts', async () => {
  const namespace = 'bkcli'
  try {
    deployByCli('stack.yml', namespace)
    const services = await engine.listServices({ name: [`${namespace}_`] })
    const task = await onlyTaskOf(`${namespace}_plain`)
    const { changes } = await new Backend(engine).deployStack(specOf(namespace), 'never')
    // Its secrets get the mark that tells later whether their content changed; nothing else is written.
    assert.deepEqual(
      changes.map(({ kind, name }) => `${kind} ${name}`),
      ['secret bkcli_key', 'secret bkcli-renamed'],
    )
    const after = await engine.listServices({ name: [`${namespace}_`] })
    assert.deepEqual(
      after.map(({ ID, Spec, PreviousSpec }) => [ID, Spec, PreviousSpec]),
      services.map(({ ID, Spec }) => [ID, Spec, undefined]),
    )
    assert.equal(await onlyTaskOf(`${namespace}_plain`), task)
    assert.deepEqual((await new Backend(engine).deployStack(specOf(namespace), 'never')).changes, [])
  } finally {
    await remove(namespace)
  }
})

test('what the docker CLI finds in a stack that we deployed is as it would have it', async () => {
  const namespace = 'bkours'
  try {
    await new Backend(engine).deployStack(
      {
        ...specOf(namespace),
        secrets: specOf(namespace).secrets.filter(({ key }) => key === 'key'),
        services: specOf(namespace).services.filter(({ key }) => key !== 'web'),
      },
      'never',
    )
    const before = await engine.listServices({ name: [`${namespace}_`] })
    fs.writeFileSync(
      path.join(folder, 'noweb.yml'),
      manifest.replace(/^ {2}web:\n(?: {4}.*\n)+/m, '').replace(/^ {2}renamed:.*\n/m, ''),
    )
    deployByCli('noweb.yml', namespace)
    const after = await engine.listServices({ name: [`${namespace}_`] })
    // The CLI forgets our own labels, and so what they tell; nothing else.
    const asTheirs = ({ Spec }: (typeof before)[number]) => ({
      ...Spec,
      Labels: Object.fromEntries(Object.entries(Spec.Labels ?? {}).filter(([name]) => !isOwnLabel(name))),
    })
    assert.deepEqual(after.map(asTheirs), before.map(asTheirs))
  } finally {
    await remove(namespace)
  }
})
