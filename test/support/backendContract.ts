// What the Backend promises, whatever swarm is behind the engine: run on the in-memory one and on a real one.
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import type { BackendOptions } from '../../src/backend/options.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { CREATED_LABEL, DIGEST_LABEL, NAMESPACE_LABEL, RETRY_LABEL } from '../../src/swarm/names.ts'
import type { Service, ServiceSpec } from '../../src/swarm/service.ts'
import { isTerminal, type Task } from '../../src/swarm/task.ts'
import { everyField } from './everyField.ts'
import { heardBackend } from './heardBackend.ts'
import { limitsContract } from './limitsContract.ts'
import { methodsContract } from './methodsContract.ts'
import { pruneContract } from './pruneContract.ts'
import { raceContract } from './raceContract.ts'
import { answering, losingAnswer, losingCall, racing } from './racing.ts'
import { refusal } from './refusal.ts'
import { restoreContract } from './restoreContract.ts'
import { rotationContract } from './rotationContract.ts'
import { stackNames } from './stackNames.ts'
import {
  aFileObject,
  aNetworkObject,
  anExternalObject,
  aServiceObject,
  aStackSpec,
  base64,
  configReference,
  type ServiceParts,
  secretReference,
} from './stackSpecs.ts'
import { until } from './until.ts'

