// Images and credentials, with a real registry that the nodes pull from.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CREDENTIALS_LABEL } from '../../src/swarm/names.ts'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, type LiveStack, liveStacks, servicesOf } from '../support/liveStack.ts'
import { startRegistry } from '../support/registry.ts'
import type { ActionResult } from '../support/runner.mjs'
import { identityTokenOf } from '../support/tokenServer.ts'

const bed = await liveBed()
const stack = liveStacks(bed, 'image')
const login = { username: 'alice', password: 'a-Password/of+alice' }
const other = { username: 'bob', password: 'b-Password/of+bob' }
const [open, closed, tokens] = await Promise.all([
  startRegistry(bed, 18510),
  startRegistry(bed, 18511, login),
  startRegistry(bed, 18515, other, 18516),
])
after(() => Promise.all([open.stop(), closed.stop(), tokens.stop()]))
/** Nobody listens there. */
const dead = '127.0.0.1:18519'

const one = (image: string, more = ''): string => `services:
  web:
    image: ${image}
    stop_grace_period: 1s
    deploy: { restart_policy: { delay: 1s }, update_config: { monitor: 1s, parallelism: 0 }${more} }
`
/** Two services, of an image each. */
const two = (first: string, second: string): string =>
  `${one(first)}${one(second).replace('services:\n  web:', '  api:')}`
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

