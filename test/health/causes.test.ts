import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causeOf } from '../../src/health/causes.ts'
import { remedies } from '../../src/health/remedies.ts'

// Texts of dockerd, some shortened.
const table: readonly (readonly [error: string, code: string | undefined, remedy?: RegExp])[] = [
  ['No such image: tb/nosuch:1', 'image-pull'],
  [
    'pull access denied for x/y, repository does not exist or may require "docker login"',
    'image-pull',
    /registry-auth/,
  ],
  ['manifest for nginx:nope not found: manifest unknown: manifest unknown', 'image-pull'],
  ['manifest unknown', 'image-pull'],
  ['Get "https://r.example/v2/": unauthorized: authentication required', 'image-pull', /registry-auth/],
  ['Head "https://r.example/v2/x/manifests/1": no basic auth credentials', 'image-pull', /registry-auth/],
  ['toomanyrequests: You have reached your pull rate limit', 'image-pull', /limits/],
  ['no matching manifest for linux/arm64/v8 in the manifest list entries', 'image-pull', /platform/],
  ['exec /bin/app: exec format error', 'image-pull', /platform/],
  [
    'failed to resolve reference "docker.io/tb/nosuch:1": failed to do request: Head "https://registry-1.docker.io/v2/tb/nosuch/manifests/1": dial tcp: lookup registry-1.docker.io on 127.0.0.1:53: read udp 127.0.0.1:40945->127.0.0.1:53: read: connection refused',
    'image-pull',
  ],
  [
    'failed to resolve reference "r.example/x:1": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
    'image-pull',
    /registry-auth/,
  ],
  ['Get "https://r.example/v2/": dial tcp 192.0.2.1:443: i/o timeout', 'image-pull'],
  ['received unexpected HTTP status: 503 Service Unavailable', 'image-pull'],
  ['failed to register layer: write /usr/lib/x: no space left on device', 'rejected', /disk/],
  ['task: non-zero exit (137): dockerexec: unhealthy container', 'unhealthy'],
  ['task: non-zero exit (3)', undefined],
  ['task: non-zero exit (137)', undefined],
  ['', undefined],
  ['invalid mount config for type "bind": bind source path does not exist: /no/such', 'mount'],
  ['error while mounting volume "/x": VolumeDriver.Mount: no answer', 'mount'],
  ['starting container failed: error mounting "/etc" to rootfs at "/etc/passwd": not a directory: unknown', 'mount'],
  [
    'starting container failed: driver failed programming external connectivity on endpoint x: Bind for 0.0.0.0:80 failed: port is already allocated',
    'port-in-use',
  ],
  ['listen tcp4 0.0.0.0:80: bind: address already in use', 'port-in-use'],
  [
    'starting container failed: driver failed programming external connectivity on endpoint x: iptables failed',
    'network',
  ],
  ['network shop_default not found', 'network'],
  [
    'network sandbox join failed: subnet sandbox join failed for "10.0.2.0/24": error creating vxlan interface: file exists',
    'network',
    /VXLAN id/,
  ],
  ['Could not find network attachment: network sandbox for container x not found', 'network'],
  ['failed to allocate network IP for task x: no available IPv4 addresses', 'network'],
  ["starting container failed: no available IPv6 addresses on this network's address pools: shop_net (q1)", 'network'],
  ['invalid pool request: Pool overlaps with other one on this address space', 'network', /again in a minute/],
  [
    'starting container failed: failed to set up container networking: driver failed programming external connectivity on endpoint x (q1): Bind for 0.0.0.0:80 failed: port is already allocated',
    'port-in-use',
  ],
  [
    'starting container failed: failed to set up container networking: driver failed programming external connectivity on endpoint x (q1): failed to bind host port 0.0.0.0:80/tcp: address already in use',
    'port-in-use',
  ],
  ['invalid bind mount source, source path not found: /no/such', 'mount'],
  ['unable to get secret from secret store: secret q1 not found', 'missing-resource'],
  ['config lvq3 not found', 'missing-resource'],
  ['no suitable node (insufficient resources on 2 nodes)', 'no-suitable-node'],
  ['assigned node no longer meets constraints', 'no-suitable-node'],
  [
    'starting container failed: unable to start container process: exec: "/x": stat /x: no such file or directory: unknown',
    'crash-loop',
    /entrypoint/,
  ],
  [
    'starting container failed: unable to start container process: exec: "/srv/index.html": permission denied: unknown',
    'crash-loop',
    /executable/,
  ],
  ['starting container failed: unable to find user nosuch: no matching entries in passwd file', 'crash-loop', /user/],
  ['write /var/lib/docker/x: no space left on device', 'rejected', /disk/],
  [
    'starting container failed: failed to initialize logging driver: dial tcp 127.0.0.1:9: connect: connection refused',
    'rejected',
    /logging/,
  ],
  [
    'starting container failed: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: open /proc/sys/net/nope/x: no such file or directory: unknown',
    'rejected',
    /sysctls/,
  ],
  [
    'starting container failed: error during container init: error setting rlimits for ready process: error setting rlimit type 7: operation not permitted: unknown',
    'rejected',
    /ulimits/,
  ],
  ['Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available', 'rejected', /resources\.limits/],
  ['Minimum memory limit allowed is 6MB', 'rejected', /resources\.limits/],
  ['invalid CapAdd: unknown capability: "CAP_NOPE"', 'rejected', /cap_add/],
  ['starting container failed: something new', 'rejected'],
  [
    "starting container failed: error while mounting volume '/v/nfsv/_data': failed to mount local volume: mount :/x:/v/nfsv/_data, data: addr=127.0.0.1: no such device",
    'mount',
  ],
  [
    'starting container failed: unable to start container process: error during container init: error mounting "tmpfs" to rootfs at "/etc/passwd": not a directory: unknown: Are you trying to mount a directory onto a file (or vice-versa)?',
    'mount',
  ],
  ['starting container failed: Unable to find group nosuch: no matching entries in group file', 'crash-loop', /user/],
  ['fork/exec /usr/bin/x: cannot allocate memory', 'out-of-memory'],
]

for (const [error, code, remedy] of table) {
  test(`${code ?? 'no cause'}: ${error}`, () => {
    const cause = causeOf(error)
    assert.equal(cause?.code, code)
    if (remedy !== undefined) assert.match(cause?.remedy ?? '', remedy)
  })
}

test('every failure code has a remedy that is a sentence', () => {
  for (const [code, remedy] of Object.entries(remedies)) assert.match(remedy, /^[A-Z].{20,}\.$/, code)
})
