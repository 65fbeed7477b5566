// What only the Compose Specification has, on a real engine: it is there, and a second deployment finds nothing to do.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the manifest's syntax
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, liveStacks } from '../support/liveStack.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'specification')

const manifest = `name: specification-all
include: [more.yml]
services:
  page:
    extends: { file: base.yml, service: base }
    command: [sh, -c, 'grep -q "^a-[t]oken$$" /run/secrets/token && exec httpd -f -p 8080 -h /srv']
    depends_on: { other: { condition: service_started } }
    env_file: [{ path: gone.env, required: false }]
    environment: { DEBUG: true, LEVEL: '\${LEVEL:-\${FALLBACK}}' }
    ports: [{ target: 8080, published: '18441', mode: host, name: http }]
    configs: [{ source: motd, target: /srv/motd }]
    secrets: [token]
    networks: [front]
    cpus: 0.5
    mem_limit: 32m
    pids_limit: 50
    scale: 1
    group_add: ['5']
    dns_opt: [use-vc]
    platform: linux
    volumes:
      - { type: tmpfs, target: /scratch, tmpfs: { size: 1m, mode: 0o1770 } }
  debug: { image: tb/ok:1, profiles: [debug] }
networks:
  front:
    ipam: { config: [{ subnet: 10.201.7.0/24, gateway: 10.201.7.1, ip_range: 10.201.7.0/25, aux_addresses: { host: 10.201.7.5 } }] }
configs: { motd: { content: "level \${FALLBACK}\\n" } }
secrets: { token: { environment: TOKEN } }
`

test('a manifest of the Compose Specification converges, and again it is left alone', async (t) => {
  const { name, deploy, objects, running } = stack(t, 'all', {
    'base.yml': 'services: {base: {image: "tb/ok:1", stop_grace_period: 1s, annotations: {owner: me}}}\n',
    'more.yml': 'services: {other: {image: "tb/ok:1", stop_grace_period: 1s}}\n',
  })
  const inputs = { 'stack-name': '', variables: 'FALLBACK=info\nTOKEN=a-token', monitor: '1s' }
  const first = await deploy(manifest, inputs)
  assert.equal(first.code, 0, first.log)
  assert.equal(first.outputs['stack-name'], name)
  assert.doesNotMatch(first.log + first.summary, /a-token/)
  assert.deepEqual(
    annotations(first, 'warning')
      .map((text) => /^\S+ \S+ "\w+"/.exec(text)?.[0])
      .sort(),
    [
      'base.yml:1: base.yml:1:60: "annotations"',
      'stack.yml:23: stack.yml:23:28: "profiles"',
      'stack.yml:7: stack.yml:7:5: "depends_on"',
    ],
  )
  const answer = await fetch(`http://${bed.host}:18441/motd`, { signal: AbortSignal.timeout(5000) })
  assert.equal(await answer.text(), 'level info\n')
  const [page] = (await running()).filter(({ Spec }) => Spec.ContainerSpec?.Labels?.owner === 'me')
  assert.deepEqual(page?.Spec.ContainerSpec?.Env, ['DEBUG=true', 'LEVEL=info'])

  const before = await objects()
  const second = await deploy(manifest, inputs)
  assert.equal(second.outputs.status, 'unchanged', second.log)
  assert.deepEqual(changesOf(second), [])
  assert.deepEqual(await objects(), before)
})
