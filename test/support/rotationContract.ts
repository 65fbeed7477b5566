// What the Backend promises of secrets and configs whose content changes; a part of backendContract.ts.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { Backend } from '../../src/backend/backend.ts'
import type { BackendOptions } from '../../src/backend/options.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { CREATED_LABEL, DIGEST_LABEL, NAMESPACE_LABEL } from '../../src/swarm/names.ts'
import type { Config, Secret } from '../../src/swarm/secret.ts'
import type { ContainerSpec } from '../../src/swarm/service.ts'
import { heardBackend } from './heardBackend.ts'
import { racing } from './racing.ts'
import { refusal } from './refusal.ts'
import { aFileObject, aServiceObject, aStackSpec, base64, configReference, secretReference } from './stackSpecs.ts'

/** @param fresh a stack name that no other test uses; the stack is removed after the test */
export function rotationContract(engine: Engine, fresh: () => string): void {
  const run = (on: Engine = engine, options: BackendOptions = {}) => {
    const { backend, log, journal } = heardBackend(on, { rotate: true, ...options })
    return { log, journal, deploy: (spec: StackSpec) => backend.deployStack(spec, 'never') }
  }
  const deploy = (spec: StackSpec) => run().deploy(spec)
  const words = ({ changes }: { readonly changes: Awaited<ReturnType<typeof deploy>>['changes'] }) =>
    changes.map(({ kind, name, action, fields }) => `${action} ${kind} ${name}: ${fields.join(', ')}`)
  const secretsOf = (name: string): Promise<readonly Secret[]> => engine.listSecrets({ name: [name] })
  const configsOf = (name: string): Promise<readonly Config[]> => engine.listConfigs({ name: [name] })
  const containerOf = async (name: string): Promise<ContainerSpec> => {
    const found = (await engine.listServices({ name: [name] })).find(({ Spec }) => Spec.Name === name)
    return found?.Spec.TaskTemplate.ContainerSpec ?? assert.fail(`there is no service ${name}`)
  }
  const configName = (name: string, content: string): string =>
    `${name}-${createHash('sha256').update(content).digest('hex').slice(0, 8)}`
  /** Replicas only make the tests slow. */
  const idle = { spec: { Mode: { Replicated: { Replicas: 0 } } } }
  const both = (namespace: string, secret: string, config: string): StackSpec =>
    aStackSpec(namespace, {
      secrets: [aFileObject(namespace, 'key', secret), aFileObject(namespace, 'other', 'stays')],
      configs: [aFileObject(namespace, 'conf', config)],
      services: [
        aServiceObject(namespace, 'aside', { ...idle, container: { Secrets: [secretReference(namespace, 'other')] } }),
        ...['web', 'worker'].map((key) =>
          aServiceObject(namespace, key, {
            ...idle,
            container: {
              Secrets: [secretReference(namespace, 'key', 'token'), secretReference(namespace, 'other')],
              Configs: [configReference(namespace, 'conf', '/etc/conf')],
            },
          }),
        ),
      ],
    })
  const files = (namespace: string, config: string, secret = 's3cret'): StackSpec =>
    aStackSpec(namespace, {
      secrets: [aFileObject(namespace, 'key', secret)],
      configs: [aFileObject(namespace, 'conf', config)],
    })

  test('a changed content gets a new name, and only the services that use it follow; and back again', async () => {
    const namespace = fresh()
    const [key, conf] = [`${namespace}_key`, `${namespace}_conf`]
    await deploy(both(namespace, 'one', 'first'))
    const before = await containerOf(`${namespace}_web`)
    const aside = await containerOf(`${namespace}_aside`)
    const rotated = run()
    const deployment = await rotated.deploy(both(namespace, 'two', 'second'))
    const newKey = deployment.objects.find((object) => object.key === 'key')?.name ?? ''
    const newConf = configName(conf, 'second')
    assert.match(newKey, new RegExp(`^${key}-[0-9a-f]{8}$`))
    assert.deepEqual(deployment.objects, [
      { kind: 'secret', key: 'key', name: newKey },
      { kind: 'secret', key: 'other', name: `${namespace}_other` },
      { kind: 'config', key: 'conf', name: newConf },
    ])
    const follows = `configs[${newConf}], configs[${conf}], secrets[${newKey}], secrets[${key}]`
    assert.deepEqual(words(deployment), [
      `rotate secret ${newKey}: supersedes[${key}]`,
      `rotate config ${newConf}: supersedes[${conf}]`,
      `update service ${namespace}_web: ${follows}`,
      `update service ${namespace}_worker: ${follows}`,
    ])
    assert.equal(rotated.log[0], `Creating secret ${newKey}, in place of ${key}`)
    const [secret] = (await secretsOf(newKey)).map(({ ID }) => ID)
    const [config] = (await configsOf(newConf)).map(({ ID }) => ID)
    const after = await containerOf(`${namespace}_web`)
    assert.deepEqual(
      after.Secrets,
      before.Secrets?.map((reference) =>
        reference.SecretName === key ? { ...reference, SecretName: newKey, SecretID: secret } : reference,
      ),
    )
    assert.deepEqual(
      after.Configs,
      before.Configs?.map((reference) => ({ ...reference, ConfigName: newConf, ConfigID: config })),
    )
    assert.deepEqual(await containerOf(`${namespace}_aside`), aside)

    const again = run()
    assert.deepEqual((await again.deploy(both(namespace, 'two', 'second'))).changes, [])
    assert.equal(again.journal.wroteAnything, false)

    const back = await deploy(both(namespace, 'one', 'first'))
    assert.deepEqual(
      back.changes.map(({ kind, name }) => `${kind} ${name}`),
      [`service ${namespace}_web`, `service ${namespace}_worker`],
    )
    assert.deepEqual(await containerOf(`${namespace}_web`), before)
    const forth = await deploy(both(namespace, 'two', 'second'))
    assert.deepEqual(forth.objects, deployment.objects)
    assert.deepEqual(
      forth.changes.map(({ kind }) => kind),
      ['service', 'service'],
    )
    // What was in use until now is what the next one takes the place of.
    const third = await deploy(both(namespace, 'two', 'third'))
    assert.equal(words(third)[0], `rotate config ${configName(conf, 'third')}: supersedes[${newConf}]`)
    assert.equal((await configsOf(conf)).length, 3)
  })

  test('salt and digest of a secret are in its labels and in nothing that is said', async () => {
    const namespace = fresh()
    const runs = [run(), run(), run()]
    const said: unknown[] = []
    for (const [index, { deploy, log, journal }] of runs.entries()) {
      const deployment = await deploy(both(namespace, `planted content ${index}`, 'same'))
      said.push(log, journal.report(), deployment.changes, deployment.objects)
    }
    const labels = (await secretsOf(`${namespace}_key`)).map(({ Spec }) => Spec.Labels?.[DIGEST_LABEL] ?? '')
    assert.equal(labels.length, 3)
    for (const label of labels) {
      assert.match(label, /^[0-9a-f]{32}:[0-9a-f]{64}$/)
      for (const part of label.split(':')) assert.ok(!JSON.stringify(said).includes(part))
    }
    assert.doesNotMatch(JSON.stringify(said), /planted/)
    const [other] = await secretsOf(`${namespace}_other`)
    assert.notEqual(other?.Spec.Labels?.[DIGEST_LABEL]?.split(':')[0], labels[0]?.split(':')[0])
  })

  test('without rotation a changed content is refused, but a generation that has it will do', async () => {
    const namespace = fresh()
    await deploy(files(namespace, 'first', 'one'))
    const second = await deploy(files(namespace, 'second', 'two'))
    const fixed = run(engine, { rotate: false })
    assert.deepEqual((await fixed.deploy(files(namespace, 'second', 'two'))).objects, second.objects)
    const error = await refusal(fixed.deploy(files(namespace, 'third', 'three')))
    assert.deepEqual(
      error.problems.map(({ code, message, position }) => [code, /the (\w+) "\w+"/.exec(message)?.[0], position?.line]),
      [
        ['conflict', `the secret "${namespace}_key"`, 40],
        ['conflict', `the config "${namespace}_conf"`, 40],
      ],
    )
    assert.match(error.remedy ?? '', /"rotate: true"/)
    assert.equal(fixed.journal.wroteAnything, false)
  })

  test('a secret that someone else made is compared without a write: adopted if it is the same, else superseded', async () => {
    const namespace = fresh()
    const name = `${namespace}_key`
    const Labels = { [NAMESPACE_LABEL]: namespace }
    await engine.createSecret({ Name: name, Labels, Data: base64('theirs') })
    const [stranger] = await secretsOf(name)
    const fixed = run(engine, { rotate: false })
    const error = await refusal(fixed.deploy(files(namespace, 'first', 'ours')))
    assert.match(error.message, /the content of the secret/)
    assert.equal(fixed.journal.wroteAnything, false)

    const rotated = await deploy(files(namespace, 'first', 'ours'))
    const next = rotated.objects[0]?.name ?? ''
    assert.match(next, new RegExp(`^${name}-[0-9a-f]{8}$`))
    assert.deepEqual((await deploy(files(namespace, 'first', 'ours'))).changes, [])
    assert.deepEqual(
      (await secretsOf(name)).find(({ Spec }) => Spec.Name === name),
      stranger,
    )

    const adopted = await deploy(files(namespace, 'first', 'theirs'))
    assert.deepEqual(words(adopted), [`update secret ${name}: labels[${DIGEST_LABEL}]`])
    assert.equal(adopted.objects[0]?.name, name)
    const [now] = (await secretsOf(name)).filter(({ Spec }) => Spec.Name === name)
    assert.deepEqual(Object.keys(now?.Spec.Labels ?? {}).sort(), [NAMESPACE_LABEL, DIGEST_LABEL].sort())
    assert.deepEqual((await deploy(files(namespace, 'first', 'theirs'))).changes, [])
  })

  test('what belongs to no stack is adopted by its labels alone, if its content is right, and left otherwise', async () => {
    const namespace = fresh()
    const [key, conf] = [`${namespace}_key`, `${namespace}_conf`]
    await engine.createSecret({ Name: key, Labels: { mine: 'x' }, Data: base64('s3cret') })
    await engine.createConfig({ Name: conf, Data: base64('hello') })
    const other = await deploy({ ...files(namespace, 'changed'), secrets: [] })
    assert.deepEqual(words(other), [`rotate config ${configName(conf, 'changed')}: supersedes[${conf}]`])
    const [left] = (await configsOf(conf)).filter(({ Spec }) => Spec.Name === conf)
    assert.deepEqual(left?.Spec.Labels ?? {}, {})

    await deploy(files(namespace, 'hello'))
    const [secret] = await secretsOf(key)
    const [config] = (await configsOf(conf)).filter(({ Spec }) => Spec.Name === conf)
    assert.deepEqual(Object.keys(secret?.Spec.Labels ?? {}).sort(), [NAMESPACE_LABEL, DIGEST_LABEL].sort())
    assert.deepEqual(config?.Spec.Labels, { [NAMESPACE_LABEL]: namespace })
    assert.deepEqual((await deploy(files(namespace, 'hello'))).changes, [])
    const [generation] = await configsOf(configName(conf, 'changed'))
    assert.match(generation?.Spec.Labels?.[CREATED_LABEL] ?? '', /Z$/)
  })

  test('a name that something else has is passed by with more digits, and look-alikes are not generations', async () => {
    const namespace = fresh()
    const conf = `${namespace}_conf`
    const taken = configName(conf, 'second')
    const longer = `${conf}-${createHash('sha256').update('second').digest('hex').slice(0, 9)}`
    await deploy(files(namespace, 'first'))
    await engine.createConfig({ Name: taken, Data: base64('something else') })
    const strange = (await configsOf(taken))[0]?.ID ?? ''
    try {
      const lookAlike = aFileObject(namespace, 'conf-deadbeef', 'third')
      const spec = (content: string) => ({
        ...files(namespace, content),
        configs: [aFileObject(namespace, 'conf', content), lookAlike],
      })
      assert.equal((await deploy(spec('second'))).objects[1]?.name, longer)
      assert.deepEqual((await deploy(spec('second'))).changes, [])
      assert.equal((await deploy(spec('third'))).objects[1]?.name, configName(conf, 'third'))
    } finally {
      await engine.removeConfig(strange)
    }
  })

  test('when the plain name is gone, the generation in use stays; the next content takes the free name', async () => {
    const namespace = fresh()
    const conf = `${namespace}_conf`
    await deploy(both(namespace, 'one', 'first'))
    await deploy(both(namespace, 'one', 'second'))
    const [plain] = (await configsOf(conf)).filter(({ Spec }) => Spec.Name === conf)
    await engine.removeConfig(plain?.ID ?? '')
    assert.deepEqual((await deploy(both(namespace, 'one', 'second'))).changes, [])
    const third = await deploy(both(namespace, 'one', 'third'))
    assert.equal(words(third)[0], `rotate config ${conf}: supersedes[${configName(conf, 'second')}]`)
  })

  test('a name too long for another generation is refused before anything is written', async () => {
    const namespace = fresh()
    const Name = `${namespace}_`.padEnd(56, 'x')
    const spec = (content: string): StackSpec => {
      const object = aFileObject(namespace, 'long', content)
      return aStackSpec(namespace, { configs: [{ ...object, name: Name, spec: { ...object.spec, Name } }] })
    }
    await deploy(spec('first'))
    const { deploy: second, journal } = run()
    const error = await refusal(second(spec('second')))
    assert.match(error.message, new RegExp(`the content of the config "${Name}" changed.*65 characters.*at most 64`))
    assert.match(error.remedy ?? '', /at most 55 characters/)
    assert.equal(error.position?.line, 40)
    assert.equal(journal.wroteAnything, false)
  })

  test('what a template makes is never rotated', async () => {
    const namespace = fresh()
    const spec = (content: string, isTemplate = true): StackSpec => {
      const templated = (key: string) => {
        const object = aFileObject(namespace, key, content)
        return isTemplate ? { ...object, spec: { ...object.spec, Templating: { Name: 'golang' } } } : object
      }
      return aStackSpec(namespace, { secrets: [templated('key')], configs: [templated('conf')] })
    }
    await deploy(spec('first'))
    assert.deepEqual((await deploy(spec('first'))).changes, [])
    for (const changed of [spec('second'), spec('first', false)]) {
      const { deploy: again, journal } = run()
      const error = await refusal(again(changed))
      assert.equal(error.problems.length, 2)
      for (const { message } of error.problems) assert.match(message, /driver or template is never rotated/)
      assert.equal(journal.wroteAnything, false)
    }
  })

  test('a generation that another run made meanwhile will do; one of another stack ends the run', async () => {
    const namespace = fresh()
    await deploy(files(namespace, 'first', 'one'))
    const same = files(namespace, 'second', 'two')
    const { deploy: raced, journal } = run(racing(engine, 'createSecret', () => deploy(same)))
    const deployment = await raced(same)
    assert.deepEqual(journal.report().unknown, [])
    assert.deepEqual((await deploy(same)).changes, [])
    assert.deepEqual((await deploy(same)).objects, deployment.objects)

    const name = configName(`${namespace}_conf`, 'third')
    const stranger = { Name: name, Labels: { [NAMESPACE_LABEL]: `${namespace}x` }, Data: base64('third') }
    const lost = run(racing(engine, 'createConfig', () => engine.createConfig(stranger)))
    try {
      const error = await refusal(lost.deploy(files(namespace, 'third', 'two')))
      assert.equal(error.code, 'conflict')
      assert.match(error.message, new RegExp(`config "${name}" was created by someone else while`))
      assert.deepEqual(lost.journal.report().applied, [])
    } finally {
      for (const { ID } of await configsOf(name)) await engine.removeConfig(ID)
    }
  })

  test('services alone find the generation with their content, and are refused where there is none', async () => {
    const namespace = fresh()
    await deploy(both(namespace, 'one', 'first'))
    const second = await deploy(both(namespace, 'one', 'second'))
    const services = (spec: StackSpec) => new Backend(engine, { rotate: true }).applyServices(spec, 'never')
    assert.deepEqual((await services(both(namespace, 'one', 'second'))).changes, [])
    assert.deepEqual(
      (await services(both(namespace, 'one', 'first'))).changes.map(({ kind }) => kind),
      ['service', 'service'],
    )
    assert.deepEqual((await services(both(namespace, 'one', 'second'))).objects, second.objects)
    const error = await refusal(services(both(namespace, 'one', 'third')))
    assert.equal(error.code, 'missing-resource')
    assert.match(error.message, new RegExp(configName(`${namespace}_conf`, 'third')))
  })

  test('the config of a credential specification rotates, too', async () => {
    const namespace = fresh()
    const conf = `${namespace}_conf`
    const spec = (content: string): StackSpec =>
      aStackSpec(namespace, {
        configs: [aFileObject(namespace, 'conf', content)],
        services: [
          aServiceObject(namespace, 'web', {
            ...idle,
            container: {
              Privileges: {
                CredentialSpec: { Config: conf },
                SELinuxContext: null,
                NoNewPrivileges: false,
              },
              Configs: [{ Runtime: {}, ConfigID: '', ConfigName: conf }],
            },
          }),
        ],
      })
    await deploy(spec('{"first": 1}'))
    const { changes } = await deploy(spec('{"second": 2}'))
    const next = configName(conf, '{"second": 2}')
    assert.deepEqual(
      changes.map(({ action, kind }) => `${action} ${kind}`),
      ['rotate config', 'update service'],
    )
    const [config] = await configsOf(next)
    const { Privileges, Configs } = await containerOf(`${namespace}_web`)
    assert.deepEqual(
      [Privileges?.CredentialSpec?.Config, Configs?.map(({ ConfigID }) => ConfigID)],
      [config?.ID, [config?.ID]],
    )
    assert.deepEqual((await deploy(spec('{"second": 2}'))).changes, [])
  })
}
