// Stacks of which nothing is to be left running: jobs, one-shots, no replicas, no nodes.
import { engineCall } from './engineCall.mjs'
import { begun, completed, ending, failing, failsAgain, failure, having, type MatrixRow, started } from './matrixRow.ts'
import { oneService, quick } from './matrixStack.ts'

/** A service that is run once by Swarm's older means. */
const oneShot = (image: string, ...deploy: readonly string[]): string =>
  oneService(image, `    deploy: { ${['restart_policy: { condition: none }', ...deploy].join(', ')} }`)

const job = (image: string, deploy = ''): string => oneService(image, `    deploy: { mode: replicated-job${deploy} }`)

/** That Swarm does not start again. */
const once = ', restart_policy: { condition: none }'

export const jobRows: readonly MatrixRow[] = [
  {
    label: 'none',
    what: '`replicas: 0`',
    manifest: oneService('tb/ok:1', '    deploy: { replicas: 0 }'),
    expected: { status: 'converged', services: ['web converged 0/0'], told: begun() },
  },
  {
    label: 'cron',
    what: '`replicas: 0` and `condition: none`, as a cron of the swarm wants it',
    manifest: oneService('tb/job:1', '    deploy: { replicas: 0, restart_policy: { condition: none } }'),
    expected: { status: 'converged', services: ['web converged 0/0'], told: begun() },
  },
  {
    label: 'nowhere',
    what: '`mode: global` where no node matches',
    manifest: oneService(
      'tb/ok:1',
      '    deploy: { mode: global, placement: { constraints: [node.labels.disk==none] } }',
    ),
    expected: {
      status: 'converged',
      services: ['web converged 0/0'],
      warning: /web runs nowhere/,
      told: begun(),
    },
  },
  {
    label: 'one-shot',
    what: 'a one-shot (`condition: none`) that ends with 0',
    manifest: oneShot('tb/job:1'),
    expected: { status: 'converged', services: ['web converged 1/1 completed'], told: ending() },
  },
  {
    label: 'on-failure',
    what: 'a one-shot of two replicas with `condition: on-failure`',
    manifest: oneService('tb/job:1', '    deploy: { replicas: 2, restart_policy: { condition: on-failure } }'),
    expected: { status: 'converged', services: ['web converged 2/2 completed'], told: ending() },
  },
  {
    label: 'one-shot-everywhere',
    what: 'a one-shot on every node (`mode: global`, `condition: none`)',
    manifest: oneShot('tb/job:1', 'mode: global'),
    expected: { status: 'converged', services: ['web converged 1/1 completed'], told: ending() },
  },
  {
    label: 'migration',
    what: 'a server, and a migration beside it that runs once',
    manifest: `${oneService('tb/ok:1')}  migrate:
    image: tb/job:1
    deploy: { restart_policy: { condition: none } }
`,
    expected: {
      status: 'converged',
      services: ['web converged 1/1', 'migrate converged 1/1 completed'],
      told: started(5),
    },
  },
  {
    label: 'one-shot-again',
    what: 'a failed one-shot, deployed again as it is',
    before: having([oneShot('tb/crash:1'), failing(1)]),
    manifest: oneShot('tb/crash:1'),
    expected: failsAgain('retry web'),
  },
  {
    label: 'one-shot-label',
    what: 'a failed one-shot, deployed again with another label',
    before: having([oneShot('tb/crash:1'), failing(1)]),
    manifest: oneShot('tb/crash:1', 'labels: { tier: back }'),
    expected: failsAgain('update web'),
  },
  {
    label: 'one-shot-mended',
    what: 'a failed one-shot, deployed again with an image that works',
    before: having([oneShot('tb/crash:1'), failing(1)]),
    manifest: oneShot('tb/job:1'),
    expected: {
      status: 'converged',
      services: ['web converged 1/1 completed'],
      changes: ['update web'],
      told: ending(),
    },
  },
  {
    label: 'one-shot-fewer',
    what: 'a one-shot whose image was missing and is there by now, with fewer replicas',
    before: async (scene) => {
      await having([oneShot('tb/matrix-comes:1', 'replicas: 3'), failing(3)])(scene)
      await engineCall(scene.socket, 'POST', '/images/tb%2Fjob:1/tag?repo=tb/matrix-comes&tag=1')
      return () => engineCall(scene.socket, 'DELETE', '/images/tb/matrix-comes:1?force=true')
    },
    manifest: oneShot('tb/matrix-comes:1', 'replicas: 2', 'update_config: { parallelism: 0 }'),
    expected: {
      status: 'converged',
      services: ['web converged 2/2 completed'],
      changes: ['update web'],
      told: ending(),
    },
  },
  {
    label: 'one-shot-halts',
    what: 'a one-shot of two replicas, of which Swarm replaces one only (`update_config: delay: 20s`)',
    before: having([oneShot('tb/job:1', 'replicas: 2'), completed(2)]),
    manifest: `${oneShot('tb/job:1', 'replicas: 2', 'update_config: { delay: 20s }')}    environment: { A: b }\n`,
    expected: {
      status: 'failed',
      reason: 'paused',
      services: ['web failed 1/2 completed'],
      words: /Swarm paused the update: update paused due to failure or early termination of task .*complete on/,
      told: ending(),
    },
  },
  {
    label: 'job',
    what: 'a job of four completions, two at once',
    manifest: job('tb/job:1', ', replicas: 4'),
    expected: { status: 'converged', services: ['web converged 4/4 completed'], told: ending() },
  },
  {
    label: 'job-global',
    what: 'a job on every node',
    manifest: oneService('tb/job:1', '    deploy: { mode: global-job }'),
    expected: { status: 'converged', services: ['web converged 1/1 completed'], told: ending() },
  },
  {
    label: 'job-slow',
    what: 'a job that takes ten seconds',
    manifest: oneService('tb/ok:1', '    command: [sleep, "10"]', '    deploy: { mode: replicated-job }'),
    inputs: quick,
    expected: { status: 'converged', services: ['web converged 1/1 completed'], told: ending() },
  },
  {
    label: 'job-fails',
    what: 'a job that fails and is not started again (`condition: none`)',
    manifest: job('tb/crash:1', once),
    expected: {
      status: 'failed',
      reason: 'exited',
      services: ['web failed 0/1'],
      words: /web\.\d failed on \S+ with exit code 3: task: non-zero exit \(3\); Swarm does not start it again/,
      told: failure(1),
    },
  },
  {
    label: 'job-loops',
    what: 'a job that fails over and over',
    manifest: job('tb/crash:1', ', restart_policy: { condition: on-failure, delay: 2s }'),
    expected: {
      status: 'failed',
      reason: 'crash-loop',
      services: ['web failed 0/1'],
      words: /failed 3 times, last on \S+ with exit code 3/,
      told: failure(3),
    },
  },
  {
    label: 'job-global-loops',
    what: 'a job on every node that fails over and over',
    manifest: oneService(
      'tb/crash:1',
      '    deploy: { mode: global-job, restart_policy: { condition: on-failure, delay: 2s } }',
    ),
    expected: {
      status: 'failed',
      reason: 'crash-loop',
      services: ['web failed 0/1'],
      words: /failed 3 times, last on \S+ with exit code 3/,
      told: failure(3),
    },
  },
  {
    label: 'job-again',
    what: 'a failed job, deployed again as it is',
    before: having([job('tb/crash:1', once), failing(1)]),
    manifest: job('tb/crash:1', once),
    expected: {
      status: 'failed',
      reason: 'exited',
      services: ['web failed 0/1'],
      words: /task: non-zero exit \(3\); Swarm does not start it again/,
      changes: ['retry web'],
      told: failure(1),
    },
  },
  {
    label: 'job-done',
    what: 'a completed job, deployed again as it is',
    before: having([job('tb/job:1', ', replicas: 2'), completed(2)]),
    manifest: job('tb/job:1', ', replicas: 2'),
    expected: { status: 'unchanged', services: ['web converged 2/2 completed'], changes: [], told: begun() },
  },
  {
    label: 'job-new',
    what: 'a completed job, deployed again with another command',
    before: having([job('tb/job:1'), completed(1)]),
    manifest: oneService('tb/job:1', '    command: [sh, -c, sleep 3]', '    deploy: { mode: replicated-job }'),
    expected: {
      status: 'converged',
      services: ['web converged 1/1 completed'],
      changes: ['update web'],
      told: ending(),
    },
  },
]
