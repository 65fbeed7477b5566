import { DeployError } from '../errors.ts'
import { describeEndpoint, type SshEndpoint } from './endpoint.ts'
import { printable } from './printable.ts'

export interface DialStdioEnd {
  readonly stderr?: string
  readonly exitCode?: number | undefined
  /** The server did not even start the command. */
  readonly refused?: string
  /** What stood where the engine's answer should begin. */
  readonly noise?: string
}

/** Both ways to the engine failed: the socket (`refusal` has the server's words) and `docker system dial-stdio`. */
export function dialStdioError(endpoint: SshEndpoint, refusal: string, end: DialStdioEnd): DeployError {
  const { user, dockerSocket } = endpoint
  const said = printable(end.stderr ?? '')
  const fail = (why: string, remedy: string): DeployError =>
    new DeployError(
      'connection',
      `Logged in to ${describeEndpoint(endpoint)}, but could not reach its Docker engine: ${why}.`,
      {
        remedy,
      },
    )
  const forwarding = `the server did not open ${dockerSocket} (${refusal})`

  if (/permission denied/i.test(said)) {
    return fail(
      `${user} may not open ${dockerSocket} (${said})`,
      `Add ${user} to the docker group on the server, \`usermod -aG docker ${user}\`, or log in as a user who is in it.`,
    )
  }
  if (
    /cannot connect to the docker daemon|failed to connect to the docker api|no such file or directory.*\.sock|dial unix .*(?:no such file|connection refused)/i.test(
      said,
    )
  ) {
    return fail(
      `nobody answers at ${dockerSocket} (${said})`,
      'Check that the Docker engine runs on the server and where its socket is (`docker context inspect`); another path goes to `docker-socket`.',
    )
  }
  if (
    end.exitCode === 127 ||
    /docker: (?:command )?not found|command not found.*docker|docker.*: No such file/i.test(said)
  ) {
    return fail(
      `${forwarding}, and there is no docker command to fall back on`,
      `Check that ${dockerSocket} exists and that ${user} is in the docker group; if so, allow \`AllowStreamLocalForwarding yes\` in sshd_config, or install the docker command.`,
    )
  }
  if (/account is (?:currently )?not available|nologin/i.test(end.noise ?? said)) {
    return fail(
      `${forwarding}, and ${user} may not run commands there ("${printable(end.noise ?? said)}")`,
      `Give ${user} a login shell, or check that ${dockerSocket} exists and that ${user} is in the docker group: then no command is needed.`,
    )
  }
  if (end.noise !== undefined) {
    return fail(
      `${forwarding}, and \`docker system dial-stdio\` is drowned by other output: "${printable(end.noise)}"`,
      `Keep the shell of ${user} silent when nobody is there (an \`echo\` in ~/.bashrc, a ForceCommand), or allow \`AllowStreamLocalForwarding yes\` in sshd_config.`,
    )
  }
  const why =
    end.refused ?? (said || (end.exitCode === undefined ? 'it ended without a word' : `exit code ${end.exitCode}`))
  return fail(
    `${forwarding}, and \`docker system dial-stdio\` did not run either (${printable(why)})`,
    `Let ${user} run commands, or allow \`AllowStreamLocalForwarding yes\` in sshd_config, and try \`ssh ${user}@${endpoint.host} docker system dial-stdio\` by hand.`,
  )
}
