import { DeployError } from '../errors.ts'

/** What was going on when a connection attempt ended. */
export type Phase = 'credentials' | 'looking up' | 'handshake' | 'login' | 'tls' | 'engine'

/** What is connected to, for messages. */
export interface Place {
  /** `host:port` or `[host]:port`, and through what. */
  readonly where: string
  /** The input that names it. */
  readonly input: 'host' | 'jump-host'
  /** What should listen there: `sshd`. */
  readonly daemon: 'sshd' | 'the Docker engine'
}

/** A TCP connection that did not come about. */
export function tcpError(error: unknown, place: Place): DeployError {
  const code = codeOf(error)
  const { where, input, daemon } = place
  const reachable = reachableFrom(input)
  const [why, remedy] = {
    ENOTFOUND: [
      'its name does not resolve (DNS)',
      `Check the spelling in \`${input}\`, and that the name resolves where the runner runs.`,
    ],
    EAI_AGAIN: [
      'the name server did not answer (DNS)',
      'Try again; if it stays, check the DNS of the runner, or use an address.',
    ],
    ECONNREFUSED: [
      'the connection was refused, nobody listens there',
      `Check the port in \`${input}\`, and that ${daemon} listens on it on the server.`,
    ],
    EHOSTUNREACH: ['there is no route to the host', reachable],
    ENETUNREACH: ['there is no route to its network', reachable],
    ETIMEDOUT: ['nobody answered', reachable],
    ECONNRESET: [
      'the other side hung up at once',
      `Something between runner and server may block it; check the port in \`${input}\`.`,
    ],
  }[code] ?? [`the connection failed (${code || 'no reason given'})`, reachable]
  return new DeployError('connection', `Could not connect to ${where}: ${why}.`, { cause: error, remedy })
}

function reachableFrom(input: Place['input']): string {
  return `Check the address and port in \`${input}\`, and that the runner may reach them (firewall, VPN, private network).`
}

/** Node tries every address of a name and wraps several failures into one. */
function codeOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error && 'code' in first ? String(first.code) : ''
}

/** The time for connecting is up. */
export function timeoutError(phase: Phase, { where, input }: Place, milliseconds: number): DeployError {
  const seconds = Math.round(milliseconds / 100) / 10
  const [doing, remedy = reachableFrom(input)] = phases[phase]
  return new DeployError('connection', `Connecting to ${where} took more than ${seconds} s: ${doing}.`, {
    remedy: `${remedy.replace('INPUT', input)} \`connect-timeout\` gives it more time.`,
  })
}

const phases: Readonly<Record<Phase, readonly [doing: string, remedy?: string]>> = {
  credentials: [
    'the ssh agent at SSH_AUTH_SOCK did not say which keys it has',
    'Give the private key in `ssh-key`, or start the agent anew in an earlier step.',
  ],
  'looking up': ['nobody answered on that address and port'],
  handshake: [
    'the port is open, but no SSH server finished its handshake',
    'Check that the port in `INPUT` is that of sshd, and that the server is not overloaded (MaxStartups).',
  ],
  login: [
    'the SSH server did not finish the login',
    'The server may be slow to look up users or names (PAM, UseDNS); look at its sshd log.',
  ],
  tls: [
    'the port is open, but the TLS handshake did not finish',
    "Check that the port in `INPUT` is that of the Docker engine's TLS listener.",
  ],
  engine: [
    'logged in, but the Docker engine behind it did not answer',
    'Check that `docker info` answers on the server.',
  ],
}

/** What ssh2 reports between the first byte and a successful login, apart from a refused key on either side. */
export function handshakeError(error: Error, { where, input }: Place): DeployError {
  if (/Connection lost before handshake|ECONNRESET|socket hang up/i.test(`${error.message} ${codeOf(error)}`)) {
    return new DeployError('connection', `The server at ${where} hung up before the SSH handshake was done.`, {
      cause: error,
      remedy:
        'sshd may be refusing connections for now (MaxStartups, fail2ban), or the port is not that of an SSH server.',
    })
  }
  if (/no matching|Protocol|Expected|Bad|invalid/i.test(error.message)) {
    return new DeployError('connection', `No SSH handshake with ${where} was possible: ${error.message}.`, {
      cause: error,
      remedy: `Check that the port in \`${input}\` is that of a current SSH server.`,
    })
  }
  return new DeployError('connection', `The SSH connection to ${where} failed: ${error.message}.`, {
    cause: error,
    remedy: "The server's sshd log may say more.",
  })
}
