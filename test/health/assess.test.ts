import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assess } from '../../src/health/assess.ts'
import { remedies } from '../../src/health/remedies.ts'
import type { Expectation, Snapshot, Verdict } from '../../src/health/verdict.ts'
import type { Service } from '../../src/swarm/service.ts'
import type { Task } from '../../src/swarm/task.ts'
import { type Fixture, fixture, fixtures } from './fixture.ts'

function summary(verdict: Verdict, snapshot: Snapshot): Fixture['verdict'] {
  const { condition, code, cause, running, desired, completed, failures, settlesAt, warning, sentence } = verdict
  return JSON.parse(
    JSON.stringify({
      condition,
      code,
      cause,
      running,
      desired,
      completed,
      failures: failures.length,
      settlesIn: settlesAt === undefined ? undefined : settlesAt - snapshot.now,
      warning,
      sentence,
    }),
  ) as Fixture['verdict']
}

for (const { name, description, expectation, snapshot, verdict } of fixtures()) {
  test(`recorded: ${name}. ${description}`, () => {
    assert.deepEqual(summary(assess(expectation, snapshot), snapshot), verdict)
  })

  test(`recorded, on an engine that does not tell which tasks are up to date: ${name}`, () => {
    const { upToDate: _unknown, ...rest } = snapshot
    assert.deepEqual(summary(assess(expectation, rest), rest), verdict)
  })
}

/** A recorded state with changes to its expectation, its service, its tasks and its clock. */
function judge(
  name: string,
  changes: {
    readonly expectation?: Partial<Expectation>
    readonly service?: (service: Service) => Service | undefined
    readonly task?: (task: Task) => Task | undefined
    readonly snapshot?: (snapshot: Snapshot) => Partial<Snapshot>
    /** Milliseconds later. */
    readonly later?: number
  } = {},
): Verdict {
  const { expectation, snapshot } = fixture(name)
  const { service = (same) => same, task = (same) => same } = changes
  const seen: Snapshot = {
    ...snapshot,
    ...changes.snapshot?.(snapshot),
    now: snapshot.now + (changes.later ?? 0),
    services: snapshot.services.map(service).filter((one) => one !== undefined),
    tasks: (changes.snapshot?.(snapshot).tasks ?? snapshot.tasks).map(task).filter((one) => one !== undefined),
  }
  return assess({ ...expectation, ...changes.expectation }, seen)
}

function moved(timestamp: string, ms: number): string {
  return new Date(Date.parse(timestamp) + ms).toISOString()
}

test('a service that vanished has been removed', () => {
  const verdict = judge('new-converged', { service: () => undefined })
  assert.equal(verdict.condition, 'failed')
  assert.equal(verdict.code, 'removed')
  assert.match(verdict.sentence, /removed the service meanwhile/)
})

test('a service just written may not be listed yet', () => {
  const { expectation, snapshot } = fixture('new-converged')
  const now = expectation.since + 1000
  const verdict = assess(expectation, { ...snapshot, now, services: [], tasks: [] })
  assert.equal(verdict.condition, 'progressing')
})

test('a service that never was there is not in the swarm', () => {
  const verdict = judge('new-converged', { service: () => undefined, expectation: { id: undefined } })
  assert.equal(verdict.code, 'removed')
  assert.match(verdict.sentence, /not in the swarm/)
})

test('a service of the same name and another id is not ours', () => {
  const verdict = judge('new-converged', { expectation: { id: 'another' } })
  assert.equal(verdict.condition, 'failed')
  assert.equal(verdict.code, 'removed')
})

test('the window counts from the start of the last task, to the millisecond', () => {
  const { settlesIn = 0 } = fixture('new-window').verdict
  assert.equal(judge('new-window', { later: settlesIn - 1 }).condition, 'progressing')
  assert.equal(judge('new-window', { later: settlesIn }).condition, 'converged')
})

