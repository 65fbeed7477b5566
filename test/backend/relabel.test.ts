// Labels of secrets and configs are written whole: whose would be lost is told, or ends the run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import { DeployError } from '../../src/errors.ts'
import { NAMESPACE_LABEL } from '../../src/swarm/names.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { losingAnswer, racing } from '../support/racing.ts'
import { aFileObject, aStackSpec, base64 } from '../support/stackSpecs.ts'

const stack = (labels: Readonly<Record<string, string>> = {}) =>
  aStackSpec('shop', { configs: [aFileObject('shop', 'conf', 'hello', labels)] })

function aSwarm() {
  const { engine } = createMemorySwarm()
  const deploy = (labels: Readonly<Record<string, string>>, on = engine) =>
    new Backend(on, { owner: 'gha/acme/shop', rotate: true }).deployStack(stack(labels), 'never')
  const conf = async () => {
    const [found] = await engine.listConfigs({ name: ['shop_conf'] })
    return found ?? assert.fail('there is no such config')
  }
  const relabel = async (labels: Readonly<Record<string, string>>): Promise<void> => {
    const { ID, Version, Spec } = await conf()
    await engine.updateConfig(ID, Version.Index, { ...Spec, Labels: { ...Spec.Labels, ...labels } })
  }
  return { engine, deploy, conf, relabel }
}

test('labels that someone else gives in the meantime are not overwritten: the run ends, and says so', async () => {
  const { engine, deploy, conf, relabel } = aSwarm()
  await deploy({ team: 'red' })
  const raced = racing(engine, 'updateConfig', () => relabel({ [NAMESPACE_LABEL]: 'other' }))
  await assert.rejects(deploy({ team: 'blue' }, raced), (error) => {
    assert.ok(error instanceof DeployError)
    assert.equal(error.code, 'conflict')
    assert.match(error.message, /^the labels of the config "shop_conf" were changed by someone else while/)
    assert.match(error.remedy ?? '', /Run it again/)
    return true
  })
  const { Labels } = (await conf()).Spec
  assert.deepEqual([Labels?.team, Labels?.[NAMESPACE_LABEL]], ['red', 'other'])
})

test('another version with the labels of before is written again, and what another run has done is done', async () => {
  const { engine, deploy, conf, relabel } = aSwarm()
  await deploy({ team: 'red' })
  await deploy(
    { team: 'blue' },
    racing(engine, 'updateConfig', () => relabel({})),
  )
  assert.equal((await conf()).Spec.Labels?.team, 'blue')
  await deploy(
    { team: 'green' },
    racing(engine, 'updateConfig', () => relabel({ team: 'green' })),
  )
  await deploy({ team: 'grey' }, losingAnswer(engine, 'updateConfig'))
  assert.equal((await conf()).Spec.Labels?.team, 'grey')
  assert.deepEqual((await deploy({ team: 'grey' })).changes, [])
})

test('what is in no stack joins this one with a warning that names the labels it loses', async () => {
  const { engine, deploy } = aSwarm()
  await engine.createConfig({ Name: 'shop_conf', Labels: { team: 'ops', kept: 'x' }, Data: base64('hello') })
  const planned = await new Backend(engine, { rotate: true }).planStack(stack({ kept: 'x' }), 'never')
  assert.deepEqual(
    planned.plan.warnings.map(({ message, remedy }) => `${message} → ${remedy}`),
    [
      'the config "shop_conf" is there already, in no stack, and becomes part of this one: it will be removed with it; of its labels it loses team → To leave it as it is, write "external: true", or give this config another "name:".',
    ],
  )
  await deploy({ kept: 'x' })
  const later = await new Backend(engine, { rotate: true }).planStack(stack({ kept: 'y' }), 'never')
  assert.deepEqual(later.plan.warnings, [])
})
