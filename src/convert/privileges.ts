import type { Service } from '../compose/stack.ts'
import type { CredentialSpec, Privileges } from '../swarm/privileges.ts'
import type { ConfigReference } from '../swarm/service.ts'
import { manifestError, placeOf, type Report } from './findings.ts'

/**
 * `ContainerSpec.Privileges`: always sent. `CredentialSpec.Config` is the config's name in the swarm until
 * `withReferenceIds` puts its id there.
 */
export function convertPrivileges(service: Service, configs: readonly ConfigReference[], report: Report): Privileges {
  return {
    CredentialSpec: credentialSpec(service, configs, report),
    SELinuxContext: null,
    NoNewPrivileges: false,
  }
}

function credentialSpec(service: Service, configs: readonly ConfigReference[], report: Report): CredentialSpec | null {
  const { config = '', file = '', registry = '' } = service.credentialSpec ?? {}
  const given = [config && '"Config"', file && '"File"', registry && '"Registry"'].filter(Boolean)
  if (given.length === 0) return null
  if (given.length > 1) {
    const names = given.length === 2 ? given.join(' and ') : `${given.slice(0, -1).join(', ')}, and ${given.at(-1)}`
    report(
      manifestError(
        placeOf(service, 'credential_spec'),
        `service ${service.name}: invalid credential spec: cannot specify both ${names}`,
        'Keep one of "config:", "file:" and "registry:".',
      ),
    )
  }
  const runtime = configs.find((reference) => reference.Runtime)
  return { Config: runtime?.ConfigName ?? '', File: file, Registry: registry }
}
