import type { FailureCode } from '../errors.ts'

/** What a task's error text means. */
export interface Cause {
  readonly code: FailureCode
  /** Whether trying again without a change is hopeless or nearly so: then a run gives up without waiting for more failures. */
  readonly definite: boolean
  /** Whether something that is going may hold what is wanted for a while yet: then a run is patient. */
  readonly held?: boolean | undefined
  /** Better advice than the code's general one. */
  readonly remedy?: string | undefined
}

/** The cause of a task's `Status.Err`; undefined where it only says that the process ended. The first rule that matches counts. */
export function causeOf(error: string): Cause | undefined {
  return rules.find((rule) => rule.pattern.test(error))
}

interface Rule extends Cause {
  readonly pattern: RegExp
}

// The texts are those of dockerd 20.10 to 29 (seen live, or in moby's sources and issue threads).
const rules: readonly Rule[] = [
  {
    pattern: /no space left on device/i,
    code: 'rejected',
    definite: true,
    remedy: "The node's disk is full: free space there (`docker system df`, `docker system prune`).",
  },
  { pattern: /unhealthy container/i, code: 'unhealthy', definite: false },
  {
    pattern: /\boom[- ]?kill|out of memory|cannot allocate memory/i,
    code: 'out-of-memory',
    definite: false,
  },
  {
    pattern: /no matching manifest for|cannot be used on this platform|exec format error/i,
    code: 'image-pull',
    definite: true,
    remedy:
      'The image is not built for the platform of that node: build it for all platforms of the swarm, or add a placement constraint on node.platform.arch.',
  },
  {
    pattern: /toomanyrequests|rate limit/i,
    code: 'image-pull',
    definite: true,
    remedy: 'The registry limits how often images are pulled: sign in to it with `registry-auth`, or use a mirror.',
  },
  {
    pattern:
      /pull access denied|unauthorized|no basic auth credentials|authentication required|denied: requested access/i,
    code: 'image-pull',
    definite: true,
    remedy:
      'The nodes may not pull the image: give credentials that can read it with `registry-auth`, and check its name.',
  },
  {
    pattern: /no such image|manifest (for .* )?(unknown|not found)|name unknown|repository does not exist/i,
    code: 'image-pull',
    definite: true,
  },
  {
    pattern:
      /error pulling image|failed to (pull|register layer|extract layer|unpack image|resolve reference|copy: httpReadSeeker)/i,
    code: 'image-pull',
    definite: true,
  },
  // From Docker 29.6 on, nodes tell what the registry, or the way to it, said; before, only "No such image".
  { pattern: /^(get|head) "?https?:\/\/|unexpected http status/i, code: 'image-pull', definite: true },
  {
    pattern: /failed to initialize logging driver/i,
    code: 'rejected',
    definite: false,
    remedy:
      'The log driver that `logging:` names could not begin: check its options, and that what it sends logs to can be reached from that node.',
  },
  {
    pattern: /\/proc\/sys\/|sysctl/i,
    code: 'rejected',
    definite: true,
    remedy: "That node's kernel does not know, or not allow, one of `sysctls:`: correct its name, or take it away.",
  },
  {
    pattern: /setting rlimit/i,
    code: 'rejected',
    definite: true,
    remedy: 'One of `ulimits:` is more than that node allows: lower it, or raise the limit of its dockerd.',
  },
  {
    pattern: /range of cpus|minimum memory limit|invalid capadd|unknown capability/i,
    code: 'rejected',
    definite: true,
    remedy: 'The node cannot give what the service asks for: correct `deploy.resources.limits` or `cap_add:`.',
  },
  { pattern: /port is already allocated|address already in use/i, code: 'port-in-use', definite: false, held: true },
  {
    pattern: /(secret|config) .*not found|unable to get (secret|config)|from (secret|config) store/i,
    code: 'missing-resource',
    definite: true,
  },
  {
    pattern: /invalid mount config|bind source path does not exist|bind mount/i,
    code: 'mount',
    definite: true,
  },
  {
    pattern:
      /mounting|failed to mount|creating mount source path|mount a directory onto a file|VolumeDriver\.|no such volume/i,
    code: 'mount',
    definite: true,
  },
  // Engine 28 gives the subnet of a removed network away at once, and a node may not have let go of it.
  {
    pattern: /pool overlaps/i,
    code: 'network',
    definite: false,
    held: true,
    remedy:
      'Something on that node still has the subnet that Swarm gave the network: mostly a network removed shortly before whose containers are still stopping, so deploy again in a minute. If that does not help, choose another `subnet:` for the network, or free this one there (`docker network ls`).',
  },
  {
    pattern: /error creating vxlan interface: file exists/i,
    code: 'network',
    definite: false,
    remedy:
      "That node has a network interface with the VXLAN id of this network already, left by another network or by other software: find it there with `ip -d link show type vxlan` and remove it, or restart that node's dockerd.",
  },
  {
    pattern:
      /network .*not found|could not find (a )?network|attaching to network|network sandbox|sandbox join|failed to allocate network|ip addresses may be exhausted|no available (ipv[46] )?address|driver failed programming external connectivity/i,
    code: 'network',
    definite: false,
  },
  { pattern: /no suitable node|no longer meets constraints/i, code: 'no-suitable-node', definite: false },
  {
    pattern: /executable file not found|exec: ".*": (stat|permission denied|is a directory)|no such file or directory/i,
    code: 'crash-loop',
    definite: true,
    remedy:
      'The container cannot be started with this command: check `entrypoint` and `command`, and that the file is in the image and executable.',
  },
  {
    pattern: /unable to find (user|group)/i,
    code: 'crash-loop',
    definite: true,
    remedy:
      "The image does not know the user that `user:` names: create it in the image, or use a number such as '1000'.",
  },
  {
    pattern:
      /unknown (or invalid )?runtime|unsupported|invalid (argument|config)|starting container failed|runtime create failed/i,
    code: 'rejected',
    definite: true,
  },
]
