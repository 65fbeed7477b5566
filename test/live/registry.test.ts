// Images and credentials, with a real registry that the nodes pull from.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, type LiveStack, liveStacks, servicesOf } from '../support/liveStack.ts'
import { startRegistry } from '../support/registry.ts'
import type { ActionResult } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'image')
const login = { username: 'alice', password: 'a-Password/of+alice' }
const [open, closed] = await Promise.all([startRegistry(bed, 18510), startRegistry(bed, 18511, login)])
after(() => Promise.all([open.stop(), closed.stop()]))

const one = (image: string, more = ''): string => `services:
  web:
    image: ${image}
    stop_grace_period: 1s
    deploy: { restart_policy: { delay: 1s }, update_config: { monitor: 1s, parallelism: 0 }${more} }
`
const idle = (image: string): string => one(image, ', replicas: 0')
const always = { 'resolve-image': 'always', monitor: '1s', 'registry-auth': 'none' }
const line = ({ username, password } = login): string => `${closed.address} ${username} ${password}`
const auths = ({ username, password } = login, address = closed.address): string =>
  JSON.stringify({ auths: { [address]: { auth: Buffer.from(`${username}:${password}`).toString('base64') } } })

async function liveImage({ services }: LiveStack): Promise<string> {
  const [service] = await services()
  return service?.Spec.TaskTemplate.ContainerSpec?.Image ?? ''
}

async function taskIds({ tasks }: LiveStack): Promise<readonly string[]> {
  return (await tasks()).map(({ ID }) => ID)
}

function converged(result: ActionResult, status = 'converged'): void {
  assert.equal(result.outputs.status, status, result.log)
  assert.deepEqual(annotations(result, 'warning'), [])
}

/** Nothing of a login is anywhere to be seen. */
function assertSilent({ log, summary, outputs }: ActionResult, { username, password } = login): void {
  const seen = `${log}\n${summary}\n${JSON.stringify(outputs)}`
  const pair = Buffer.from(`${username}:${password}`).toString('base64')
  for (const secret of [password, pair, encodeURIComponent(password), Buffer.from(password).toString('base64')]) {
    assert.ok(!seen.includes(secret), `${secret} is in\n${seen}`)
  }
}

