// Whose a stack is: refused to others, taken over on request, and without a restart.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { engineCall } from '../support/engineCall.mjs'
import { liveBed } from '../support/liveBed.ts'
import { annotations, changesOf, liveStacks } from '../support/liveStack.ts'
import type { ActionResult } from '../support/runner.mjs'

const bed = await liveBed()
const stack = liveStacks(bed, 'owner')
const manifest = 'services:\n  web:\n    image: tb/ok:1\n    stop_grace_period: 1s\n'
const by = (repository: string) => ({ event: { repository } })
const brief = { monitor: '2s' }

const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/ownership.md'), 'utf8')

/** The log holds what docs/ownership.md shows for the stack "shop". */
function assertShown(result: ActionResult, block: string, name: string): void {
  const [, text = ''] = new RegExp(`\`\`\`text ${block}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
  assert.notEqual(text, '')
  assert.ok(result.log.includes(text.trimEnd().replaceAll('shop', name)), `${text}\n${result.log}`)
}

function refusalOf(result: ActionResult): string {
  assert.equal(result.code, 1, result.log)
  assert.deepEqual([result.outputs.status, result.outputs['failure-reason']], ['refused', 'conflict'], result.log)
  return annotations(result, 'error').join('\n')
}

describe('a stack has an owner', { concurrency: true }, () => {
  test('another repository is refused, and with adopt takes it over without a restart', async (t) => {
    const { name, deploy, objects, services, tasks } = stack(t, 'taken')
    const first = await deploy(manifest, brief, by('octocat/site'))
    assert.equal(first.outputs.status, 'converged', first.log)
    const [before, task] = [await objects(), (await tasks()).map(({ ID }) => ID)]

    const refused = await deploy(manifest, brief, by('acme/site'))
    const text = refusalOf(refused)
    assertShown(refused, 'refused', name)
    assert.match(text, new RegExp(`the stack "${name}" belongs to gha/octocat/site \\(by the stamp on .*${name}_web`))
    assert.match(text, /this run is of gha\/acme\/site/)
    assert.match(text, /→ .*`adopt: true`/)
    assert.deepEqual(await objects(), before)

    const nobody = refusalOf(await deploy(manifest, brief, { env: { GITHUB_REPOSITORY: '' } }))
    assert.match(nobody, /belongs to gha\/octocat\/site .* and this run has no GITHUB_REPOSITORY/)

    const taken = await deploy(manifest, { ...brief, monitor: '5s', adopt: 'true' }, by('acme/site'))
    assert.equal(taken.outputs.status, 'converged', taken.log)
    assert.match(taken.log, /Taking over the stack \S+ from gha\/octocat\/site: it belongs to gha\/acme\/site now/)
    assertShown(taken, 'taken', name)
    assert.deepEqual(changesOf(taken), [`update service ${name}_web`])
    assert.match(taken.outputs.changes ?? '', /"fields":\["labels\[com\.swarmcli\.owner\]"\]/)
    assert.deepEqual(
      (await tasks()).map(({ ID }) => ID),
      task,
      'no task was restarted',
    )
    const stamps = (await services()).map(({ Spec }) => Spec.Labels?.['com.swarmcli.owner'])
    assert.deepEqual(stamps, [`gha/acme/site:release/${name}`])

    const again = await deploy(manifest, brief, by('acme/site'))
    assert.equal(again.outputs.status, 'unchanged', again.log)
    assert.match(refusalOf(await deploy(manifest, brief, by('octocat/site'))), /belongs to gha\/acme\/site/)
  })

  test('a stack of the docker CLI is adopted without a restart, and this is said once', async (t) => {
    const { name, deploy, services, tasks } = stack(t, 'cli')
    const args = ['docker', 'stack', 'deploy', '--detach', '--resolve-image', 'never', '-c', '-', name]
    const withJob = `${manifest}  migrate:\n    image: tb/job:1\n    deploy: { mode: replicated-job }\n`
    const cli = await bed.shell(args, { input: withJob })
    assert.equal(cli.code, 0, cli.stderr)
    const adopted = await deploy(withJob, brief, by('acme/site'))
    assert.equal(adopted.outputs.status, 'converged', adopted.log)
    assert.match(
      adopted.log,
      /The stack \S+ was not deployed by this action so far: it is adopted, and belongs to gha\/acme\/site now/,
    )
    assertShown(adopted, 'adopted', name)
    assert.equal((await tasks()).length, 2, 'no task was restarted, and no job run again')
    const stamps = (await services()).map(({ Spec }) => Spec.Labels?.['com.swarmcli.owner'])
    assert.deepEqual(stamps, [undefined, `gha/acme/site:release/${name}`])
    const again = await deploy(withJob, brief, by('acme/site'))
    assert.equal(again.outputs.status, 'unchanged', again.log)
    assert.doesNotMatch(again.log, /adopted/)
  })

  test('a stamp of another stack, a broken one and one of no owner prove nothing', async (t) => {
    const { name, deploy, services } = stack(t, 'forged')
    await deploy(manifest, { wait: 'false' }, { env: { GITHUB_REPOSITORY: '' } })
    assert.equal((await services())[0]?.Spec.Labels?.['com.swarmcli.owner'], undefined, 'nothing is stamped')
    for (const stamp of [
      'gha/octocat/site:release/other',
      `a:b:release/${name}`,
      `:release/${name}`,
      'gha/octocat/site',
    ]) {
      const [service] = await services()
      assert.ok(service)
      const Labels = { ...service.Spec.Labels, 'com.swarmcli.owner': stamp }
      const path = `/services/${service.ID}/update?version=${service.Version.Index}`
      await engineCall(bed.socket, 'POST', path, { ...service.Spec, Labels })
      const result = await deploy(manifest, { wait: 'false' }, by('acme/site'))
      assert.equal(result.outputs.status, 'deployed', `${stamp}\n${result.log}`)
    }
  })
})
