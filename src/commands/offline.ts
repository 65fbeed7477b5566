import type { StackSpec } from '../convert/stackSpec.ts'
import { DeployError, type Problem, problemsOf } from '../errors.ts'
import type { RegistryAuth } from '../registry/registryAuth.ts'
import { mendKey } from '../tunnel/mendKey.ts'
import { settingsProblems } from '../tunnel/settingsProblems.ts'
import type { CommandContext } from './context.ts'
import { credentialsOf } from './credentials.ts'
import { specOf } from './manifest.ts'
import { sshSettings } from './sshSettings.ts'

/**
 * Everything that can be known before a connection is made: the credentials and what the manifest asks for. Throws a DeployError with all
 * the mistakes in one go, those of key and known hosts among them.
 */
export function offline(context: CommandContext): { readonly auth: RegistryAuth; readonly spec: StackSpec } {
  const { inputs, mask } = context
  if (inputs.sshKey !== undefined) mask(mendKey(inputs.sshKey))
  const { auth, problems } = credentialsOf(context)
  const overSsh = inputs.endpoints.some(({ kind }) => kind === 'ssh')
  const spec = specOf(context, [...problems, ...(overSsh ? settingsProblems(sshSettings(context)) : [])])
  return { auth, spec }
}

/** The same mistakes, for a run that its inputs have ended already. */
export function offlineProblems(context: CommandContext): readonly Problem[] {
  try {
    offline(context)
    return []
  } catch (error) {
    if (!(error instanceof DeployError)) throw error
    return problemsOf(error)
  }
}
