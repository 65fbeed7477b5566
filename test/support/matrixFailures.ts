// Stacks that cannot converge from the first deployment on, or only look as if they could not.
import { engineCall } from './engineCall.mjs'
import { forMainframes, plainImage, withRegistry } from './matrixRegistry.ts'
import { begun, failure, type MatrixRow, removeVolume, started, unplaced } from './matrixRow.ts'
import { oneService, quick } from './matrixStack.ts'

const restarts = (delay = '2s') => `restart_policy: { delay: ${delay} }`

export const failureRows: readonly MatrixRow[] = [
  {
    label: 'crash',
    what: 'a process that exits with 3, over and over',
    manifest: oneService('tb/crash:1'),
    inputs: { monitor: '60s', 'log-lines': '5' },
    expected: {
      status: 'failed',
      reason: 'crash-loop',
      services: ['web failed 0/1'],
      words: /web\.1 failed 3 times, last on \S+ with exit code 3: task: non-zero exit \(3\)/,
      log: /\| boom$/m,
      kept: /boom/,
      told: failure(3),
    },
  },
  {
    label: 'crash-global',
    what: 'the same on every node (`mode: global`)',
    manifest: oneService('tb/crash:1', `    deploy: { mode: global, ${restarts()} }`),
    expected: {
      status: 'failed',
      reason: 'crash-loop',
      services: ['web failed 0/1'],
      words: /web on \S+ failed 3 times, last on \S+ with exit code 3: task: non-zero exit \(3\)/,
      told: failure(3),
    },
  },
  {
    label: 'patience',
    what: 'an image that may come yet (`max-failures: 0`, `timeout: 20s`)',
    manifest: oneService('tb/nosuch:1', `    deploy: { ${restarts()} }`),
    inputs: { 'max-failures': '0', timeout: '20s', monitor: '15s' },
    expected: {
      status: 'timed-out',
      reason: 'timeout',
      services: ['web progressing 0/1'],
      words: /0\/1 running; web\.1 .*tb\/nosuch:1/,
      told: begun(20),
    },
  },
  {
    label: 'attempts',
    what: 'restart attempts that are used up (`max_attempts: 2`)',
    manifest: oneService(
      'tb/crash:1',
      '    deploy: { restart_policy: { condition: on-failure, max_attempts: 2, delay: 1s } }',
    ),
    inputs: { 'max-failures': '0' },
    expected: {
      status: 'failed',
      reason: 'crash-loop',
      services: ['web failed 0/1'],
      words: /Swarm does not start it again \(its restart attempts are used up\)/,
      told: failure(3),
    },
  },
  {
    label: 'no-program-attempts',
    what: 'an entrypoint that is not in the image, and attempts that are used up',
    manifest: oneService(
      'tb/ok:1',
      '    entrypoint: [/does/not/exist]',
      '    deploy: { restart_policy: { condition: on-failure, max_attempts: 1, delay: 1s } }',
    ),
    expected: {
      status: 'failed',
      reason: 'crash-loop',
      services: ['web failed 0/1'],
      line: 5,
      words:
        /starting container failed.*\/does\/not\/exist.*Swarm does not start it again \(its restart attempts are used up\)/,
      told: failure(2),
    },
  },
  {
    label: 'once',
    what: 'a process that exits with 3 and is not restarted (`condition: none`)',
    manifest: oneService('tb/crash:1', '    deploy: { restart_policy: { condition: none } }'),
    expected: {
      status: 'failed',
      reason: 'exited',
      services: ['web failed 0/1'],
      words: /exit code 3: task: non-zero exit \(3\); Swarm does not start it again \(its restart condition is none\)/,
      told: failure(1),
    },
  },
  {
    label: 'ends',
    what: 'a server that ends with exit code 0, over and over',
    manifest: oneService('tb/job:1', `    deploy: { ${restarts()} }`),
    expected: {
      status: 'failed',
      reason: 'exited',
      services: ['web failed 0/1'],
      words: /web\.1 ended 3 times, last on \S+ with exit code 0, but must keep running/,
      told: failure(3),
    },
  },
  {
    label: 'no-program',
    what: 'an entrypoint that is not in the image',
    manifest: oneService('tb/ok:1', '    entrypoint: [/does/not/exist]', `    deploy: { ${restarts()} }`),
    expected: {
      status: 'failed',
      reason: 'crash-loop',
      services: ['web failed 0/1'],
      line: 5,
      words: /\/does\/not\/exist/,
      told: failure(3),
    },
  },
  {
    label: 'no-image',
    what: 'an image that does not exist',
    manifest: oneService('tb/nosuch:1', `    deploy: { ${restarts()} }`),
    expected: {
      status: 'failed',
      reason: 'image-pull',
      services: ['web failed 0/1'],
      words: /web\.1 was rejected 3 times, last on \S+: .*tb\/nosuch:1/,
      told: failure(3),
    },
  },
  {
    label: 'no-image-slow',
    what: 'an image that does not exist, tried again every minute',
    manifest: oneService('tb/nosuch:1', `    deploy: { ${restarts('60s')} }`),
    expected: {
      status: 'failed',
      reason: 'image-pull',
      services: ['web failed 0/1'],
      words: /web\.1 was rejected .*: .*tb\/nosuch:1/,
      told: failure(1, 25),
    },
  },
  {
    label: 'pull-hangs',
    what: 'an image whose download never ends (`timeout: 70s`)',
    before: withRegistry(18984, 'manifest', plainImage),
    manifest: oneService('127.0.0.1:18984/x:1'),
    inputs: { timeout: '70s' },
    expected: {
      status: 'timed-out',
      reason: 'stalled',
      services: ['web progressing 0/1'],
      words: /0\/1 running; web\.1 preparing on \S+ \(pulling the image\?\) for \d\d s/,
      told: begun(70),
    },
  },
  {
    label: 'sick',
    what: 'a health check that never passes',
    manifest: oneService(
      'tb/sick:1',
      '    healthcheck: { interval: 700ms, test: "echo sick; exit 1", retries: 1 }',
      `    deploy: { ${restarts()} }`,
    ),
    inputs: { 'log-lines': '5' },
    expected: {
      status: 'failed',
      reason: 'unhealthy',
      services: ['web failed 0/1'],
      words: /task: non-zero exit \(\d+\): dockerexec: unhealthy container/,
      line: 5,
      log: /its health check failed \d+ times in a row, last with exit code 1:\n *> sick$/m,
      summary: /```text\nsick\n```/,
      kept: /sick\\n/,
      told: failure(3),
    },
  },
  {
    label: 'too-slow',
    what: 'a slow starter that its health check kills',
    manifest: oneService(
      'tb/slow:1',
      '    healthcheck: { start_period: 1ms, interval: 500ms, retries: 2, test: test -e /tmp/ready }',
      "    environment: { START_DELAY: '300' }",
      `    deploy: { ${restarts()} }`,
    ),
    expected: {
      status: 'failed',
      reason: 'unhealthy',
      services: ['web failed 0/1'],
      words: /unhealthy container/,
      line: 5,
      told: failure(3),
    },
  },
  {
    label: 'flaps',
    what: 'healthy at first, unhealthy within the monitor window, over and over',
    manifest: oneService(
      'tb/flips:1',
      "    environment: { OK_FOR: '3' }",
      `    deploy: { ${restarts()}, update_config: { monitor: 60s } }`,
    ),
    expected: {
      status: 'failed',
      reason: 'unhealthy',
      services: ['web failed 0/1'],
      words: /web\.1 failed 3 times.*unhealthy container/,
      told: failure(3),
    },
  },
  {
    label: 'greedy',
    what: 'more memory than the limit (killed by the kernel, `condition: none`)',
    manifest: oneService(
      'tb/ok:1',
      '    command: [sh, -c, "x=a; while :; do x=$$x$$x; done"]',
      '    deploy:',
      '      resources: { limits: { memory: 8M } }',
      '      restart_policy: { condition: none }',
    ),
    inputs: { monitor: '60s' },
    expected: {
      status: 'failed',
      reason: 'out-of-memory',
      services: ['web failed 0/1'],
      words: /exit code 137: task: non-zero exit \(137\).*; the kernel killed it for want of memory/,
      line: 7,
      log: /may use 8 MiB of memory/,
      told: failure(1),
    },
  },
  {
    label: 'mount',
    what: 'a bind mount whose source is not on the node',
    manifest: oneService('tb/ok:1', '    volumes: [/no/such:/x]', `    deploy: { ${restarts()} }`),
    expected: {
      status: 'failed',
      reason: 'mount',
      services: ['web failed 0/1'],
      words: /bind source path does not exist: \/no\/such/,
      line: 5,
      told: failure(3),
    },
  },
  {
    label: 'log-driver',
    what: 'a log driver whose server cannot be reached',
    manifest: oneService(
      'tb/ok:1',
      '    logging: { driver: fluentd, options: { fluentd-address: "127.0.0.1:9" } }',
      `    deploy: { ${restarts()} }`,
    ),
    expected: {
      status: 'failed',
      reason: 'rejected',
      services: ['web failed 0/1'],
      line: 5,
      words: /failed to initialize logging driver/,
      told: failure(3),
    },
  },
  {
    label: 'port-taken',
    what: 'a host port that another container holds',
    manifest: oneService(
      'tb/ok:1',
      '    ports: [{ target: 8080, published: 18971, mode: host }]',
      `    deploy: { ${restarts('8s')} }`,
    ),
    before: async ({ socket, name }) => {
      // Not one of Swarm's, so that its scheduler knows nothing of the port.
      await engineCall(socket, 'POST', `/containers/create?name=${name}`, {
        Image: 'tb/ok:1',
        HostConfig: { PortBindings: { '8080/tcp': [{ HostPort: '18971' }] } },
      })
      await engineCall(socket, 'POST', `/containers/${name}/start`)
      return () => engineCall(socket, 'DELETE', `/containers/${name}?force=true`)
    },
    expected: {
      status: 'failed',
      reason: 'port-in-use',
      services: ['web failed 0/1'],
      words: /port is already allocated/,
      line: 5,
      told: failure(1, 30),
    },
  },
  {
    label: 'port-twice',
    what: 'a host port for more replicas than there are nodes',
    manifest: oneService(
      'tb/ok:1',
      '    ports: [{ target: 8080, published: 18972, mode: host }]',
      '    deploy: { replicas: 2 }',
    ),
    expected: {
      status: 'failed',
      reason: 'no-suitable-node',
      services: ['web failed 1/2'],
      words: /no suitable node \(host-mode port already in use on 1 node\); a node can publish host port 18972 for one/,
      line: 5,
      told: unplaced(30),
    },
  },
  {
    label: 'constraint',
    what: 'a constraint that no node satisfies',
    manifest: oneService('tb/ok:1', '    deploy:', '      placement: { constraints: [node.labels.disk==none] }'),
    expected: {
      status: 'failed',
      reason: 'no-suitable-node',
      services: ['web failed 0/1'],
      words: /no suitable node \(scheduling constraints not satisfied on 1 node\).*node\.labels\.disk==none/,
      line: 6,
      told: unplaced(5),
    },
  },
  {
    label: 'spread',
    what: 'more replicas than `max_replicas_per_node` allows',
    manifest: oneService(
      'tb/ok:1',
      '    deploy:',
      '      replicas: 2',
      '      placement: { max_replicas_per_node: 1 }',
    ),
    expected: {
      status: 'failed',
      reason: 'no-suitable-node',
      services: ['web failed 1/2'],
      words: /max replicas per node limit exceed.*2 tasks are wanted, at most 1 on a node/,
      line: 7,
      told: unplaced(20),
    },
  },
  {
    label: 'memory',
    what: 'a reservation that is larger than any node',
    manifest: oneService('tb/ok:1', '    deploy:', '      resources: { reservations: { memory: 900G } }'),
    expected: {
      status: 'failed',
      reason: 'no-suitable-node',
      services: ['web failed 0/1'],
      words: /insufficient resources on 1 node\); each task reserves 921600 MiB of memory/,
      line: 6,
      told: unplaced(20),
    },
  },
  {
    label: 'platform',
    what: 'an image that is built for another platform only',
    before: withRegistry(18983, 'manifest.list', forMainframes),
    manifest: oneService('127.0.0.1:18983/x:1'),
    inputs: { 'resolve-image': 'always' },
    expected: {
      status: 'failed',
      reason: 'no-suitable-node',
      services: ['web failed 0/1'],
      words:
        /unsupported platform on 1 node\); the image is built for linux\/s390x, the nodes are linux\/\S+ \(manager\)/,
      told: unplaced(5),
    },
  },
  {
    label: 'volume-plugin',
    what: 'a volume driver that no node has',
    manifest: `${oneService('tb/ok:1', '    volumes: [data:/data]')}volumes: { data: { driver: rexray } }\n`,
    expected: {
      status: 'failed',
      reason: 'no-suitable-node',
      services: ['web failed 0/1'],
      words: /missing plugin on 1 node\); no node has the volume driver rexray/,
      line: 5,
      told: unplaced(5),
    },
  },
  {
    label: 'log-plugin',
    what: 'a log driver that no node has',
    manifest: oneService('tb/ok:1', '    logging: { driver: loki }'),
    expected: {
      status: 'failed',
      reason: 'no-suitable-node',
      services: ['web failed 0/1'],
      words: /missing plugin on 1 node\); no node has the log driver loki/,
      line: 5,
      told: unplaced(5),
    },
  },
  {
    label: 'no-secret',
    what: 'an external secret that does not exist',
    manifest: `${oneService('tb/ok:1', '    secrets: [matrix-nosuch]')}secrets: { matrix-nosuch: { external: true } }\n`,
    expected: {
      status: 'refused',
      reason: 'missing-resource',
      services: [],
      words: /matrix-nosuch/,
      line: 6,
      told: begun(),
    },
  },
  {
    label: 'addresses',
    what: 'a network with too few addresses, `timeout: 25s`',
    manifest: `${oneService('tb/ok:1', '    networks: [tight]', '    deploy: { replicas: 3 }')}networks: { tight: { ipam: { config: [{ subnet: 10.253.7.0/30 }] } } }\n`,
    inputs: { timeout: '25s', monitor: '15s' },
    expected: {
      status: 'timed-out',
      reason: 'network',
      services: ['web progressing 0/3'],
      words: /waiting for its networks and ports for \d+ s/,
      line: 5,
      told: begun(25),
    },
  },
  {
    label: 'beside',
    what: 'a server that runs, and a worker that crashes beside it',
    manifest: `${oneService('tb/ok:1')}  worker:
    image: tb/crash:1
    deploy: { ${restarts('3s')} }
`,
    expected: {
      status: 'failed',
      reason: 'crash-loop',
      services: ['web converged 1/1', 'worker failed 0/1'],
      words: /worker\.1 failed 3 times/,
      line: 6,
      told: failure(3),
    },
  },
  {
    label: 'late',
    what: 'one that is not ready when the time is up (`timeout: 15s`), and one without replicas',
    manifest: `${oneService('tb/slow:1', "    environment: { START_DELAY: '300' }")}  none: { image: tb/ok:1, deploy: { replicas: 0 } }\n`,
    inputs: { timeout: '15s', ...quick },
    expected: {
      status: 'timed-out',
      reason: 'timeout',
      services: ['web progressing 0/1', 'none converged 0/0'],
      words:
        /1 of 2 services had converged: web: 0\/1 running; web\.1 (?:starting|preparing) on \S+(?: \(\D+\))? for \d+ s/,
      told: begun(15),
    },
  },
  {
    label: 'waits-for-db',
    what: 'one that crashes until its database is up',
    before:
      async ({ socket, name }) =>
      () =>
        removeVolume(socket, `${name}_up`),
    manifest: `${oneService(
      'tb/ok:1',
      '    command: [sh, -c, "test -e /up/yes || exit 3; exec httpd -f -p 8080"]',
      '    volumes: [up:/up]',
      `    deploy: { ${restarts('1s')} }`,
    )}  db:
    image: tb/ok:1
    command: [sh, -c, "sleep 6; touch /up/yes; exec httpd -f -p 8080"]
    volumes: [up:/up]
    stop_grace_period: 1s
volumes: { up: {} }
`,
    inputs: { 'max-failures': '100' },
    expected: {
      status: 'converged',
      services: ['web converged 1/1', 'db converged 1/1'],
      log: /web\.1 .*failed .*exit code 3/,
      told: started(5),
    },
  },
  {
    label: 'slow',
    what: 'a slow starter with a start period',
    manifest: oneService('tb/slow:1', "    environment: { START_DELAY: '8' }"),
    expected: { status: 'converged', services: ['web converged 1/1'], told: started(5) },
  },
]
