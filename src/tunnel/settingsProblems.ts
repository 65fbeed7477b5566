import { DeployError, type Problem, problemsOf } from '../errors.ts'
import { readPrivateKey } from './privateKey.ts'
import { readKnownHosts } from './readKnownHosts.ts'
import type { SshSettings } from './settings.ts'

/** What is wrong with the settings and needs no server to be found, so that it can be said together with other mistakes. */
export function settingsProblems(ssh: SshSettings): readonly Problem[] {
  const checks = [
    () => ssh.key !== undefined && ssh.key.trim() !== '' && readPrivateKey(ssh.key, ssh.passphrase),
    () => readKnownHosts(ssh),
  ]
  return checks.flatMap((check): readonly Problem[] => {
    try {
      check()
      return []
    } catch (error) {
      if (!(error instanceof DeployError)) throw error
      return problemsOf(error)
    }
  })
}