test('the window is used as given', () => {
  assert.equal(judge('new-converged', { expectation: { monitor: 60_000 } }).condition, 'progressing')
  assert.equal(judge('new-window', { expectation: { monitor: 0 } }).condition, 'converged')
})

test('a service left alone whose tasks ran before the run converges at once', () => {
  const { snapshot } = fixture('new-converged')
  const verdict = judge('new-converged', { expectation: { written: false, since: snapshot.now } })
  assert.equal(verdict.condition, 'converged')
})

test("a node's clock that is hours off moves no window", () => {
  for (const hours of [-5, 5]) {
    const verdict = judge('new-window', {
      task: (task) => ({
        ...task,
        Status: { ...task.Status, Timestamp: moved(task.Status.Timestamp, hours * 3_600_000) },
      }),
    })
    assert.equal(verdict.condition, 'progressing', `${hours} h`)
    const { settlesAt = 0 } = verdict
    const { snapshot } = fixture('new-window')
    assert.ok(settlesAt > snapshot.now && settlesAt <= snapshot.now + 5000, `${hours} h`)
  }
})

test('a task on a node that is down or drained does not run', () => {
  for (const [trouble, change] of [
    ['down', { Status: { State: 'down' as const } }],
    ['drained', { Spec: { Availability: 'drain' as const } }],
  ] as const) {
    const verdict = judge('new-converged', {
      snapshot: ({ nodes }) => ({
        nodes: nodes.map((node) => (node.Description.Hostname === 'hb' ? { ...node, ...change } : node)),
      }),
    })
    assert.equal(verdict.condition, 'progressing')
    assert.match(verdict.sentence, new RegExp(`1/3 running; ok\\.2 on hb, which is ${trouble}`))
  }
})

test('a global service needs no task on a node that is down', () => {
  const verdict = judge('global-converged', {
    snapshot: ({ nodes }) => ({
      nodes: nodes.map((node) => (node.Description.Hostname === 'hb' ? { ...node, Status: { State: 'down' } } : node)),
    }),
  })
  assert.equal(verdict.condition, 'converged')
  assert.equal(verdict.sentence, '1/1 running, without hb, which is down')
})

test('failures of tasks that were created before this run are not counted', () => {
  const { snapshot } = fixture('crash-loop')
  const verdict = judge('crash-loop', { expectation: { written: false, since: snapshot.now } })
  assert.equal(verdict.condition, 'progressing')
  assert.equal(verdict.failures.length, 0)
})

test('a service left alone that Swarm does not start again has failed, however old its task is', () => {
  const { snapshot } = fixture('crash-restart-none')
  const verdict = judge('crash-restart-none', { expectation: { written: false, since: snapshot.now } })
  assert.equal(verdict.condition, 'failed')
  assert.equal(verdict.code, 'exited')
  assert.equal(verdict.failures.length, 1)
})

test('the advice for what ended by itself holds for a job as well', () => {
  const { code, remedy } = judge('job-failed')
  assert.equal(code, 'exited')
  assert.match(remedy ?? remedies.exited, /what runs once has to end with exit code 0/)
})

test('max-failures counts in one slot', () => {
  assert.equal(judge('update-continued-crash', { expectation: { maxFailures: 4 } }).condition, 'progressing')
  assert.equal(judge('crash-loop', { expectation: { maxFailures: 5 } }).condition, 'progressing')
  assert.equal(judge('crash-first', { expectation: { maxFailures: 1 } }).condition, 'failed')
})

test('with max-failures 0 only the time decides while Swarm goes on trying', () => {
  for (const name of ['crash-loop', 'image-missing', 'unhealthy', 'no-node-constraint', 'mount-source-missing']) {
    const { verdict } = fixture(name)
    const patient = judge(name, { expectation: { maxFailures: 0 } })
    assert.equal(patient.condition, 'progressing', name)
    assert.equal(patient.code, verdict.code, name)
  }
  for (const name of ['crash-attempts-used-up', 'update-paused-crash', 'rolled-back']) {
    assert.equal(judge(name, { expectation: { maxFailures: 0 } }).condition, 'failed', name)
  }
})

