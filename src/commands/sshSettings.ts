import path from 'node:path'
import type { SshSettings } from '../tunnel/settings.ts'
import type { CommandContext } from './context.ts'
import { homeFolder } from './homeFolder.ts'

/** What the tunnel has to know to log in. */
export function sshSettings({ inputs, env }: CommandContext): SshSettings {
  return {
    key: inputs.sshKey,
    passphrase: inputs.sshKeyPassphrase,
    password: inputs.sshPassword,
    agentSocket: inputs.sshAgent,
    knownHosts: inputs.knownHosts,
    knownHostsFile: path.join(homeFolder(env), '.ssh', 'known_hosts'),
    fingerprints: inputs.hostFingerprints,
    hostKeyCheck: inputs.hostKeyCheck,
    jumps: inputs.jumpHosts,
    jumpKey: inputs.jumpSshKey,
  }
}
