import { DeployError, messageOf } from '../errors.ts'
import { readRegularFile } from '../regularFile.ts'
import { type KnownHosts, parseKnownHosts } from './knownHosts.ts'
import type { SshSettings } from './settings.ts'

/** The known hosts that count: those of the input, or else of the file. Throws a DeployError with code `host-key`. */
export function readKnownHosts(ssh: SshSettings): KnownHosts {
  if (ssh.hostKeyCheck === 'off') return { source: 'nothing', entries: [], unreadable: [] }
  if (ssh.knownHosts !== undefined && ssh.knownHosts.trim() !== '') {
    return parseKnownHosts(ssh.knownHosts, 'the input known-hosts')
  }
  const file = ssh.knownHostsFile
  try {
    const text = readRegularFile(file)
    if (text === undefined) return { source: `${file} (which does not exist)`, entries: [], unreadable: [] }
    return parseKnownHosts(text, file)
  } catch (error) {
    if (error instanceof DeployError) throw error
    throw new DeployError('host-key', `Could not read the known hosts in ${file}: ${messageOf(error)}.`, {
      cause: error,
      remedy: 'Give the host keys in `known-hosts` instead.',
    })
  }
}