test('a hopeless error is not waited out through a long restart delay', () => {
  const two = judge('image-missing-first', { later: 30_000 })
  assert.equal(two.condition, 'failed')
  assert.equal(two.code, 'image-pull')
  assert.match(two.sentence, /No such image: tb\/nosuch:1/)
})

test('a host port gets 30 s to become free', () => {
  assert.equal(judge('no-node-host-port', { later: 8_000 }).condition, 'progressing')
  const verdict = judge('no-node-host-port', { later: 9_000 })
  assert.equal(verdict.code, 'no-suitable-node')
  assert.match(verdict.sentence, /host port 9999/)
})

test('what a task that is being stopped still holds is waited for, however long its grace period', () => {
  const { expectation, snapshot } = fixture('no-node-host-port')
  const [holder] = snapshot.tasks
  assert.ok(holder)
  const now = snapshot.now + 90_000
  const given = (state: 'running' | 'shutdown', endedAgo = 0, nodes = snapshot.nodes) => {
    const at = new Date(now - endedAgo).toISOString()
    const Status = { ...holder.Status, State: state, Timestamp: at }
    const old: Task = { ...holder, ID: 'old', DesiredState: 'shutdown', UpdatedAt: at, Status }
    return assess(expectation, { ...snapshot, now, nodes, tasks: [...snapshot.tasks, old] }).condition
  }
  assert.equal(given('running'), 'progressing')
  assert.equal(given('shutdown', 5_000), 'progressing')
  assert.equal(given('shutdown', 30_000), 'failed')
  // What a lost node was told to stop may never be gone.
  const down = { State: 'down' as const }
  const nodes = snapshot.nodes.map((node) => (node.ID === holder.NodeID ? { ...node, Status: down } : node))
  assert.equal(given('running', 0, nodes), 'failed')
})

test('a task that the node of its own will not have is a failure, as one without a node is', () => {
  const given = (later: number) =>
    judge('no-node-host-port', {
      later,
      task: (task) =>
        task.Status.State === 'pending'
          ? { ...task, NodeID: 'n', Status: { ...task.Status, Err: 'host-mode port already in use on 1 node' } }
          : task,
    })
  assert.match(given(8_000).sentence, /port\.3 cannot be put there, host-mode port already in use/)
  const { code, sentence } = given(9_000)
  assert.equal(code, 'no-suitable-node')
  assert.match(sentence, /^port\.3 cannot be put there: host-mode port already in use on 1 node; a node can/)
})

/** Nodes as `/nodes` shows them, the first one with another platform and another set of plugins. */
function mixedNodes({ nodes }: Snapshot): Pick<Snapshot, 'nodes'> {
  const plugins = [
    { Type: 'Log', Name: 'json-file' },
    { Type: 'Volume', Name: 'local' },
  ]
  return {
    nodes: nodes.map((node, index) => ({
      ...node,
      Description: {
        ...node.Description,
        Platform: { OS: 'linux', Architecture: index === 0 ? 'aarch64' : 'x86_64' },
        Engine: {
          EngineVersion: '26.1.5',
          Plugins: index === 0 ? plugins : [...plugins, { Type: 'Volume', Name: 'nodriver:latest' }],
        },
      },
    })),
  }
}

test('where no node is fit the nodes that lack something are named', () => {
  const cases = [
    ['no-node-log-plugin', /; no node has the log driver nosuchdriver$/],
    ['no-node-volume-plugin', /; the volume driver nodriver is not on hb$/],
  ] as const
  for (const [name, expected] of cases) assert.match(judge(name, { snapshot: mixedNodes }).sentence, expected)
  const wrongPlatform = judge('no-node-volume-plugin', {
    snapshot: mixedNodes,
    expectation: { template: undefined },
    task: (task) => ({
      ...task,
      Status: { ...task.Status, Err: 'no suitable node (unsupported platform on 2 nodes)' },
    }),
    service: (service) => ({
      ...service,
      Spec: {
        ...service.Spec,
        TaskTemplate: {
          ...service.Spec.TaskTemplate,
          Placement: { Platforms: [{ OS: 'windows', Architecture: 'amd64' }] },
        },
      },
    }),
  })
  assert.equal(wrongPlatform.code, 'no-suitable-node')
  assert.match(
    wrongPlatform.sentence,
    /; the image is built for windows\/amd64, the nodes are linux\/aarch64 \(hb\), linux\/x86_64 \(ha\)$/,
  )
})

