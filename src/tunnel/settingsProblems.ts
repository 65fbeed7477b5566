import { DeployError, type Problem, problemsOf } from '../errors.ts'
import { readPrivateKey } from './privateKey.ts'
import { readKnownHosts } from './readKnownHosts.ts'
import type { SshSettings, TlsSettings } from './settings.ts'
import { readTls } from './tlsMaterial.ts'

interface Settings {
  readonly ssh: SshSettings | undefined
  readonly tls: TlsSettings | undefined
}

/** What is wrong with the settings and needs no server to be found, so that it can be said together with other mistakes. */
export function settingsProblems({ ssh, tls }: Settings): readonly Problem[] {
  const checks = [
    () => ssh?.key?.trim() && readPrivateKey(ssh.key, ssh.passphrase),
    () => ssh?.jumpKey?.trim() && readPrivateKey(ssh.jumpKey, ssh.passphrase, 'jump-ssh-key'),
    () => ssh && readKnownHosts(ssh),
    () => tls && readTls(tls, Date.now()),
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