/** One that nobody has waited for yet is dead all the same. */
function isAlive(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
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
  describe('an image', { concurrency: 3 }, () => {
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

    test('goes back to the digest that the release record has, whatever its tag means by now', async (t) => {
      const made = stack(t, 'back')
      const image = `${open.address}/back/web:1`
      const before = await open.push('tb/ok:1', 'back/web:1')
      converged(await made.deploy(one(image), always))
      const moved = await open.push('tb/ok:2', 'back/web:1')
      converged(await made.deploy(one(image), always))
      assert.equal(await liveImage(made), `${image}@${moved}`)

      const back = await made.rollback({ monitor: '1s', 'resolve-image': 'always', 'registry-auth': 'none' })
      converged(back)
      assert.equal(await liveImage(made), `${image}@${before}`)
      assert.equal(servicesOf(back)[0]?.image, `${image}@${before}`)
      assert.ok((await made.running()).every(({ Spec }) => Spec.ContainerSpec?.Image === `${image}@${before}`))
      // The next deployment of the manifest asks what the tag means, as ever.
      converged(await made.deploy(one(image), always))
      assert.equal(await liveImage(made), `${image}@${moved}`)
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

    test('of a registry that is down is created by its tag, with a warning; strict images refuse it', async (t) => {
      const made = stack(t, 'dead')
      const image = `${dead}/dead/web:1`
      const strict = await made.deploy(two('tb/ok:1', image), { ...always, 'strict-images': 'true' })
      const { status, 'failure-reason': reason } = strict.outputs
      assert.deepEqual([strict.code, status, reason], [1, 'refused', 'image-pull'], strict.log)
      const errors = annotations(strict, 'error')
      assert.match(errors.join('\n'), /^stack\.yml:7: .*127\.0\.0\.1:18519\/dead\/web:1" \(api\).*connection refused/m)
      assert.match(errors.join('\n'), /^stack\.yml:3: .*"tb\/ok:1" \(web\)/m)
      assert.deepEqual(await made.objects(), {})

      const result = await made.deploy(idle(image), always)
      assert.equal(result.outputs.status, 'converged', result.log)
      assert.match(
        annotations(result, 'warning').join('\n'),
        /^stack\.yml:3: .*the digest of the image .*connection refused/,
      )
      assert.equal(await liveImage(made), image)
    })

    test('of a registry that greets the manager and then is silent is done without; what was deployed keeps its digest', async (t) => {
      const made = stack(t, 'silent')
      // An engine waits for such a one for as long as it is asked.
      const server = `require('http').createServer((ask, answer) => ask.url === '/v2/' && answer.end()).listen(18517, '127.0.0.1')`
      const started = await bed.shell([
        'sh',
        '-c',
        `setsid ${process.execPath} -e "${server}" >/dev/null 2>&1 </dev/null & echo $!`,
      ])
      t.after(() => bed.shell(['kill', started.stdout.trim()]))
      const image = '127.0.0.1:18517/silent/web:1'
      const pinned = `${image}@sha256:${'1'.repeat(64)}`
      converged(await made.deploy(idle(image), { ...always, 'resolve-image': 'never' }))
      const [web] = await made.services()
      await bed.shell([
        'docker',
        'service',
        'update',
        '--detach',
        '--no-resolve-image',
        '--image',
        pinned,
        `${web?.ID}`,
      ])
      const result = await made.deploy(idle(image), always)
      assert.equal(result.outputs.status, 'unchanged', result.log)
      const [warning, ...more] = annotations(result, 'warning')
      assert.deepEqual(more, [])
      assert.match(
        warning ?? '',
        /^stack\.yml:3: .*127\.0\.0\.1:18517\/silent\/web:1: its registry did not answer within 45 s/,
      )
      assert.equal(await liveImage(made), pinned)
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

  describe('credentials', { concurrency: 4 }, () => {
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

      // Where nobody asks the registry, only the node's own words are known, and the advice has to name the login.
      const manifest = one(`${closed.address}/wrong/web:1`)
      const never = { ...always, 'resolve-image': 'never' }
      const unasked = await made.deploy(manifest, { ...never, 'registry-auth': line(wrong) })
      assert.deepEqual([unasked.outputs.status, unasked.outputs['failure-reason']], ['failed', 'image-pull'])
      assert.match(annotations(unasked, 'error').join(), /No such image.*`registry-auth` holds credentials .* right/s)
      // The right login alone mends it.
      const mended = await made.deploy(manifest, { ...never, 'registry-auth': line() })
      converged(mended)
      assert.deepEqual(changesOf(mended), [`credentials service ${made.name}_web`])
      assert.equal((await made.running()).length, 1)
    })

    test('of two registries, one of them with a token server, go each to its own', async (t) => {
      const made = stack(t, 'pair')
      const [first, second] = [await closed.push('tb/ok:1', 'pair/web:1'), await tokens.push('tb/ok:2', 'pair/api:1')]
      await tokens.push('tb/ok:1', 'pair/api:2')
      const [web, api] = [`${closed.address}/pair/web:1`, `${tokens.address}/pair/api`]
      const lines = `${line()}\n${tokens.address} ${other.username} ${other.password}`
      const created = await made.deploy(two(web, `${api}:1`), { ...always, 'registry-auth': lines })
      converged(created)
      const images = servicesOf(created).map(({ image }) => image)
      assert.deepEqual(images, [`${web}@${first}`, `${api}:1@${second}`])
      assert.deepEqual([...new Set(tokens.pullers('pair/api'))], ['basic bob'])
      // Without a look-up: the node pulls with what came along with the update.
      const updated = await made.deploy(two(web, `${api}:2`), {
        ...always,
        'registry-auth': lines,
        'resolve-image': 'never',
      })
      converged(updated)
      assert.deepEqual(changesOf(updated), [`update service ${made.name}_api`])
      assertSilent(updated)
      assertSilent(updated, other)

      const wrong = { username: 'bob', password: 'not-his-password' }
      const refused = await made.deploy(idle(`${api}:1`), {
        ...always,
        'registry-auth': `${tokens.address} ${wrong.username} ${wrong.password}`,
      })
      const words = /the registry 127\.0\.0\.1:18515 refused the credentials/
      assert.match(annotations(refused, 'warning').join(), words, refused.log)
      assertSilent(refused, wrong)
    })

    test('come from helpers of the docker config: a login, and an identity token', async (t) => {
      const made = stack(t, 'helper')
      await closed.push('tb/ok:1', 'helper/web:1')
      await tokens.push('tb/ok:2', 'helper/api:1')
      const home = fs.mkdtempSync(path.join(bed.dir, 'helper-'))
      const token = identityTokenOf(other)
      const keep = (name: string, username: string, secret: string): void => {
        const answer = JSON.stringify({ ServerURL: '', Username: username, Secret: secret })
        const script = `#!/bin/sh\nread -r key\necho "$1 $key" >> ${home}/${name}.log\nenv >> ${home}/env\necho '${answer}'\n`
        fs.writeFileSync(path.join(home, `docker-credential-${name}`), script, { mode: 0o755 })
      }
      keep('plain', login.username, login.password)
      keep('token', '<token>', token)
      const config = { credHelpers: { [closed.address]: 'plain', [tokens.address]: 'token', 'ghcr.io': 'missing' } }
      fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config))
      const env = { DOCKER_CONFIG: home, PATH: `${home}:${process.env.PATH}`, GH_TOKEN: 'gh-token-of-the-runner' }
      const manifest = two(`${closed.address}/helper/web:1`, `${tokens.address}/helper/api:1`)
      const result = await made.deploy(manifest, { ...always, 'registry-auth': '' }, { env })
      converged(result)
      assert.deepEqual([...new Set(tokens.pullers('helper/api'))], ['refresh_token bob'], result.log)
      assertSilent(result)
      assertSilent(result, { username: '<token>', password: token })
      assert.equal(fs.readFileSync(path.join(home, 'plain.log'), 'utf8'), `get ${closed.address}\n`)
      assert.equal(fs.readFileSync(path.join(home, 'token.log'), 'utf8'), `get ${tokens.address}\n`)
      assert.doesNotMatch(fs.readFileSync(path.join(home, 'env'), 'utf8'), /INPUT_|gh-token|ACTIONS_/)
      converged(await made.deploy(manifest, { ...always, 'registry-auth': '' }, { env }), 'unchanged')

      fs.writeFileSync(path.join(home, 'docker-credential-token'), '#!/bin/sh\necho leaked-secret\nexit 3\n')
      const broken = await made.deploy(manifest, { ...always, 'registry-auth': '' }, { env })
      const warnings = annotations(broken, 'warning')
      assert.match(warnings[0] ?? '', /^stack\.yml:7: .*the credential helper "docker-credential-token".* exit code 3/)
      assert.match(warnings[1] ?? '', /wants credentials, and none are given for it/)
      assert.equal(warnings.length, 2, broken.log)
      assert.doesNotMatch(broken.raw, /leaked-secret/)
      // What the swarm holds stays: nothing is written.
      assert.equal(broken.outputs.status, 'unchanged')
    })

    test('are not waited for by a run that is cancelled while a helper hangs', async (t) => {
      const made = stack(t, 'hangs')
      const home = fs.mkdtempSync(path.join(bed.dir, 'hangs-'))
      const script = `#!/bin/sh\nsleep 600 &\necho $! > ${home}/new\nmv ${home}/new ${home}/pid\nwait\n`
      fs.writeFileSync(path.join(home, 'docker-credential-hangs'), script, { mode: 0o755 })
      fs.writeFileSync(path.join(home, 'config.json'), '{ "credsStore": "hangs" }')
      const env = { DOCKER_CONFIG: home, PATH: `${home}:${process.env.PATH}` }
      const run = made.start(one('tb/ok:1'), { ...always, 'registry-auth': '' }, { env })
      while (!fs.existsSync(path.join(home, 'pid'))) await sleep(50)
      const result = await run.cancel()
      assert.equal(result.outputs.status, 'cancelled', result.log)
      assert.equal(result.signal, null)
      assert.match(result.log, /asking credential helpers/)
      const pid = fs.readFileSync(path.join(home, 'pid'), 'utf8').trim()
      while (isAlive(pid)) await sleep(50)
      assert.deepEqual(await made.objects(), {})
    })

    test('that changed are written alone and restart nothing, not even what has completed', async (t) => {
      const made = stack(t, 'changed')
      await closed.push('tb/ok:1', 'changed/web:1')
      const image = `${closed.address}/changed/web:1`
      const once = one(image)
        .replace('services:\n  web:', '  once:')
        .replace('restart_policy: { delay: 1s }', 'restart_policy: { condition: none }')
        .replace('    stop_grace', '    command: ["true"]\n    stop_grace')
      const manifest = `${one(image)}${once}`
      const inputs = { ...always, 'resolve-image': 'never', 'registry-auth': line() }
      converged(await made.deploy(manifest, inputs))
      const before = await taskIds(made)
      const rotated = { ...login, password: 'a-new-password' }
      const result = await made.deploy(manifest, { ...inputs, 'registry-auth': line(rotated) })
      converged(result)
      assert.deepEqual(JSON.parse(result.outputs.changes ?? ''), [
        { kind: 'service', name: `${made.name}_web`, action: 'credentials', fields: ['credentials'] },
      ])
      assert.equal(result.outputs.changed, 'true')
      assert.deepEqual(await taskIds(made), before)
      assertSilent(result, rotated)
      const [label = ''] = (await made.services()).map(({ Spec }) => Spec.Labels?.[CREDENTIALS_LABEL])
      assert.match(label, /^[0-9a-f]{32}:[0-9a-f]{64}$/)
      assert.ok(!`${result.raw}${result.summary}`.includes(label.slice(-64)))
      const again = await made.deploy(manifest, { ...inputs, 'registry-auth': line(rotated) })
      converged(again, 'unchanged')
      converged(await made.deploy(manifest, { ...inputs, 'registry-auth': 'none' }), 'unchanged')
      assert.deepEqual(await taskIds(made), before)
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