test('a paused node is told from another one of the same host name', () => {
  // Swarm knows nodes by their id: cloned machines often share a name.
  for (const names of [
    ['x', 'y'],
    ['x', 'x'],
  ]) {
    const paused = fixture('global-converged').snapshot.nodes[0]?.ID
    const verdict = judge('global-converged', {
      task: (task) => (task.NodeID === paused ? task : undefined),
      snapshot: ({ nodes }) => ({
        nodes: nodes.map((node) => ({
          ...node,
          Spec: { ...node.Spec, Availability: node.ID === paused ? 'pause' : 'active' },
          Description: { ...node.Description, Hostname: names[node.ID === paused ? 0 : 1] ?? '' },
        })),
      }),
    })
    assert.deepEqual([verdict.condition, verdict.running, verdict.desired], ['progressing', 1, 2], names.join())
  }
})

test('a paused or rolled-back service without a known failed task still says what Swarm says', () => {
  const verdict = judge('update-paused-image', { task: () => undefined })
  assert.equal(verdict.code, 'paused')
  assert.match(verdict.sentence, /^Swarm paused the update: update paused due to failure/)
})

test('what a task that is stopped says of its end is no reason of a failure before it', () => {
  for (const name of ['rolled-back', 'update-paused-crash', 'crash-loop']) {
    const { snapshot, verdict: recorded } = fixture(name)
    const [crashed] = [...snapshot.tasks]
      .filter(({ Status }) => Status.State === 'failed')
      .sort((left, right) => right.CreatedAt.localeCompare(left.CreatedAt))
    assert.ok(crashed)
    const Err = 'error while removing network: unknown network shop_default id n1'
    const second: Task = {
      ...crashed,
      ID: 'second',
      CreatedAt: new Date(Date.parse(crashed.CreatedAt) + 500).toISOString(),
      Status: { ...crashed.Status, State: 'rejected', Err },
    }
    const verdict = judge(name, {
      snapshot: () => ({
        tasks: [...snapshot.tasks, second],
        upToDate: new Set([...snapshot.upToDate, ...(snapshot.upToDate.has(crashed.ID) ? ['second'] : [])]),
      }),
    })
    assert.equal(verdict.code, recorded.code, name)
    assert.match(verdict.sentence, /exit code 3/, name)
    assert.doesNotMatch(verdict.sentence, /removing/, name)
  }
})

test('a one-shot of which Swarm replaces no more has its own advice; where all are replaced its pause means nothing', () => {
  assert.match(
    judge('one-shot-halted').remedy ?? '',
    /^Swarm takes a replica that has done its work .* for one that failed/,
  )
  const undone = (task: (one: Task) => Task | undefined) =>
    judge('one-shot-halted', {
      task,
      service: (service) => ({ ...service, UpdateStatus: { ...service.UpdateStatus, State: 'rollback_completed' } }),
    }).remedy
  assert.match(undone((one) => one) ?? '', /^Swarm takes a replica that has done its work .* for one that failed\. Set/)
  // By hand, or since a node was drained.
  assert.equal(
    undone((one) => (one.Status.State === 'complete' ? undefined : one)),
    undefined,
  )
  const { tasks, upToDate } = fixture('one-shot-halted').snapshot
  const halted = tasks.find(({ ID, Slot }) => Slot === 2 && !upToDate.has(ID))
  const ended = tasks.find(({ ID }) => upToDate.has(ID))
  assert.ok(halted && ended)
  const withSecond = (status: Partial<Task['Status']>): Verdict => {
    const second: Task = { ...ended, ID: 'second', Slot: 2, Status: { ...ended.Status, ...status } }
    const live = status.State === 'preparing'
    return judge('one-shot-halted', {
      snapshot: () => ({
        tasks: [...tasks, { ...second, DesiredState: live ? 'running' : 'shutdown' }],
        upToDate: new Set([...upToDate, 'second']),
      }),
    })
  }
  assert.equal(withSecond({ State: 'preparing' }).condition, 'progressing')
  assert.equal(withSecond({ State: 'complete' }).condition, 'converged')
  assert.deepEqual(
    [withSecond({ State: 'failed' }).condition, withSecond({ State: 'failed' }).code],
    ['failed', 'paused'],
  )
})

