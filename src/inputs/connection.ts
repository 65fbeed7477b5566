// Where the managers are, and what it takes to get there.
import { type Endpoint, endpoints, isLoopback, type SshAddress } from './endpoint.ts'
import type { HostFingerprint } from './hostFingerprint.ts'
import type { Environment, Reader } from './reader.ts'

/** Durations are milliseconds. */
export interface ConnectionInputs {
  /** At least one, in the order to be tried. */
  readonly endpoints: readonly Endpoint[]
  /** Private key text, as given. */
  readonly sshKey: string | undefined
  readonly sshKeyPassphrase: string | undefined
  /** `$SSH_AUTH_SOCK`; used where there is no key. */
  readonly sshAgent: string | undefined
  /** known_hosts text; undefined means the file. */
  readonly knownHosts: string | undefined
  readonly hostFingerprints: readonly HostFingerprint[]
  readonly hostKeyCheck: 'strict' | 'off'
  /** To log in to the endpoints with, never to a jump host. */
  readonly sshPassword: string | undefined
  /** Passed through in this order. */
  readonly jumpHosts: readonly SshAddress[]
  /** As given; undefined means `sshKey`. */
  readonly jumpSshKey: string | undefined
  /** PEM texts, as given; undefined means no TLS, which only loopback may do without. */
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string } | undefined
  readonly dockerSocket: string
  readonly connectTimeout: number
}

/** Reads them all and checks that they go together. */
export function connectionInputs(reader: Reader, env: Environment): ConnectionInputs {
  const reachable = reader.value('host') ?? (reader.failed('host') ? undefined : fromDockerHost(reader, env))
  const dockerSocket = reader.value('docker-socket')
  if (!dockerSocket.startsWith('/')) {
    reader.error('the input `docker-socket`: it is no absolute path', 'Write one such as `/var/run/docker.sock`.')
  }
  return {
    endpoints: reachable ?? [],
    ...login(reader, env, reachable ?? []),
    ...hostKeys(reader, (reachable ?? []).length),
    tls: tlsMaterial(reader, reachable ?? []),
    dockerSocket,
    connectTimeout: reader.value('connect-timeout'),
  }
}

function login(reader: Reader, env: Environment, reachable: readonly Endpoint[]) {
  const overSsh = reachable.some(({ kind }) => kind === 'ssh')
  const overNetwork = reachable.some(({ kind }) => kind !== 'unix')
  const sshKey = reader.value('ssh-key')
  const sshKeyPassphrase = reader.value('ssh-key-passphrase')
  const sshPassword = reader.value('ssh-password')
  const jumpSshKey = reader.value('jump-ssh-key')
  const jumpHosts = reader.value('jump-host') ?? []
  const sshAgent = env.SSH_AUTH_SOCK || undefined
  if (overSsh && sshKey === undefined && sshPassword === undefined && sshAgent === undefined) {
    reader.error(
      'there is nothing to log in with: `ssh-key` is not given or empty, and no agent is running',
      'Set `ssh-key`. If it is set, the secret behind it is misspelt, missing, or in an environment that the job does not name.',
    )
  } else if (overNetwork && jumpHosts.length > 0 && (jumpSshKey ?? sshKey ?? sshAgent) === undefined) {
    reader.error(
      sshPassword === undefined
        ? 'there is nothing to log in to `jump-host` with'
        : 'there is nothing to log in to `jump-host` with: `ssh-password` is never sent to a jump host',
      'Set `jump-ssh-key`.',
    )
  }
  if (sshKeyPassphrase !== undefined && sshKey === undefined && jumpSshKey === undefined) {
    reader.warning(
      'the input `ssh-key-passphrase` is ignored, since `ssh-key` is not given',
      'Set `ssh-key`, or leave the passphrase out.',
    )
  }
  if (jumpSshKey !== undefined && jumpHosts.length === 0 && !reader.failed('jump-host')) {
    reader.warning(
      'the input `jump-ssh-key` is ignored, since `jump-host` is not given',
      'Set `jump-host`, or leave the key out.',
    )
  }
  if (reachable.length > 0 && !overNetwork && jumpHosts.length > 0) {
    reader.warning(
      'the input `jump-host` is ignored, since every `host` is a socket of this machine',
      'Leave it out, or let `host` name managers by `ssh://`.',
    )
  }
  return { sshKey, sshKeyPassphrase, sshPassword, sshAgent, jumpHosts, jumpSshKey }
}

function hostKeys(reader: Reader, endpointCount: number) {
  const hostKeyCheck = reader.value('host-key-check')
  if (hostKeyCheck === 'off' && reader.given('ssh-password') !== undefined) {
    reader.error(
      '`host-key-check: off` together with `ssh-password` would hand the password to whoever answers',
      'Leave the check on, and set `known-hosts` or `host-fingerprint`.',
    )
  }
  const hostFingerprints = reader.value('host-fingerprint') ?? []
  const several = endpointCount > 1 ? 'there are several `host` lines' : 'there is a `jump-host`'
  if (hostFingerprints.some(({ host }) => host === undefined) && (endpointCount > 1 || reader.given('jump-host'))) {
    reader.error(
      `the input \`host-fingerprint\`: a line names no host, and ${several}`,
      'Write each line as `host SHA256:…` or `host:port SHA256:…`.',
    )
  }
  return { hostKeyCheck, hostFingerprints, knownHosts: reader.value('known-hosts') }
}

function tlsMaterial(reader: Reader, reachable: readonly Endpoint[]): ConnectionInputs['tls'] {
  const [ca, cert, key] = [reader.value('tls-ca'), reader.value('tls-cert'), reader.value('tls-key')]
  const missing = Object.entries({ 'tls-ca': ca, 'tls-cert': cert, 'tls-key': key })
    .filter(([, text]) => text === undefined)
    .map(([name]) => `\`${name}\``)
  const open = reachable.find((one) => one.kind === 'tcp' && !isLoopback(one.host))
  if (missing.length < 3 && !reachable.some((one) => one.kind === 'tcp')) {
    reader.warning(
      'the inputs `tls-ca`, `tls-cert` and `tls-key` are ignored, since no `host` begins with tcp://',
      'Leave them out, or write the manager as `tcp://host:port`.',
    )
  } else if (missing.length > 0 && (missing.length < 3 || open !== undefined)) {
    reader.error(
      `tcp:// needs \`tls-ca\`, \`tls-cert\` and \`tls-key\`, but ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
      'An engine that listens without them gives root to everyone who reaches its port. Set all three, or use `ssh://`.',
    )
  }
  return ca === undefined || cert === undefined || key === undefined ? undefined : { ca, cert, key }
}

function fromDockerHost(reader: Reader, env: Environment): readonly Endpoint[] | undefined {
  if (env.DOCKER_HOST?.trim()) return reader.settle('$DOCKER_HOST', endpoints(env.DOCKER_HOST))
  reader.error(
    'the input `host` is missing, and $DOCKER_HOST is not set',
    'Set it to a manager, as in `host: ssh://deploy@manager.example.com`.',
  )
  return undefined
}
