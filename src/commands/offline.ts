import { DeployError, type Problem, problemsOf } from '../errors.ts'
import type { ParsedRegistryAuth } from '../registry/parseRegistryAuth.ts'
import type { RegistryAuth } from '../registry/registryAuth.ts'
import { mendPem } from '../tunnel/mendPem.ts'
import { settingsProblems } from '../tunnel/settingsProblems.ts'
import type { CommandContext } from './context.ts'
import { credentialsOf, withHelperLogins } from './credentials.ts'
import type { KeptManifest } from './keptManifest.ts'
import { type Manifest, specOf } from './manifest.ts'
import { sshSettings } from './sshSettings.ts'

/**
 * Everything that can be known before a connection is made: what the manifest asks for, and the logins for its registries, those that
 * credential helpers keep among them. Throws a DeployError with all the mistakes in one go, those of key and known hosts among them.
 */
export async function offline(context: CommandContext): Promise<Manifest & { readonly auth: RegistryAuth }> {
  const { parsed, ...manifest } = checkOffline(context)
  return { ...manifest, auth: await withHelperLogins(context, parsed, manifest.spec) }
}

/** The part of it that only looks, and runs no program. */
export function checkOffline(
  context: CommandContext,
  kept?: KeptManifest,
): Manifest & { readonly parsed: ParsedRegistryAuth } {
  const login = loginProblems(context)
  const parsed = credentialsOf(context)
  return { parsed, ...specOf(context, [...parsed.problems, ...login], kept) }
}

/** The same for a command that reads no manifest: only what it takes to log in, and what the input of the registries' logins says. */
export function offlineLogin(context: CommandContext): void {
  const registries = credentialsOf(context).problems.filter(({ severity }) => severity === 'error')
  const problems = [...registries, ...loginProblems(context)]
  const [first] = problems
  if (first === undefined) return
  if (problems.length === 1) throw new DeployError(first.code, first.message, { remedy: first.remedy })
  throw new DeployError(first.code, `${problems.length} mistakes in keys and logins: nothing was sent anywhere.`, {
    problems,
  })
}

/** The mistakes that a check finds, for a run that its inputs have ended already. */
export function problemsFoundBy(
  check: (context: CommandContext) => unknown,
  context: CommandContext,
): readonly Problem[] {
  try {
    check(context)
    return []
  } catch (error) {
    if (!(error instanceof DeployError)) throw error
    return problemsOf(error)
  }
}

function loginProblems(context: CommandContext): readonly Problem[] {
  const { inputs, mask } = context
  const keys = { 'ssh-key': inputs.sshKey, 'jump-ssh-key': inputs.jumpSshKey, 'tls-key': inputs.tls?.key }
  mask(
    Object.entries(keys).flatMap(([name, key]) => (key === undefined ? [] : [[`\`${name}\``, mendPem(key)] as const])),
  )
  const overSsh = inputs.endpoints.some(({ kind }) => kind === 'ssh')
  return settingsProblems({ ssh: overSsh ? sshSettings(context) : undefined, tls: inputs.tls })
}