test('a rollback that Swarm could not finish is a failure for everyone', () => {
  for (const written of [true, false]) {
    const verdict = judge('rolled-back', {
      expectation: { written },
      service: (service) => ({
        ...service,
        UpdateStatus: { State: 'rollback_paused', Message: 'rollback paused due to failure' },
      }),
    })
    assert.equal(verdict.condition, 'failed')
    assert.equal(verdict.code, written ? 'rolled-back' : 'paused')
    assert.match(verdict.sentence, /rollback paused due to failure/)
  }
})

test('a service that is not as this run wants it is a conflict, however well it runs', () => {
  const name = 'update-there-and-back-converged'
  assert.equal(judge(name).condition, 'converged')
  const verdict = judge(name, { expectation: { isWanted: () => false } })
  assert.equal(verdict.condition, 'failed')
  assert.equal(verdict.code, 'conflict')
  assert.match(verdict.sentence, /someone else changed the service/)
})

test('right after A, B, A the old tasks of A are not taken for new ones before Swarm has begun', () => {
  const fresh = (after: number) => {
    const { expectation, snapshot } = fixture('update-there-and-back-converged')
    return judge('update-there-and-back-converged', {
      later: expectation.since + after - snapshot.now,
      service: ({ UpdateStatus: _none, ...service }) => service,
      task: (task) => (task.Spec.ContainerSpec?.Image === 'tb/ok:2' ? undefined : task),
      expectation: { monitor: 0 },
    })
  }
  assert.equal(fresh(2999).condition, 'progressing')
  assert.equal(fresh(3001).condition, 'converged')
})

test('an update that is only not declared over is looked at again soon', () => {
  const verdict = judge('update-window', { later: 1800 })
  assert.equal(verdict.condition, 'progressing')
  assert.equal(verdict.sentence, '2/2 running, update under way')
  const { snapshot } = fixture('update-window')
  assert.equal(verdict.settlesAt, snapshot.now + 1800 + 250)
})

test('the stage of a sentence stays while only time passes', () => {
  for (const [name, later] of [
    ['slow-starting', 1000],
    ['new-window', 1000],
    ['no-node-memory-early', 1000],
    ['no-address', 1000],
  ] as const) {
    const [first, second] = [judge(name), judge(name, { later })]
    assert.notEqual(first.sentence, second.sentence, name)
    assert.equal(first.stage, second.stage, name)
  }
})

test('a task that stays in one state for more than a minute is called stalled', () => {
  const verdict = judge('slow-starting', { later: 70_000 })
  assert.equal(verdict.condition, 'progressing')
  assert.equal(verdict.code, 'stalled')
  assert.match(verdict.sentence, /slow\.1 starting on ha .* for 75 s/)
})

test('a container that is killed under a memory limit gets advice about its memory, another one does not', () => {
  assert.match(judge('killed-137').remedy ?? '', /may use 8 MiB of memory.*limits\.memory/)
  const unlimited = judge('killed-137', {
    service: (service) => {
      const { Resources: _none, ...TaskTemplate } = service.Spec.TaskTemplate
      return { ...service, Spec: { ...service.Spec, TaskTemplate } }
    },
    expectation: { template: undefined },
  })
  assert.equal(unlimited.code, 'crash-loop')
  assert.equal(unlimited.remedy, undefined)
  assert.equal(judge('crash-loop').remedy, undefined)
})

