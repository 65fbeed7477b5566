// Outcomes as run.ts hands them to the report, for the goldens and the tests of hostile text.
import type { Outcome, ServiceOutcome } from '../../src/report/outcome.ts'

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`

export function service(name: string, more: Partial<ServiceOutcome> = {}): ServiceOutcome {
  return {
    name,
    mode: 'replicated',
    image: `registry.example.com/${name}:1.27@${DIGEST}`,
    running: 2,
    desired: 2,
    completed: 0,
    state: 'converged',
    reason: 'all tasks have been running for 5 s',
    seconds: 7.4,
    ...more,
  }
}

export const converged: Outcome = {
  status: 'converged',
  stackName: 'shop',
  durationMs: 12_345.6,
  manager: '1 manager-a',
  engineVersion: '28.2.2',
  revision: 12,
  previousRevision: 11,
  changes: [
    { kind: 'network', name: 'shop_default', action: 'create', fields: [] },
    { kind: 'service', name: 'shop_web', action: 'update', fields: ['image', 'env[LOG_LEVEL]'] },
  ],
  services: [service('agent', { mode: 'global', running: 3, desired: 3 }), service('web')],
  warnings: [
    {
      severity: 'warning',
      code: 'manifest',
      message: 'services.web.build is ignored: Swarm builds nothing',
      position: { file: 'docker-stack.yml', line: 7, column: 5 },
      remedy: 'Build the image in a step before.',
    },
  ],
}

export const failed: Outcome = {
  ...converged,
  status: 'failed',
  warnings: [],
  services: [
    service('web'),
    service('worker', {
      running: 0,
      desired: 1,
      state: 'failed',
      code: 'crash-loop',
      reason: '3 tasks in slot 1 have failed',
      position: { file: 'docker-stack.yml', line: 12, column: 3 },
      diagnosis: {
        code: 'crash-loop',
        sentence: '3 tasks in slot 1 have failed: task: non-zero exit (78)',
        remedy: 'Read its last log lines: the container ends by itself.',
        tasks: [
          {
            id: 't1',
            name: 'worker.1',
            node: 'node-b',
            state: 'failed',
            at: '2026-01-02T03:04:05.6Z',
            exitCode: 78,
            error: 'task: non-zero exit (78)',
            logs: [
              { timestamp: '2026-01-02T03:04:05Z', stream: 'stdout', text: 'starting' },
              { timestamp: '2026-01-02T03:04:05.123456789Z', stream: 'stderr', text: 'config.yml: no such file' },
            ],
            health: { exitCode: 1, failures: 3, output: 'connect: refused\n' },
          },
          {
            id: 't0',
            name: 'worker.1',
            node: 'node-a',
            state: 'failed',
            at: '2026-01-02T03:03:55Z',
            exitCode: 78,
            error: 'task: non-zero exit (78)',
            logs: [],
            logsNote: 'the log is gone with its container',
          },
        ],
      },
    }),
  ],
  failure: {
    code: 'crash-loop',
    message: 'service worker does not converge: 3 tasks in slot 1 have failed',
    service: 'worker',
    position: { file: 'docker-stack.yml', line: 12, column: 3 },
    problems: [],
  },
}

export const refused: Outcome = {
  status: 'refused',
  stackName: 'shop',
  durationMs: 87,
  changes: [],
  services: [],
  warnings: [],
  failure: {
    code: 'manifest',
    message: 'the manifest has 1 error',
    problems: [
      {
        severity: 'error',
        code: 'manifest',
        message: 'services.web has no key "imagee"',
        position: { file: 'docker-stack.yml', line: 12, column: 5 },
        excerpt: '    imagee: nginx\n    ^',
        remedy: 'Write `image`.',
      },
    ],
  },
}

export const cancelled: Outcome = {
  status: 'cancelled',
  stackName: 'shop',
  durationMs: 65_000,
  changes: converged.changes,
  services: [],
  warnings: [],
  failure: { code: 'cancelled', message: 'the run was cancelled while services were being written', problems: [] },
  writes: { applied: ['network shop_default'], notApplied: ['service shop_worker'], unknown: ['service shop_web'] },
}

export const timedOut: Outcome = {
  ...failed,
  status: 'timed-out',
  services: failed.services.map((one) =>
    one.diagnosis === undefined
      ? one
      : {
          ...one,
          state: 'progressing' as const,
          code: 'image-pull' as const,
          reason: '0 of 1 task runs: worker.1 is preparing on node-b',
          diagnosis: {
            code: 'timeout' as const,
            sentence: '0 of 1 task runs: worker.1 is preparing on node-b',
            remedy: 'Raise `timeout` if it only needs longer.',
            tasks: one.diagnosis.tasks.slice(1),
          },
        },
  ),
  failure: {
    code: 'timeout',
    message: 'The time was up before the stack had converged: worker (0 of 1)',
    service: 'worker',
    position: { file: 'docker-stack.yml', line: 12, column: 3 },
    problems: [],
  },
}

export const listed: Outcome = {
  status: 'listed',
  command: 'list',
  durationMs: 812,
  manager: '1 manager-a',
  engineVersion: '28.2.2',
  changes: [],
  services: [],
  warnings: [],
  stacks: [
    {
      name: 'blog',
      services: 2,
      owner: '',
      status: 'degraded',
      health: '1 of 2 services converged; web: web.1 failed on node-a with exit code 3: task: non-zero exit (3)',
    },
    { name: 'leftover', services: 0, owner: '', status: 'absent', health: 'no service is left' },
    {
      name: 'shop-of-the-year',
      services: 12,
      owner: 'gha/acme/shop',
      revision: 12,
      release: 'failed',
      status: 'progressing',
      health: '11 of 12 services converged; api: 0/1 running',
    },
    {
      name: 'tools',
      services: 1,
      owner: 'gha/acme/tools',
      revision: 3,
      release: 'deployed',
      status: 'healthy',
      health: '1 of 1 services converged',
    },
  ],
}
