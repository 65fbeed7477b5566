// Stacks that are there already: updates that work, that Swarm gives up, and that someone disturbs.
import { engineCall } from './engineCall.mjs'
import {
  begun,
  changing,
  disturbed,
  failing,
  failsAgain,
  failure,
  first,
  having,
  type MatrixRow,
  onceRunning,
  removing,
  running,
  started,
  unplaced,
  until,
  updateIs,
  withImage,
  withReplicas,
} from './matrixRow.ts'
import { oneService, quick } from './matrixStack.ts'

/** Of two, one may be running just then. */
const crashing = /^web failed [01]\/2$/

interface Settings {
  readonly replicas?: number
  /** Of `update_config`. Its window is long where something is to fail within it, however slow the machine. */
  readonly update?: string
  readonly more?: readonly string[]
}

function web(image: string, { replicas = 1, update = 'monitor: 30s', more = [] }: Settings = {}): string {
  return oneService(
    image,
    ...more,
    '    deploy:',
    `      replicas: ${replicas}`,
    '      restart_policy: { delay: 2s }',
    `      update_config: { ${update} }`,
    '      rollback_config: { monitor: 1s }',
  )
}

/** Swarm's own window, where all goes well. */
const brief = 'monitor: 1s'

const sound = (what: string, label: string, before: Settings, after: Settings = before): MatrixRow => {
  const { replicas = 1 } = after
  return {
    label,
    what,
    before: first(web('tb/ok:1', before), before.replicas ?? 1),
    manifest: web('tb/ok:2', after),
    inputs: quick,
    expected: {
      status: 'converged',
      services: [`web converged ${replicas}/${replicas}`],
      changes: ['update web'],
      told: started(2),
    },
  }
}

const scaled = (from: number, to: number): MatrixRow => ({
  label: `scale-${from}-${to}`,
  what: `\`replicas: ${from}\`, then \`replicas: ${to}\``,
  before: first(web('tb/ok:1', { replicas: from }), from),
  manifest: web('tb/ok:1', { replicas: to }),
  inputs: quick,
  expected: {
    status: 'converged',
    services: [`web converged ${to}/${to}`],
    changes: ['update web'],
    told: to > from ? started(2) : begun(),
  },
})

const rollback = 'monitor: 30s, failure_action: rollback'
const startFirst = 'monitor: 30s, order: start-first'
const onHostPort = ['    ports: [{ target: 8080, published: 18973, mode: host }]']

/** An image that a row makes appear. */
const APPEARS = 'tb/matrix-appears'