test('scaled by hand during the wait, even to zero, is no convergence: the manifest says another number', () => {
  for (const replicas of [0, 1, 3]) {
    const verdict = judge('new-converged', {
      expectation: { replicas: 2 },
      service: (service) => ({ ...service, Spec: { ...service.Spec, Mode: { Replicated: { Replicas: replicas } } } }),
    })
    assert.deepEqual([verdict.condition, verdict.code, verdict.desired], ['failed', 'conflict', 2])
    assert.match(verdict.sentence, new RegExp(`scaled the service from 2 to ${replicas} meanwhile`))
  }
})

test('what failed often and then runs through the whole window is forgiven', () => {
  const { snapshot } = fixture('crash-loop')
  const failed = snapshot.tasks.filter(({ Status }) => Status.State === 'failed').length
  assert.ok(failed >= 3)
  const runsSince = (ms: number) =>
    judge('crash-loop', {
      task: (task) =>
        task.Status.State !== 'ready'
          ? task
          : {
              ...task,
              CreatedAt: moved(new Date(snapshot.now).toISOString(), -ms),
              UpdatedAt: new Date(snapshot.now).toISOString(),
              DesiredState: 'running',
              Status: { ...task.Status, State: 'running', Timestamp: moved(new Date(snapshot.now).toISOString(), -ms) },
            },
    })
  assert.equal(runsSince(4999).condition, 'failed')
  assert.equal(runsSince(5000).condition, 'converged')
})

test('how far the next attempt is, after one that failed, is no news', () => {
  const states = ['preparing', 'starting'] as const
  const [first, second] = states.map((State) =>
    judge('crash-first', {
      task: (task) =>
        task.Status.State === 'ready' ? { ...task, DesiredState: 'running', Status: { ...task.Status, State } } : task,
    }),
  )
  assert.match(first?.sentence ?? '', /crash\.1 preparing on hb .*failed on hb with exit code 3/)
  assert.match(second?.sentence ?? '', /crash\.1 starting on hb .*failed on hb with exit code 3/)
  assert.equal(first?.stage, second?.stage)
})

test('what fewer replicas leave over has to be stopped first', () => {
  const fewer = (task: (task: Task) => Task) =>
    judge('new-converged', {
      service: (service) => ({ ...service, Spec: { ...service.Spec, Mode: { Replicated: { Replicas: 2 } } } }),
      task,
      expectation: { replicas: 2 },
    })
  const before = fewer((task) => task)
  assert.deepEqual([before.condition, before.sentence], ['progressing', '3/2 running; 1 too many, still to be stopped'])
  const after = fewer((task) => (task.Slot === 3 ? { ...task, DesiredState: 'remove' } : task))
  assert.deepEqual([after.condition, after.sentence], ['converged', '2/2 running'])
})

test('a pull that failed for what may pass is given 25 s, and the advice says how to start it anew', () => {
  const { sentence, remedy = '' } = judge('image-pull-stuck')
  assert.match(remedy, /the nodes can reach the registry.*`docker service update --force shop_web`/)
  const early = judge('image-pull-stuck', { later: 20_000 - 260_000 })
  assert.equal(early.condition, 'progressing')
  assert.match(early.sentence, /web\.1 preparing on manager: failed to resolve reference .* connection refused/)
  const patient = judge('image-pull-stuck', { expectation: { maxFailures: 0 } })
  assert.equal(patient.condition, 'progressing')
  assert.ok(patient.sentence.includes(sentence.slice(sentence.indexOf('failed to'))))
})

