import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeToBlame } from '../../src/commands/placeToBlame.ts'
import type { ServiceObject } from '../../src/convert/stackSpec.ts'
import type { Verdict } from '../../src/health/verdict.ts'

const keys = [
  ...['image', 'entrypoint', 'command', 'healthcheck', 'networks', 'logging', 'sysctls', 'ulimits', 'cap_add', 'user'],
  ...['ports', 'ports.0', 'ports.1', 'volumes', 'volumes.0', 'volumes.1', 'deploy.placement', 'deploy.resources'],
]

const source = {
  key: 'web',
  name: 'shop_web',
  image: 'web',
  position: { file: 'stack.yml', line: 99, column: 1 },
  places: Object.fromEntries(keys.map((key, line) => [key, { file: 'stack.yml', line, column: 1 }])),
  spec: {
    TaskTemplate: {
      ContainerSpec: {
        Mounts: [
          { Type: 'bind', Source: '/srv', Target: '/a' },
          { Type: 'bind', Source: '/srv/none', Target: '/b' },
        ],
      },
    },
    EndpointSpec: { Ports: [{ PublishedPort: 80 }, { PublishedPort: 8080 }] },
  },
} as unknown as ServiceObject

const cases: readonly (readonly [key: string, code: Verdict['code'], sentence: string])[] = [
  ['ports.1', 'port-in-use', 'Bind for 0.0.0.0:8080 failed: port is already allocated'],
  ['ports.0', 'port-in-use', 'Bind for 0.0.0.0:80 failed: port is already allocated'],
  ['ports.0', 'port-in-use', 'address already in use'],
  ['volumes.1', 'mount', 'invalid mount config for type "bind": bind source path does not exist: /srv/none'],
  ['volumes.0', 'mount', 'bind source path does not exist: /srv'],
  ['volumes.0', 'mount', 'failed to mount local volume'],
  ['sysctls', 'rejected', 'open /proc/sys/net/nonsense: no such file or directory: unknown'],
  ['ulimits', 'rejected', 'error setting rlimit type 7: operation not permitted'],
  ['deploy.resources', 'rejected', 'Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available'],
  ['cap_add', 'rejected', 'invalid CapAdd: unknown capability: "CAP_NONE"'],
  ['logging', 'rejected', 'failed to initialize logging driver: dial tcp 127.0.0.1:9'],
  ['entrypoint', 'crash-loop', 'exec: "/nosuch": stat /nosuch: no such file or directory'],
  ['user', 'crash-loop', 'unable to find user nobody2: no matching entries in passwd file'],
  ['image', 'crash-loop', 'web.1 failed 3 times, last on a with exit code 3: task: non-zero exit (3)'],
  ['image', 'image-pull', 'No such image: tb/nosuch:1'],
  ['healthcheck', 'unhealthy', 'dockerexec: unhealthy container'],
]

for (const [key, code, sentence] of cases) {
  test(`the line of ${key} for ${code}: ${sentence}`, () => {
    assert.equal(placeToBlame(source, { code, sentence } as Verdict), source.places[key])
    assert.equal(placeToBlame(source, { code: 'paused', cause: code, sentence } as Verdict), source.places[key])
  })
}