/** @param prefix of the stacks' names, so that a shared swarm shows whose they are */
export function backendContract(title: string, engine: Engine, prefix: string): void {
  /** A stack name that no other test uses; the stack is removed after the test. */
  const { fresh, takeUsed } = stackNames(prefix)
  const run = (on: Engine = engine, options: BackendOptions = {}) => heardBackend(on, options)
  const deploy = (spec: StackSpec) => run().backend.deployStack(spec, 'never')
  const live = async (name: string): Promise<Service> => {
    const found = (await engine.listServices({ name: [name] })).find(({ Spec }) => Spec.Name === name)
    assert.ok(found, `there is no service ${name}`)
    return found
  }
  const tasksOf = async ({ ID }: Service): Promise<readonly Task[]> =>
    (await engine.listTasks({ service: [ID] })).filter((task) => task.ServiceID === ID)
  const one = (namespace: string, parts: ServiceParts = {}, key = 'web'): StackSpec =>
    aStackSpec(namespace, { services: [aServiceObject(namespace, key, parts)] })
  /** Another client's write. */
  const overwrite = async (name: string, change: (spec: ServiceSpec) => ServiceSpec): Promise<void> => {
    const { ID, Version, Spec } = await live(name)
    await engine.updateService(ID, Version.Index, change(Spec))
  }

  /**
   * An engine on which the stack was just removed: its first look at the networks shows one that is gone. A real engine's lists do so
   * by themselves until the last task has ended, which is a matter of luck.
   */
  const removedButListed = async (spec: StackSpec): Promise<Engine> => {
    await deploy(spec)
    const listed = await engine.listNetworks()
    await until('the stack is gone', async () => {
      await run()
        .backend.removeStack(spec.namespace)
        .catch(() => {})
      return (await engine.listNetworks({ label: [`${NAMESPACE_LABEL}=${spec.namespace}`] })).length === 0
    })
    return answering(engine, 'listNetworks', listed, 2)
  }

  describe(title, { concurrency: false }, () => {
    afterEach(async () => {
      for (const namespace of takeUsed()) {
        await run().backend.removeOverlayNetwork(namespace)
        // Removed networks stay in the list for a while, and the next run of the suite must not find them.
        await until(`${namespace} is gone`, async () => {
          const failed = await run()
            .backend.removeStack(namespace)
            .then(
              () => false,
              () => true,
            )
          const left = await engine.listNetworks({ label: [`${NAMESPACE_LABEL}=${namespace}`] })
          return !failed && left.length === 0
        })
      }
    })

    test('a stack is created in order, and deployed again it is left alone', async () => {
      const namespace = fresh()
      const spec = aStackSpec(namespace, {
        networks: [aNetworkObject(namespace, 'front', { Attachable: true })],
        secrets: [aFileObject(namespace, 'key', 's3cret')],
        configs: [aFileObject(namespace, 'conf', 'hello')],
        services: [
          aServiceObject(namespace, 'agent', { spec: { Mode: { Global: {} } } }),
          aServiceObject(namespace, 'web', {
            container: {
              Secrets: [secretReference(namespace, 'key')],
              Configs: [configReference(namespace, 'conf', '/conf')],
            },
            template: { Networks: [{ Target: `${namespace}_front`, Aliases: ['web'] }] },
          }),
        ],
      })
      const first = run()
      const deployment = await first.backend.deployStack(spec, 'never')
      assert.deepEqual(
        deployment.changes.map(({ kind, name, action }) => `${action} ${kind} ${name}`),
        [
          `create network ${namespace}_front`,
          `create secret ${namespace}_key`,
          `create config ${namespace}_conf`,
          `create service ${namespace}_agent`,
          `create service ${namespace}_web`,
        ],
      )
      assert.deepEqual(first.log, [
        `Creating network ${namespace}_front`,
        `Creating secret ${namespace}_key`,
        `Creating config ${namespace}_conf`,
        `Creating service ${namespace}_agent`,
        `Creating service ${namespace}_web`,
      ])
      assert.equal(first.journal.report().applied.length, 5)
      assert.deepEqual(first.journal.report().unknown, [])
      const before = await live(`${namespace}_web`)
      assert.deepEqual(
        deployment.services.map(({ key, written }) => [key, written]),
        [
          ['agent', true],
          ['web', true],
        ],
      )
      assert.equal(deployment.services[1]?.id, before.ID)

      const second = run()
      const again = await second.backend.deployStack(spec, 'never')
      assert.deepEqual(again.changes, [])
      assert.equal(second.journal.wroteAnything, false)
      assert.deepEqual(
        again.services.map(({ id, written }) => [id, written]),
        deployment.services.map(({ id }) => [id, false]),
      )
      assert.deepEqual(second.log, ['Left alone, already as wanted: agent, web'])
      assert.deepEqual((await live(`${namespace}_web`)).Spec, before.Spec)
    })

    test('a stack that uses every compared field writes nothing when it is deployed again', async () => {
      const spec = everyField(fresh())
      await deploy(spec)
      const before = new Map<string, string>()
      for (const { name } of spec.services) before.set(name, JSON.stringify((await live(name)).Spec))
      const second = run()
      assert.deepEqual((await second.backend.deployStack(spec, 'never')).changes, [])
      assert.equal(second.journal.wroteAnything, false)
      assert.deepEqual(second.warnings, [])
      for (const { name } of spec.services) assert.equal(JSON.stringify((await live(name)).Spec), before.get(name))
    })

    test('an update names the fields that differ, and keeps the counter of forced updates', async () => {
      const namespace = fresh()
      await deploy(one(namespace, { container: { Env: ['A=1', 'B=2'] } }))
      await overwrite(`${namespace}_web`, (spec) => ({
        ...spec,
        TaskTemplate: { ...spec.TaskTemplate, ForceUpdate: 4 },
      }))
      const wanted = one(namespace, {
        image: 'tb/ok:2',
        container: { Env: ['A=1', 'B=3'] },
        spec: { Mode: { Replicated: { Replicas: 2 } }, Labels: { team: 'shop' } },
      })
      const before = await live(`${namespace}_web`)
      const { backend, log } = run()
      const { changes, services } = await backend.deployStack(wanted, 'never')
      assert.deepEqual(changes, [
        {
          kind: 'service',
          name: `${namespace}_web`,
          action: 'update',
          fields: ['env[B]', 'image', 'labels[team]', 'replicas'],
        },
      ])
      assert.deepEqual(log, [`Updating service ${namespace}_web: env[B], image, labels[team], replicas`])
      const after = await live(`${namespace}_web`)
      assert.equal(after.Spec.TaskTemplate.ForceUpdate, 4)
      assert.deepEqual([services[0]?.id, services[0]?.written], [before.ID, true])
      assert.ok((services[0]?.previousUpdatedAt ?? '') < after.UpdatedAt)
      assert.deepEqual((await deploy(wanted)).changes, [])
    })

    test('what someone else changed is put back', async () => {
      const namespace = fresh()
      await deploy(one(namespace))
      await overwrite(`${namespace}_web`, (spec) => ({ ...spec, Mode: { Replicated: { Replicas: 0 } } }))
      assert.deepEqual(
        (await deploy(one(namespace))).changes.map(({ action, fields }) => [action, fields]),
        [['update', ['replicas']]],
      )
    })

    test('labels of our own survive; those of secrets and configs are written only if they differ', async () => {
      const namespace = fresh()
      const files = (labels: Readonly<Record<string, string>>) =>
        aStackSpec(namespace, {
          secrets: [aFileObject(namespace, 'key', 's3cret', labels)],
          configs: [aFileObject(namespace, 'conf', 'hello', labels)],
        })
      await deploy(files({}))
      const stored = async () => {
        const [secret] = await engine.listSecrets({ name: [`${namespace}_key`] })
        const [config] = await engine.listConfigs({ name: [`${namespace}_conf`] })
        return { secret, config }
      }
      const first = await stored()
      assert.match(first.secret?.Spec.Labels?.[DIGEST_LABEL] ?? '', /^[0-9a-f]{32}:[0-9a-f]{64}$/)
      assert.match(first.config?.Spec.Labels?.[CREATED_LABEL] ?? '', /^\d{4}-\d\d-\d\dT.*Z$/)
      assert.deepEqual((await deploy(files({}))).changes, [])
      assert.deepEqual(
        (await deploy(files({ team: 'shop' }))).changes.map(({ kind, action, fields }) => [kind, action, fields]),
        [
          ['secret', 'update', ['labels[team]']],
          ['config', 'update', ['labels[team]']],
        ],
      )
      const second = await stored()
      assert.deepEqual(second.secret?.Spec.Labels, { ...first.secret?.Spec.Labels, team: 'shop' })
      assert.deepEqual(second.config?.Spec, {
        ...first.config?.Spec,
        Labels: { ...first.config?.Spec.Labels, team: 'shop' },
      })
    })

    test('changed contents are refused before anything is written', async () => {
      const namespace = fresh()
      const spec = (secret: string, config: string) =>
        aStackSpec(namespace, {
          networks: [aNetworkObject(namespace, 'late')],
          secrets: [aFileObject(namespace, 'key', secret)],
          configs: [aFileObject(namespace, 'conf', config)],
        })
      await deploy({ ...spec('s3cret', 'hello'), networks: [] })
      const { backend, journal } = run()
      const error = await refusal(backend.deployStack(spec('other', 'changed'), 'never'))
      assert.equal(error.code, 'conflict')
      assert.deepEqual(
        error.problems.map(({ message, position }) => [/the (\w+) "([\w]+)"/.exec(message)?.slice(1), position?.line]),
        [
          [['secret', `${namespace}_key`], 40],
          [['config', `${namespace}_conf`], 40],
        ],
      )
      assert.match(error.remedy ?? '', /name: \w+_key-v2/)
      assert.equal(journal.wroteAnything, false)
      assert.equal(error.message.includes('other'), false)
    })

    rotationContract(engine, fresh)
    pruneContract(engine, fresh)
    limitsContract(engine, fresh)
    methodsContract(engine, fresh)
    restoreContract(engine, fresh)
    raceContract(engine, fresh)

    test('everything external that is missing is named at once, with the command that makes it', async () => {
      const namespace = fresh()
      const spec = aStackSpec(namespace, {
        networks: [anExternalObject(`${namespace}-net`), anExternalObject('host'), aNetworkObject(namespace, 'own')],
        secrets: [anExternalObject(`${namespace}-secret`)],
        configs: [anExternalObject(`${namespace}-config`)],
        services: [aServiceObject(namespace, 'web')],
      })
      const { backend, journal } = run()
      const error = await refusal(backend.deployStack(spec, 'never'))
      assert.equal(error.code, 'missing-resource')
      assert.deepEqual(
        error.problems.map(({ remedy }) => remedy),
        [
          `Create it: docker network create --driver overlay --attachable ${namespace}-net`,
          `Create it: docker secret create ${namespace}-secret FILE`,
          `Create it: docker config create ${namespace}-config FILE`,
        ],
      )
      assert.equal(journal.wroteAnything, false)
    })

    test('objects of another stack are not touched', async () => {
      const [mine, theirs] = [fresh(), fresh()]
      const named = { Name: `${mine}_net`, Labels: { [NAMESPACE_LABEL]: theirs } }
      await engine.createNetwork({ ...named, Driver: 'overlay' })
      await engine.createConfig({ Name: `${mine}_conf`, Labels: { [NAMESPACE_LABEL]: theirs }, Data: base64('hello') })
      await engine.createService({ ...aServiceObject(theirs, 'web').spec, Name: `${mine}_web` })
      const spec = aStackSpec(mine, {
        networks: [aNetworkObject(mine, 'net')],
        configs: [aFileObject(mine, 'conf', 'hello')],
        services: [aServiceObject(mine, 'web')],
      })
      const { backend, journal } = run()
      const error = await refusal(backend.deployStack(spec, 'never'))
      assert.equal(error.code, 'conflict')
      assert.deepEqual(
        error.problems.map(({ message }) => message.includes(`"${theirs}"`)),
        [true, true, true],
      )
      assert.equal(journal.wroteAnything, false)
    })

    test('a network that exists with other settings stays, with one warning', async () => {
      const namespace = fresh()
      const spec = (settings: object) =>
        aStackSpec(namespace, { networks: [aNetworkObject(namespace, 'front', settings)] })
      await deploy(spec({ Attachable: true }))
      const { backend, warnings, journal } = run()
      await backend.deployStack(spec({ Internal: true, Options: { encrypted: '' } }), 'never')
      assert.equal(journal.wroteAnything, false)
      assert.equal(warnings.length, 1)
      assert.match(warnings[0]?.message ?? '', /attachable true instead of false, internal false instead of true/)
    })

    test('a network that is still being removed is waited for and created again', async () => {
      const namespace = fresh()
      const name = `${namespace}_front`
      const attached = { template: { Networks: [{ Target: name }] } }
      const spec = aStackSpec(namespace, {
        networks: [aNetworkObject(namespace, 'front')],
        services: [aServiceObject(namespace, 'web', attached), aServiceObject(namespace, 'worker', attached)],
      })
      const removed = await removedButListed(spec)
      const { backend, log, journal, warnings } = run(removed)
      const { changes } = await backend.deployStack(spec, 'never')
      const words = changes.map((change) => `${change.action} ${change.kind} ${change.name}`)
      assert.deepEqual(words, [
        `create network ${name}`,
        `create service ${namespace}_web`,
        `create service ${namespace}_worker`,
      ])
      assert.deepEqual(
        log.filter((line) => line.includes('etwork')),
        [
          `Network ${name} is still being removed: it is created again as soon as it is gone`,
          `Creating network ${name}`,
        ],
      )
      assert.deepEqual(warnings, [])
      assert.equal(journal.report().applied.length, 3)
      assert.deepEqual((await deploy(spec)).changes, [])
    })

    test('a write that only lost its version is repeated', async () => {
      const namespace = fresh()
      await deploy(one(namespace))
      const same = racing(engine, 'updateService', () => overwrite(`${namespace}_web`, (spec) => spec))
      const { backend, races } = run(same)
      await backend.deployStack(one(namespace, { image: 'tb/ok:2' }), 'never')
      assert.deepEqual(races, [])
      assert.equal((await live(`${namespace}_web`)).Spec.TaskTemplate.ContainerSpec?.Image, 'tb/ok:2')
    })

    test('a race that another run of the same stack has won is no failure', async () => {
      const namespace = fresh()
      await deploy(one(namespace))
      const wanted = one(namespace, { image: 'tb/ok:2' })
      const updated = run(racing(engine, 'updateService', () => deploy(wanted)))
      const deployment = await updated.backend.deployStack(wanted, 'never')
      assert.equal(deployment.services[0]?.written, true)
      assert.deepEqual(updated.races, [`${namespace}_web`])

      const both = aStackSpec(namespace, {
        networks: [aNetworkObject(namespace, 'front')],
        secrets: [aFileObject(namespace, 'key', 's3cret')],
        configs: [aFileObject(namespace, 'conf', 'hello')],
        services: [...wanted.services, aServiceObject(namespace, 'worker')],
      })
      const created = run(racing(engine, 'createNetwork', () => deploy(both)))
      await created.backend.deployStack(both, 'never')
      assert.deepEqual(created.journal.report().unknown, [])
    })

    test('what someone else wrote meanwhile is left, and ends the run', async () => {
      const namespace = fresh()
      await deploy(one(namespace))
      const stranger = (spec: ServiceSpec): ServiceSpec => ({ ...spec, Mode: { Replicated: { Replicas: 2 } } })
      const { backend, races, warnings, journal } = run(
        racing(engine, 'updateService', () => overwrite(`${namespace}_web`, stranger)),
      )
      const error = await refusal(backend.deployStack(one(namespace, { image: 'tb/ok:2' }), 'never'))
      assert.equal(error.code, 'conflict')
      assert.match(error.message, new RegExp(`service ${namespace}_web was changed by someone else`))
      assert.deepEqual(races, [`${namespace}_web`])
      assert.equal(warnings.length, 1)
      assert.deepEqual(journal.report().applied, [])
      const { Spec: spec } = await live(`${namespace}_web`)
      assert.equal(spec.Mode?.Replicated?.Replicas, 2)
      assert.equal(spec.TaskTemplate.ContainerSpec?.Image, 'tb/ok:1')
    })

    test('of two deployments at once each service is wholly one or the other, and at least one fails', async () => {
      const namespace = fresh()
      const keys = ['a', 'b', 'c', 'd', 'e', 'f']
      const wanted = (mark: string): StackSpec =>
        aStackSpec(namespace, {
          services: keys.map((key) =>
            aServiceObject(namespace, key, {
              container: { Env: [`MARK=${mark}`] },
              spec: { Mode: { Replicated: { Replicas: 0 } }, Labels: { mark } },
            }),
          ),
        })
      for (const call of ['createService', 'updateService'] as const) {
        // Both have looked at the swarm before either writes.
        let waiting = 0
        let open = (): void => {}
        const bothAreThere = new Promise<void>((resolve) => {
          open = resolve
        })
        const meet = async (): Promise<void> => {
          if (++waiting === 2) open()
          await bothAreThere
        }
        const runs = [`${call}-one`, `${call}-two`].map((mark) =>
          run(racing(engine, call, meet)).backend.deployStack(wanted(mark), 'never'),
        )
        const results = await Promise.allSettled(runs)
        const failed = results.filter((result) => result.status === 'rejected')
        assert.notEqual(failed.length, 0)
        for (const { reason } of failed) assert.equal(reason.code, 'conflict')
        for (const { Spec: spec } of await engine.listServices({ name: [`${namespace}_`] })) {
          assert.deepEqual(spec.TaskTemplate.ContainerSpec?.Env, [`MARK=${spec.Labels?.mark}`])
        }
        await deploy(wanted('settled'))
      }
    })

    test('a service that was removed meanwhile ends the run', async () => {
      const namespace = fresh()
      await deploy(one(namespace))
      const { ID } = await live(`${namespace}_web`)
      const { backend } = run(racing(engine, 'updateService', () => engine.removeService(ID)))
      const error = await refusal(backend.deployStack(one(namespace, { image: 'tb/ok:2' }), 'never'))
      assert.equal(error.code, 'conflict')
      assert.match(error.message, /was removed by someone else/)
    })

    test('a call whose answer is lost is not made twice, and one that is lost is made again', async () => {
      for (const lose of [losingAnswer, losingCall]) {
        const namespace = fresh()
        const spec = aStackSpec(namespace, {
          networks: [aNetworkObject(namespace, 'front')],
          secrets: [aFileObject(namespace, 'key', 's3cret')],
          configs: [aFileObject(namespace, 'conf', 'hello')],
          services: [
            aServiceObject(namespace, 'web', {
              container: {
                Secrets: [secretReference(namespace, 'key')],
                Configs: [configReference(namespace, 'conf', '/conf')],
              },
              template: { Networks: [{ Target: `${namespace}_front`, Aliases: ['web'] }] },
            }),
          ],
        })
        const kinds = ['createNetwork', 'createSecret', 'createConfig', 'createService'] as const
        const created = run(kinds.reduce<Engine>((on, kind) => lose(on, kind), engine))
        const deployment = await created.backend.deployStack(spec, 'never')
        assert.deepEqual(created.journal.report().unknown, [])
        assert.equal(deployment.services[0]?.id, (await live(`${namespace}_web`)).ID)
        const updated = run(lose(engine, 'updateService'))
        await updated.backend.deployStack(
          { ...spec, services: [aServiceObject(namespace, 'web', { image: 'tb/ok:2' })] },
          'never',
        )
        assert.equal((await live(`${namespace}_web`)).Spec.TaskTemplate.ContainerSpec?.Image, 'tb/ok:2')
        assert.deepEqual(updated.races, [])
        assert.deepEqual(updated.journal.report().unknown, [])
      }
    })

    test('a run that is stopped writes nothing more', async () => {
      const namespace = fresh()
      const stop = new AbortController()
      const spec = aStackSpec(namespace, {
        networks: [aNetworkObject(namespace, 'front')],
        services: [aServiceObject(namespace, 'web')],
      })
      const stopping = racing(engine, 'createNetwork', async () => stop.abort(new Error('the run was cancelled')))
      const { backend, journal } = run(stopping, { signal: stop.signal })
      const error = await refusal(backend.deployStack(spec, 'never'))
      assert.equal(error.code, 'cancelled')
      assert.deepEqual(journal.report(), {
        applied: [`network ${namespace}_front`],
        notApplied: [`service ${namespace}_web`],
        unknown: [],
      })
    })

    test('a paused update at the wanted spec goes on when it is deployed again', async () => {
      const namespace = fresh()
      const pausing = (image: string): StackSpec =>
        one(namespace, {
          image,
          template: { RestartPolicy: { Condition: 'any', Delay: 200_000_000 } },
          spec: {
            UpdateConfig: { Parallelism: 1, Monitor: 1_000_000_000, FailureAction: 'pause', Order: 'stop-first' },
          },
        })
      await deploy(pausing('tb/ok:1'))
      const running = async (): Promise<boolean> =>
        (await tasksOf(await live(`${namespace}_web`))).some((task) => task.Status.State === 'running')
      await until('it runs', running)
      await deploy(pausing('tb/crash:1'))
      await until('the update is paused', async () => (await live(`${namespace}_web`)).UpdateStatus?.State === 'paused')
      const { backend, log } = run()
      const { changes } = await backend.deployStack(pausing('tb/crash:1'), 'never')
      assert.deepEqual(changes, [{ kind: 'service', name: `${namespace}_web`, action: 'retry', fields: [] }])
      assert.deepEqual(log, [`Starting again service ${namespace}_web`])
      // Not the very spec that Swarm had: while its updater winds down it would forget that.
      assert.equal((await live(`${namespace}_web`)).Spec.Labels?.[RETRY_LABEL], '1')
      assert.deepEqual(
        (await deploy(pausing('tb/crash:1'))).changes.filter(({ action }) => action === 'update'),
        [],
      )
    })

    test('a one-shot runs once; one that failed is started again', async () => {
      const namespace = fresh()
      const once = { template: { RestartPolicy: { Condition: 'none' as const } } }
      const spec = aStackSpec(namespace, {
        services: [
          aServiceObject(namespace, 'broken', { image: 'tb/crash:1', ...once }),
          aServiceObject(namespace, 'done', { image: 'tb/job:1', ...once }),
          aServiceObject(namespace, 'tired', {
            image: 'tb/crash:1',
            template: { RestartPolicy: { Condition: 'on-failure', MaxAttempts: 1, Delay: 100_000_000 } },
          }),
        ],
      })
      await deploy(spec)
      const ended = async (key: string): Promise<boolean> => {
        const tasks = await tasksOf(await live(`${namespace}_${key}`))
        return tasks.length > 0 && tasks.every((task) => isTerminal(task.Status.State) && isTerminal(task.DesiredState))
      }
      const allEnded = async (): Promise<boolean> =>
        (await ended('broken')) &&
        (await ended('done')) &&
        (await ended('tired')) &&
        (await tasksOf(await live(`${namespace}_tired`))).length === 2
      await until('all three have ended', allEnded)
      const before = (await tasksOf(await live(`${namespace}_broken`))).length
      const { changes } = await deploy(spec)
      assert.deepEqual(
        changes.map(({ name, action }) => [name, action]),
        [
          [`${namespace}_broken`, 'retry'],
          [`${namespace}_tired`, 'retry'],
        ],
      )
      await until('a new task is there', async () => (await tasksOf(await live(`${namespace}_broken`))).length > before)
    })

    test('what Swarm has given up is started again by a write that replaces no task, too', async () => {
      const namespace = fresh()
      const once = (key: string, image: string, team: string) =>
        aServiceObject(namespace, key, {
          image,
          template: { RestartPolicy: { Condition: 'none' } },
          spec: { Labels: { team } },
        })
      const stack = (team: string): StackSpec =>
        aStackSpec(namespace, { services: [once('broken', 'tb/crash:1', team), once('done', 'tb/job:1', team)] })
      await deploy(stack('red'))
      const tasksOfKey = async (key: string) => tasksOf(await live(`${namespace}_${key}`))
      for (const key of ['broken', 'done']) {
        await until(`${key} has ended`, async () => {
          const tasks = await tasksOfKey(key)
          return (
            tasks.length > 0 &&
            tasks.every(({ Status, DesiredState }) => isTerminal(Status.State) && isTerminal(DesiredState))
          )
        })
      }
      const counts = async () =>
        Promise.all(
          ['broken', 'done'].map(async (key) => (await live(`${namespace}_${key}`)).Spec.TaskTemplate.ForceUpdate ?? 0),
        )
      const { changes } = await deploy(stack('blue'))
      assert.deepEqual(
        changes.map(({ name, action, fields }) => [name, action, fields]),
        ['broken', 'done'].map((key) => [`${namespace}_${key}`, 'update', ['labels[team]']]),
      )
      assert.deepEqual((await counts()).map(Number), [1, 0])
      await until('a new task is there', async () => (await tasksOfKey('broken')).length > 1)
    })

    test('what is given up and not wanted any more is not started again', async () => {
      const namespace = fresh()
      const stack = (replicas: number): StackSpec =>
        aStackSpec(namespace, {
          services: [
            aServiceObject(namespace, 'broken', {
              image: 'tb/crash:1',
              template: { RestartPolicy: { Condition: 'none' } },
              spec: { Mode: { Replicated: { Replicas: replicas } } },
            }),
          ],
        })
      await deploy(stack(2))
      await until('both have failed', async () => {
        const tasks = await tasksOf(await live(`${namespace}_broken`))
        return tasks.length === 2 && tasks.every(({ DesiredState }) => isTerminal(DesiredState))
      })
      await deploy(stack(0))
      assert.equal(Number((await live(`${namespace}_broken`)).Spec.TaskTemplate.ForceUpdate ?? 0), 0)
    })

    test('a job that completed is not run again, one that failed is', async () => {
      const namespace = fresh()
      const spec = aStackSpec(namespace, {
        services: [
          aServiceObject(namespace, 'broken', {
            image: 'tb/crash:1',
            template: { RestartPolicy: { Condition: 'on-failure', MaxAttempts: 1, Delay: 100_000_000 } },
            spec: { Mode: { ReplicatedJob: {} } },
          }),
          aServiceObject(namespace, 'done', { image: 'tb/job:1', spec: { Mode: { ReplicatedJob: {} } } }),
        ],
      })
      await deploy(spec)
      await until('both have ended', async () => {
        const [broken, done] = [
          await tasksOf(await live(`${namespace}_broken`)),
          await tasksOf(await live(`${namespace}_done`)),
        ]
        return (
          broken.length === 2 &&
          broken.every((task) => isTerminal(task.Status.State)) &&
          done.some((task) => task.Status.State === 'complete')
        )
      })
      assert.deepEqual(
        (await deploy(spec)).changes.map(({ name, action }) => [name, action]),
        [[`${namespace}_broken`, 'retry']],
      )
      assert.equal((await live(`${namespace}_broken`)).JobStatus?.JobIteration.Index, 1)
      assert.equal((await live(`${namespace}_done`)).JobStatus?.JobIteration.Index ?? 0, 0)
    })

    test('a mode that can not be changed is refused before anything is written', async () => {
      const namespace = fresh()
      await deploy(one(namespace))
      const { backend, journal } = run()
      const error = await refusal(backend.deployStack(one(namespace, { spec: { Mode: { Global: {} } } }), 'never'))
      assert.match(error.message, /runs in mode replicated, and Swarm can't change that to global/)
      assert.equal(journal.wroteAnything, false)
    })

    test('applyServices writes services only, and wants the rest to be there', async () => {
      const namespace = fresh()
      const spec = aStackSpec(namespace, {
        networks: [aNetworkObject(namespace, 'front')],
        services: [aServiceObject(namespace, 'web', { template: { Networks: [{ Target: `${namespace}_front` }] } })],
      })
      const error = await refusal(run().backend.applyServices(spec, 'never'))
      assert.equal(error.code, 'missing-resource')
      await deploy({ ...spec, services: [] })
      const { changes } = await run().backend.applyServices(spec, 'never')
      assert.deepEqual(changes, [{ kind: 'service', name: `${namespace}_web`, action: 'create', fields: [] }])
    })

    test('stackServices, networkScopes and secretNames tell what is there', async () => {
      const namespace = fresh()
      await deploy(
        aStackSpec(namespace, {
          networks: [aNetworkObject(namespace, 'front')],
          secrets: [aFileObject(namespace, 'key', 's3cret')],
          services: [aServiceObject(namespace, 'web'), aServiceObject(namespace, 'worker')],
        }),
      )
      const { backend } = run()
      await until('both run', async () =>
        (await backend.stackServices(namespace)).every(({ running }) => running === 1),
      )
      assert.deepEqual(
        (await backend.stackServices(namespace)).map(({ name, desired }) => [name, desired]),
        [
          [`${namespace}_web`, 1],
          [`${namespace}_worker`, 1],
        ],
      )
      assert.deepEqual(await backend.stackServices(`${namespace}x`), [])
      const scopes = await backend.networkScopes()
      assert.equal(scopes.get(`${namespace}_front`), 'swarm')
      assert.equal(scopes.get('host'), 'local')
      assert.equal((await backend.secretNames()).has(`${namespace}_key`), true)
    })

    test('a stack that may not touch a secret is refused, whatever it calls it inside', async () => {
      const namespace = fresh()
      const spec = one(namespace, { container: { Secrets: [secretReference(namespace, 'key', 'harmless')] } })
      const { backend, journal } = run()
      const guarded = backend.withForbiddenSecrets(new Set([`${namespace}_key`]))
      const error = await refusal(
        guarded.deployStack({ ...spec, secrets: [aFileObject(namespace, 'key', 's3cret')] }, 'never'),
      )
      assert.equal(error.code, 'forbidden')
      assert.equal(error.problems.length, 2)
      assert.equal(journal.wroteAnything, false)
      await backend.deployStack({ ...spec, secrets: [aFileObject(namespace, 'key', 's3cret')] }, 'never')
    })

    test("removeStack removes what is the stack's, keeps release records, and may be repeated", async () => {
      const namespace = fresh()
      await deploy(
        aStackSpec(namespace, {
          networks: [aNetworkObject(namespace, 'front')],
          secrets: [aFileObject(namespace, 'key', 's3cret')],
          configs: [aFileObject(namespace, 'conf', 'hello')],
          services: [aServiceObject(namespace, 'web', { container: { Secrets: [secretReference(namespace, 'key')] } })],
        }),
      )
      const { backend, log } = run()
      const record = `${namespace}.record`
      await backend.createConfig(record, Buffer.from('data'), {
        'com.swarmcli.type': 'release',
        [NAMESPACE_LABEL]: namespace,
      })
      await backend.removeStack(namespace)
      assert.deepEqual(log, [
        `Removing service ${namespace}_web`,
        `Removing config ${namespace}_conf`,
        `Removing secret ${namespace}_key`,
        `Removing network ${namespace}_front`,
      ])
      await backend.removeStack(namespace)
      assert.equal(Buffer.from(await backend.inspectConfig(record)).toString(), 'data')
      const stored = (await backend.listConfigs()).find(({ name }) => name === record)
      assert.match(stored?.labels['swarmcli.created'] ?? '', /Z$/)
      await backend.deleteConfig(record)
      await assert.rejects(backend.deleteConfig(record), { kind: 'not-found' })
    })

    test('an overlay network of no stack is created and removed by its exact name', async () => {
      const name = fresh()
      const { backend } = run()
      await backend.createOverlayNetwork(name, '', true)
      const read = async () => (await engine.listNetworks({ name: [name] }))[0]
      await until('the network is allocated', async () => (await read())?.Driver !== '')
      const network = await read()
      assert.deepEqual([network?.Driver, network?.Attachable, network?.Labels ?? {}], ['overlay', true, {}])
      await backend.removeOverlayNetwork(name.slice(0, -1))
      assert.equal((await backend.networkScopes()).has(name), true)
      await backend.removeOverlayNetwork(name)
      await backend.removeOverlayNetwork(name)
      assert.equal((await backend.networkScopes()).has(name), false)
      await backend.removeVolume(`${name}-no-such-volume`)
      assert.deepEqual(await backend.stackVolumes(name), [])
    })
  })
}