test('why Swarm rolled an update back is told of the new tasks, also where those that it went back to fail too', () => {
  const missing = 'starting container failed: unable to get secret from secret store: secret q1 not found'
  const both = judge('rolled-back', {
    task: (task) => {
      const isBack = Date.parse(task.CreatedAt) > Date.parse('2026-11-29T16:39:25Z')
      return isBack ? { ...task, Status: { ...task.Status, State: 'failed', Err: missing } } : task
    },
  })
  assert.deepEqual([both.code, both.cause, both.failures.length], ['rolled-back', 'crash-loop', 1])
  assert.match(both.sentence, /roll\.2 failed on ha with exit code 3: task: non-zero exit \(3\)$/)
})

test('a subnet that a node has not let go of yet is waited for, as a port is', () => {
  const overlapping = (task: Task): Task =>
    task.Status.Err === undefined
      ? task
      : {
          ...task,
          Status: { ...task.Status, Err: 'invalid pool request: Pool overlaps with other one on this address space' },
        }
  const early = judge('port-in-use-early', { task: overlapping })
  assert.deepEqual([early.condition, early.failures.length], ['progressing', 3])
  const late = judge('port-in-use-early', { task: overlapping, later: 30_000 })
  assert.deepEqual([late.condition, late.code], ['failed', 'network'])
})

test('a task that was stopped on its node, and that Swarm does not start again, is a failure at once', () => {
  const stopped = (task: Task, desired = 'shutdown') =>
    judge('crash-restart-none', {
      task: (one) => ({ ...one, ...task, DesiredState: desired as Task['DesiredState'] }),
      snapshot: ({ nodes }) => ({
        nodes: nodes.map((node) => ({ ...node, Spec: { ...node.Spec, Availability: 'drain' as const } })),
      }),
    })
  const [task] = fixture('crash-restart-none').snapshot.tasks
  assert.ok(task)
  for (const State of ['shutdown', 'running'] as const) {
    const verdict = stopped({ ...task, Status: { Timestamp: task.Status.Timestamp, State } })
    assert.deepEqual([verdict.condition, verdict.code], ['failed', 'no-suitable-node'])
    assert.equal(
      verdict.sentence,
      'none.1 was stopped on ha, which is drained; Swarm does not start it again (its restart condition is none)',
    )
    assert.match(verdict.remedy ?? '', /^Deploy again/)
  }
  // What fewer replicas leave over is stopped as well.
  assert.equal(stopped(task, 'remove').condition, 'progressing')
})

test('a slot that Swarm gave up when more replicas were wanted is none of those wanted now', () => {
  const { snapshot } = fixture('new-converged')
  const fewer = (given: readonly Task[]) =>
    judge('new-converged', {
      service: (service) => ({
        ...service,
        Spec: {
          ...service.Spec,
          Mode: { Replicated: { Replicas: 2 } },
          TaskTemplate: { ...service.Spec.TaskTemplate, RestartPolicy: { Condition: 'any', MaxAttempts: 1 } },
        },
      }),
      expectation: { replicas: 2, template: undefined },
      task: (task) => given.find(({ ID }) => ID === task.ID),
    })
  const dead = (task: Task): Task =>
    task.Slot === 3
      ? {
          ...task,
          DesiredState: 'shutdown',
          Status: { ...task.Status, State: 'failed', Err: 'task: non-zero exit (3)' },
        }
      : task
  const left = fewer(snapshot.tasks.map(dead))
  assert.deepEqual([left.condition, left.sentence, left.failures.length], ['converged', '2/2 running', 0])
  const lacking = fewer(snapshot.tasks.map(dead).filter(({ Slot }) => Slot !== 2))
  assert.deepEqual([lacking.condition, lacking.code], ['failed', 'exited'])
})

test('while a new leader has not heard of a node, it is not known whether its tasks run', () => {
  const unheard = (State: 'unknown' | 'disconnected') =>
    judge('new-converged', {
      snapshot: ({ nodes }) => ({ nodes: nodes.map((node) => ({ ...node, Status: { ...node.Status, State } })) }),
    })
  for (const verdict of [unheard('unknown'), unheard('disconnected')]) {
    assert.equal(verdict.condition, 'progressing')
    assert.match(verdict.sentence, /which is not heard of at the moment/)
  }
})
