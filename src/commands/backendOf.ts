import { Backend } from '../backend/backend.ts'
import { mountedSecretNames } from '../backend/mountedSecretNames.ts'
import type { RegistryAuth } from '../registry/registryAuth.ts'
import type { Connection } from './connection.ts'
import type { CommandContext } from './context.ts'

/** Who owns what this run deploys; undefined where it runs for no repository. */
export function ownerOf({ inputs }: Pick<CommandContext, 'inputs'>): string | undefined {
  return inputs.repository === undefined ? undefined : `gha/${inputs.repository}`
}

/** The backend as the inputs want it. */
export async function backendOf(
  context: CommandContext,
  { engine, now }: Pick<Connection, 'engine' | 'now'>,
  { auth, signal }: { readonly auth?: RegistryAuth | undefined; readonly signal: AbortSignal },
): Promise<Backend> {
  const { inputs, mountedSecrets, log, warn, journal } = context
  return new Backend(engine, {
    log: (line) => log.info(line),
    warn,
    now,
    journal,
    signal,
    rotate: inputs.rotate,
    strictImages: inputs.strictImages,
    owner: ownerOf(context),
    adopt: inputs.adopt,
    force: inputs.force,
  })
    .withRegistryAuth(auth)
    .withForbiddenSecrets(new Set([...inputs.protectedSecrets, ...(await mountedSecretNames(mountedSecrets))]))
}