describe('a registry', { concurrency: true }, () => {
  describe('an image', { concurrency: true }, () => {
    test('is pinned to its digest; a tag that moved is rolled out under `always`, and only there', async (t) => {
      const made = stack(t, 'moved')
      const image = `${open.address}/moved/web:1`
      const before = await open.push('tb/ok:1', 'moved/web:1')
      const first = await made.deploy(one(image), always)
      converged(first)
      assert.equal(servicesOf(first)[0]?.image, `${image}@${before}`)
      assert.equal(await liveImage(made), `${image}@${before}`)
      assert.ok((await made.running()).every(({ Spec }) => Spec.ContainerSpec?.Image === `${image}@${before}`))
      converged(await made.deploy(one(image), always), 'unchanged')

      const moved = await open.push('tb/ok:2', 'moved/web:1')
      assert.notEqual(moved, before)
      for (const mode of ['changed', 'never']) {
        converged(await made.deploy(one(image), { ...always, 'resolve-image': mode }), 'unchanged')
        assert.equal(await liveImage(made), `${image}@${before}`)
      }
      const rolled = await made.deploy(one(image), always)
      converged(rolled)
      assert.deepEqual(JSON.parse(rolled.outputs.changes ?? ''), [
        { kind: 'service', name: `${made.name}_web`, action: 'update', fields: ['image'] },
      ])
      assert.equal(await liveImage(made), `${image}@${moved}`)

      const other = await open.push('tb/ok:1', 'moved/web:2')
      const tag = `${open.address}/moved/web:2`
      converged(await made.deploy(one(tag), { ...always, 'resolve-image': 'changed' }))
      assert.equal(await liveImage(made), `${tag}@${other}`)
    })

    test('that somebody changed by hand is put back', async (t) => {
      const made = stack(t, 'hand')
      const image = `${open.address}/hand/web:1`
      const digest = await open.push('tb/ok:1', 'hand/web:1')
      for (const mode of ['always', 'changed', 'never']) {
        await made.deploy(one(image), { ...always, wait: 'false' })
        const args = ['service', 'update', '-d', '--no-resolve-image', '--image', 'tb/ok:2', `${made.name}_web`]
        assert.equal((await bed.shell(['docker', ...args])).code, 0)
        const result = await made.deploy(one(image), { ...always, 'resolve-image': mode, wait: 'false' })
        assert.deepEqual(changesOf(result), [`update service ${made.name}_web`], result.log)
        assert.equal(await liveImage(made), mode === 'always' ? `${image}@${digest}` : image)
      }
    })

    test('keeps its digest while its registry is down, and nothing restarts', async (t) => {
      const made = stack(t, 'down')
      const registry = await startRegistry(bed, 18512)
      const image = `${registry.address}/down/web:1`
      const digest = await registry.push('tb/ok:1', 'down/web:1')
      converged(await made.deploy(one(image), always))
      const before = { objects: await made.objects(), tasks: await taskIds(made) }
      await registry.stop()
      const result = await made.deploy(one(image), always)
      assert.equal(result.outputs.status, 'unchanged', result.log)
      const [warning, ...more] = annotations(result, 'warning')
      assert.deepEqual(more, [])
      assert.match(warning ?? '', /^stack\.yml:3: .*127\.0\.0\.1:18512\/down\/web:1.*connection refused/s)
      assert.doesNotMatch(warning ?? '', /credentials/)
      assert.equal(servicesOf(result)[0]?.image, `${image}@${digest}`)
      assert.deepEqual({ objects: await made.objects(), tasks: await taskIds(made) }, before)
    })

    test('is asked for by nobody under `never`', async (t) => {
      const made = stack(t, 'never')
      const registry = await startRegistry(bed, 18513)
      t.after(() => registry.stop())
      await registry.push('tb/ok:1', 'never/web:1')
      registry.requests()
      const image = `${registry.address}/never/web`
      converged(await made.deploy(idle(`${image}:1`), { ...always, 'resolve-image': 'never' }))
      assert.deepEqual(registry.requests(), [])
      await made.deploy(idle(`${image}:2`), { ...always, 'resolve-image': 'never' })
      assert.deepEqual(registry.requests(), [])
      assert.equal(await liveImage(made), `${image}:2`)
    })
  })

  describe('credentials', { concurrency: true }, () => {
    const folder = fs.mkdtempSync(path.join(bed.dir, 'docker-config-'))
    fs.writeFileSync(path.join(folder, 'config.json'), auths())
    const ways = [
      { way: 'json', auth: { 'registry-auth': auths() }, env: {} },
      { way: 'lines', auth: { 'registry-auth': `# the shop's\nghcr.io bob other\n${line()}` }, env: {} },
      { way: 'file', auth: { 'registry-auth': '' }, env: { DOCKER_CONFIG: folder } },
    ]
    for (const { way, auth, env } of ways) {
      test(`given as ${way} reach the look-up, the creation and the update`, async (t) => {
        const made = stack(t, way)
        const [first, second] = [
          await closed.push('tb/ok:1', `${way}/web:1`),
          await closed.push('tb/ok:2', `${way}/web:2`),
        ]
        const image = `${closed.address}/${way}/web`
        const resolved = await made.deploy(one(`${image}:1`), { ...always, ...auth }, { env })
        converged(resolved)
        assert.equal(await liveImage(made), `${image}:1@${first}`)
        // Without a look-up: the node pulls with what came along with the update.
        const updated = await made.deploy(one(`${image}:2`), { ...always, ...auth, 'resolve-image': 'never' }, { env })
        converged(updated)
        assert.equal((await made.running())[0]?.Spec.ContainerSpec?.Image, `${image}:2`)
        assert.ok(second !== '')
        for (const result of [resolved, updated]) assertSilent(result)
      })
    }

    test('come along with an update of a service that had none', async (t) => {
      const made = stack(t, 'later')
      await Promise.all([open.push('tb/ok:1', 'later/web:1'), closed.push('tb/ok:2', 'later/web:2')])
      converged(await made.deploy(one(`${open.address}/later/web:1`), { ...always, 'registry-auth': line() }))
      const image = `${closed.address}/later/web:2`
      const updated = await made.deploy(one(image), { ...always, 'registry-auth': line(), 'resolve-image': 'never' })
      converged(updated)
      assert.equal((await made.running())[0]?.Spec.ContainerSpec?.Image, image)
    })

    test('that are wrong are said to be refused, in the warning and in the failure', async (t) => {
      const made = stack(t, 'wrong')
      await closed.push('tb/ok:1', 'wrong/web:1')
      const wrong = { username: 'alice', password: 'not-her-password' }
      const result = await made.deploy(one(`${closed.address}/wrong/web:1`), {
        ...always,
        'registry-auth': line(wrong),
      })
      const { status, 'failure-reason': reason, 'failure-message': message = '' } = result.outputs
      assert.deepEqual([status, reason], ['failed', 'image-pull'], result.log)
      const words = /the registry 127\.0\.0\.1:18511 refused the credentials/
      assert.match(message, words)
      assert.match(annotations(result, 'warning').join(), words)
      assert.match(annotations(result, 'error').join(), words)
      assert.match(result.log, /Correct the login for 127\.0\.0\.1:18511 in "registry-auth"/)
      assertSilent(result, wrong)
    })

    test('are not sent to a registry that they are not for', async (t) => {
      const made = stack(t, 'others')
      await closed.push('tb/ok:1', 'others/web:1')
      for (const auth of ['none', auths(login, open.address), `127.0.0.1 ${login.username} ${login.password}`]) {
        const result = await made.deploy(idle(`${closed.address}/others/web:1`), { ...always, 'registry-auth': auth })
        const [warning, ...more] = annotations(result, 'warning')
        assert.deepEqual(more, [], result.log)
        // The daemon's words where it had nothing to answer the registry's challenge with.
        assert.match(warning ?? '', /no basic auth credentials/)
        assert.match(warning ?? '', /the registry 127\.0\.0\.1:18511 wants credentials, and none are given for it/)
        assertSilent(result)
      }
    })
  })
})