export const updateRows: readonly MatrixRow[] = [
  sound('one replica', 'plain', { update: brief }),
  sound('all at once (`parallelism: 0`)', 'at-once', { replicas: 3, update: `${brief}, parallelism: 0` }),
  sound('two at a time (`parallelism: 2`)', 'two', { replicas: 4, update: `${brief}, parallelism: 2` }),
  sound('one at a time, with `delay: 3s`', 'delay', { replicas: 2, update: `${brief}, delay: 3s` }),
  sound('`order: start-first`', 'start-first', { replicas: 2, update: `${brief}, order: start-first` }),
  sound(
    'a new image and more replicas at once',
    'both',
    { replicas: 1, update: brief },
    { replicas: 3, update: brief },
  ),
  scaled(1, 3),
  scaled(3, 1),
  scaled(2, 0),
  {
    label: 'same',
    what: 'nothing has changed',
    before: first(web('tb/ok:1'), 1),
    manifest: web('tb/ok:1'),
    inputs: quick,
    expected: { status: 'unchanged', services: ['web converged 1/1'], changes: [], told: started(2) },
  },
  {
    label: 'label',
    what: 'another label of the service, which replaces no task',
    before: first(web('tb/ok:1'), 1),
    manifest: `${web('tb/ok:1')}      labels: { tier: front }\n`,
    inputs: quick,
    expected: {
      status: 'converged',
      services: ['web converged 1/1'],
      changes: ['update web'],
      told: started(2),
    },
  },
  {
    label: 'there-and-back',
    what: 'A, then B, then A again at once',
    before: having(
      [web('tb/ok:1', { replicas: 2, update: brief }), running(2)],
      [web('tb/ok:2', { replicas: 2, update: brief })],
    ),
    manifest: web('tb/ok:1', { replicas: 2, update: brief }),
    inputs: quick,
    expected: {
      status: 'converged',
      services: ['web converged 2/2'],
      changes: ['update web'],
      told: started(2),
    },
  },
  {
    label: 'pause',
    what: 'new tasks that crash: Swarm pauses the update',
    before: first(web('tb/ok:1', { replicas: 2 }), 2),
    manifest: web('tb/crash:1', { replicas: 2 }),
    expected: {
      status: 'failed',
      reason: 'paused',
      services: [crashing],
      words: /update paused due to failure or early termination of task .*task: non-zero exit \(3\)/,
      changes: ['update web'],
      told: failure(1),
    },
  },
  {
    label: 'pause-start-first',
    what: 'the same with `order: start-first`, so that all old tasks run on',
    before: first(web('tb/ok:1', { replicas: 2, update: startFirst }), 2),
    manifest: web('tb/crash:1', { replicas: 2, update: startFirst }),
    expected: {
      status: 'failed',
      reason: 'paused',
      services: [crashing],
      words: /update paused due to failure or early termination of task .*task: non-zero exit \(3\)/,
      told: failure(1),
    },
  },
  {
    label: 'pause-no-image',
    what: 'an image that does not exist: Swarm pauses the update',
    before: first(web('tb/ok:1', { replicas: 2 }), 2),
    manifest: web('tb/nosuch:1', { replicas: 2 }),
    expected: {
      status: 'failed',
      reason: 'paused',
      services: ['web failed 0/2'],
      words: /update paused due to failure .*; web\.\d was rejected on \S+: [^;]*tb\/nosuch:1/,
      told: failure(1),
    },
  },
  {
    label: 'pause-again',
    what: 'the same spec again over a paused update',
    before: having([web('tb/ok:1'), running(1)], [web('tb/crash:1'), updateIs('paused')]),
    manifest: web('tb/crash:1'),
    inputs: { monitor: '60s' },
    expected: {
      status: 'failed',
      // No task is left to be replaced, so that Swarm only starts the new one over and over.
      reason: 'crash-loop',
      services: ['web failed 0/1'],
      words: /web\.1 failed 3 times.*task: non-zero exit \(3\)/,
      changes: ['retry web'],
      told: failure(3),
    },
  },
  {
    label: 'pause-mended',
    what: 'a mended manifest over a paused update',
    before: having(
      [web('tb/ok:1', { replicas: 2 }), running(2)],
      [web('tb/crash:1', { replicas: 2 }), updateIs('paused')],
    ),
    manifest: web('tb/ok:2', { replicas: 2, update: brief }),
    inputs: quick,
    expected: {
      status: 'converged',
      services: ['web converged 2/2'],
      changes: ['update web'],
      told: started(2),
    },
  },
  {
    label: 'image-appears',
    what: 'the same spec over a paused update, whose image is there by now',
    before: async (scene) => {
      await first(web('tb/ok:1', { replicas: 2 }), 2)(scene)
      await scene.write(web(`${APPEARS}:1`, { replicas: 2, update: brief }))
      await until(scene, updateIs('paused'))
      await engineCall(scene.socket, 'POST', `/images/tb%2Fok:2/tag?repo=${APPEARS}&tag=1`)
      return () => engineCall(scene.socket, 'DELETE', `/images/${APPEARS}:1?force=true`)
    },
    manifest: web(`${APPEARS}:1`, { replicas: 2, update: brief }),
    inputs: quick,
    expected: {
      status: 'converged',
      services: ['web converged 2/2'],
      changes: ['retry web'],
      told: started(2),
    },
  },
  {
    label: 'continue',
    what: 'new tasks that crash, with `failure_action: continue`',
    before: first(web('tb/ok:1', { replicas: 2 }), 2),
    manifest: web('tb/crash:1', { replicas: 2, update: 'monitor: 30s, parallelism: 0, failure_action: continue' }),
    inputs: { monitor: '60s' },
    expected: {
      status: 'failed',
      reason: 'crash-loop',
      services: [crashing],
      words: /failed 3 times.*task: non-zero exit \(3\)/,
      told: failure(3),
    },
  },
  {
    label: 'crash-mended',
    what: 'a mended manifest over a crash loop',
    before: having([web('tb/crash:1'), failing(2)]),
    manifest: web('tb/ok:1', { update: brief }),
    inputs: quick,
    expected: {
      status: 'converged',
      services: ['web converged 1/1'],
      changes: ['update web'],
      told: started(2),
    },
  },
  {
    label: 'crash-again',
    what: 'a crash loop, deployed again as it is',
    before: having([web('tb/crash:1'), failing(2)]),
    manifest: web('tb/crash:1'),
    expected: {
      status: 'failed',
      reason: 'crash-loop',
      services: ['web failed 0/1'],
      words: /web\.1 failed 3 times/,
      changes: [],
      told: failure(3),
    },
  },
  {
    label: 'attempts-label',
    what: 'restart attempts that are used up, deployed again with another label',
    before: having([
      oneService('tb/crash:1', '    deploy: { restart_policy: { max_attempts: 1, delay: 1s } }'),
      failing(2),
    ]),
    manifest: oneService(
      'tb/crash:1',
      '    deploy: { labels: { a: b }, restart_policy: { max_attempts: 1, delay: 1s } }',
    ),
    expected: failsAgain('update web'),
  },
  {
    label: 'rollback',
    what: 'new tasks that crash, with `failure_action: rollback`',
    before: first(web('tb/ok:1', { replicas: 2, update: `${rollback}, delay: 20s` }), 2),
    manifest: web('tb/crash:1', { replicas: 2, update: `${rollback}, delay: 20s` }),
    expected: {
      status: 'failed',
      reason: 'rolled-back',
      services: ['web failed 1/2'],
      words: /task: non-zero exit \(3\)/,
      changes: ['update web'],
      told: failure(1),
    },
  },
  {
    label: 'rollback-again',
    what: 'the same again after Swarm has rolled it back',
    before: having(
      [web('tb/ok:1', { update: rollback }), running(1)],
      [web('tb/crash:1', { update: rollback }), updateIs('rollback_completed')],
    ),
    manifest: web('tb/crash:1', { update: rollback }),
    expected: {
      status: 'failed',
      reason: 'rolled-back',
      services: [/^web failed [01]\/1$/],
      words: /task: non-zero exit \(3\)/,
      changes: ['update web'],
      told: failure(1),
    },
  },
  {
    label: 'rollback-mended',
    what: 'a mended manifest after Swarm has rolled an update back',
    before: having(
      [web('tb/ok:1', { update: rollback }), running(1)],
      [web('tb/crash:1', { update: rollback }), updateIs('rollback_completed')],
    ),
    manifest: web('tb/ok:2', { update: 'monitor: 1s, failure_action: rollback' }),
    inputs: quick,
    expected: {
      status: 'converged',
      services: ['web converged 1/1'],
      changes: ['update web'],
      told: started(2),
    },
  },
  {
    label: 'rollback-dies',
    what: 'a rollback to a secret that was removed meanwhile',
    files: { token: 'a-token\n' },
    before: first(
      `${web('tb/ok:1', { update: rollback, more: ['    secrets: [token]'] })}secrets: { token: { file: token } }\n`,
      1,
    ),
    manifest: web('tb/ok:2', {
      update: rollback,
      more: ['    command: [sh, -c, "sleep 8; exit 3"]'],
    }),
    inputs: { monitor: '60s' },
    meanwhile: onceRunning(1, ({ socket, name }) => engineCall(socket, 'DELETE', `/secrets/${name}_token`), 'tb/ok:2'),
    expected: {
      status: 'failed',
      reason: 'rolled-back',
      services: ['web failed 0/1'],
      // Where Swarm has paused the rollback too, the reason of that.
      words: /task: non-zero exit \(3\)|rolled the update back, and paused that too.*secret \w+ not found/,
      told: failure(1),
    },
  },
  {
    label: 'old-rollback',
    what: 'nothing has changed since Swarm rolled an update back, long ago',
    before: having(
      [web('tb/ok:1', { update: rollback }), running(1)],
      [web('tb/crash:1', { update: rollback }), updateIs('rollback_completed'), running(1)],
    ),
    manifest: web('tb/ok:1', { update: rollback }),
    inputs: quick,
    expected: { status: 'unchanged', services: ['web converged 1/1'], changes: [], told: started(2) },
  },
  {
    label: 'by-hand',
    what: 'rolled back by hand during the wait',
    before: first(web('tb/ok:1'), 1),
    manifest: web('tb/ok:2'),
    meanwhile: onceRunning(
      1,
      changing((spec) => spec, '&rollback=previous'),
      'tb/ok:2',
    ),
    expected: {
      status: 'failed',
      reason: 'rolled-back',
      services: ['web failed 0/1'],
      told: disturbed,
    },
  },
  {
    label: 'scaled-away',
    what: 'scaled to none by someone during the wait',
    manifest: web('tb/ok:1', { replicas: 2 }),
    meanwhile: onceRunning(2, changing(withReplicas(0))),
    expected: {
      status: 'failed',
      reason: 'conflict',
      services: ['web failed 0/2'],
      words: /scaled the service from 2 to 0 meanwhile, while the manifest says 2/,
      told: disturbed,
    },
  },
  {
    label: 'overwritten',
    what: 'updated to another image by someone during the wait',
    manifest: web('tb/ok:1'),
    meanwhile: onceRunning(1, changing(withImage('tb/ok:2'))),
    expected: {
      status: 'failed',
      reason: 'conflict',
      services: ['web failed 0/1'],
      words: /someone else changed the service meanwhile/,
      told: disturbed,
    },
  },
  {
    label: 'removed',
    what: 'removed by someone during the wait',
    manifest: web('tb/ok:1'),
    meanwhile: onceRunning(1, removing),
    expected: {
      status: 'failed',
      reason: 'removed',
      services: ['web failed 0/0'],
      words: /someone removed the service meanwhile/,
      told: disturbed,
    },
  },
  {
    label: 'remade',
    what: 'removed and made anew by someone during the wait',
    manifest: oneService('tb/ok:1'),
    meanwhile: onceRunning(1, async (scene) => {
      const { name, socket, look } = scene
      const service = (await look()).services.find(({ Spec }) => Spec.Name === `${name}_web`)
      await removing(scene)
      // None, since how many run by the time of the verdict would depend on the machine.
      if (service !== undefined) await engineCall(socket, 'POST', '/services/create', withReplicas(0)(service.Spec))
    }),
    expected: {
      status: 'failed',
      reason: 'removed',
      services: ['web failed 0/0'],
      words: /someone removed the service and created it anew meanwhile/,
      told: disturbed,
    },
  },
  {
    label: 'other-port',
    what: 'published on another port by someone during the wait',
    manifest: oneService('tb/ok:1', '    ports: [{ target: 8080, published: 18981 }]'),
    meanwhile: onceRunning(
      1,
      changing((spec) => ({
        ...spec,
        EndpointSpec: { Ports: [{ Protocol: 'tcp', TargetPort: 8080, PublishedPort: 18982, PublishMode: 'ingress' }] },
      })),
    ),
    expected: {
      status: 'failed',
      reason: 'conflict',
      services: ['web failed 0/1'],
      words: /someone else changed the service meanwhile: it is not as this run wants it any more/,
      told: disturbed,
    },
  },
  {
    label: 'port-start-first',
    what: 'a host port with `order: start-first`, which needs it twice',
    before: first(web('tb/ok:1', { update: startFirst, more: onHostPort }), 1),
    manifest: web('tb/ok:2', { update: startFirst, more: onHostPort }),
    expected: {
      status: 'failed',
      reason: 'no-suitable-node',
      services: ['web failed 0/1'],
      words: /host-mode port already in use on 1 node.*start-first needs it twice/,
      line: 5,
      told: unplaced(30),
    },
  },
  {
    label: 'becomes-sick',
    what: 'new tasks that are never healthy',
    before: first(web('tb/ok:1'), 1),
    manifest: web('tb/sick:1'),
    expected: {
      status: 'failed',
      reason: 'paused',
      services: ['web failed 0/1'],
      words: /update paused due to failure .*unhealthy container/,
      told: failure(1),
    },
  },
  {
    label: 'becomes-slow',
    what: 'new tasks that take their time to be healthy',
    before: first(web('tb/ok:1', { update: brief }), 1),
    manifest: web('tb/slow:1', { update: brief }),
    inputs: quick,
    expected: { status: 'converged', services: ['web converged 1/1'], told: started(2) },
  },
]
