import { inParallel } from '../backend/inParallel.ts'
import type { ServiceObject, StackSpec } from '../convert/stackSpec.ts'
import { messageOf, type Problem } from '../errors.ts'
import { isHiddenName } from '../inputs/variables.ts'
import { type Credential, hostnameOf, registryKeyOf } from '../registry/credential.ts'
import { askHelper } from '../registry/credentialHelper.ts'
import { helperFor } from '../registry/dockerConfig.ts'
import type { ParsedRegistryAuth } from '../registry/parseRegistryAuth.ts'
import { defaultConfigPath, parseRegistryAuth } from '../registry/parseRegistryAuth.ts'
import type { RegistryAuth } from '../registry/registryAuth.ts'
import { shortLived } from '../registry/shortLived.ts'
import { readRegularFile } from '../regularFile.ts'
import type { CommandContext } from './context.ts'
import { homeFolder } from './homeFolder.ts'

/** Helpers at work at once. */
const CONCURRENCY = 4

/** The registry credentials, every one of them masked, and what is wrong with them. */
export function credentialsOf({ inputs, env, mask }: CommandContext): ParsedRegistryAuth {
  const parsed = parseRegistryAuth(inputs.registryAuth, () => {
    const path = defaultConfigPath(env, homeFolder(env))
    try {
      return { path, text: readRegularFile(path) }
    } catch (error) {
      return { path, text: undefined, unreadable: messageOf(error) }
    }
  })
  mask(parsed.auth.secrets())
  return parsed
}

/**
 * The logins for the registries that the stack's images name, those that credential helpers keep among them: masked, each helper and
 * registry asked once. Says which helper does not answer, and which login will not last.
 */
export async function withHelperLogins(
  { env, workspace, mask, warn, cancelled, deadline, progress }: CommandContext,
  { auth, helpers }: ParsedRegistryAuth,
  { services }: Pick<StackSpec, 'services'>,
): Promise<RegistryAuth> {
  const registries = new Map<string, ServiceObject>()
  for (const service of services) {
    const key = registryKeyOf(service.image)
    if (key !== undefined && !registries.has(key)) registries.set(key, service)
  }
  const surroundings = {
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !isHiddenName(name))),
    workspace,
    signal: AbortSignal.any([cancelled, deadline.signal]),
  }
  const answers = new Map<string, Credential | undefined>()
  const warnings: Problem[] = []
  await inParallel([...registries], CONCURRENCY, async ([key, service]) => {
    const helper = helperFor(helpers, key)
    if (helper === undefined) return
    progress.doing = 'asking credential helpers'
    const answer = await askHelper(helper, key, surroundings)
    if ('failure' in answer) warnings.push(unanswered(helper, key, answer.failure, service))
    // Where it keeps none, one that the file itself has still counts.
    if ('failure' in answer || answer.credential !== undefined) {
      answers.set(key, 'failure' in answer ? undefined : answer.credential)
    }
  })
  const all = auth.withAnswers(answers)
  mask(all.secrets())
  for (const [key, service] of registries) warnings.push(...endingSoon(all, key, service))
  warnings.forEach(warn)
  return all
}

// --- Internal helpers ---

function unanswered(helper: string, key: string, failure: string, { image, places, position }: ServiceObject): Problem {
  return {
    severity: 'warning',
    code: 'authentication',
    message: `the credential helper "docker-credential-${helper}", which keeps the login for the registry of the image "${image}", ${failure}: no credentials are sent to that registry`,
    position: places.image ?? position,
    remedy: `See what it answers on the runner: printf ${key} | docker-credential-${helper} get. Or give the login in "registry-auth".`,
  }
}

function endingSoon(auth: RegistryAuth, key: string, { image, places, position }: ServiceObject): readonly Problem[] {
  const credential = auth.credentialFor(image)
  const found = credential && shortLived(credential)
  if (found === undefined) return []
  return [
    {
      severity: 'warning',
      code: 'authentication',
      message: `the login for ${hostnameOf(key)} is ${found.what}: a node that has to pull an image from there later, for a task that moves or restarts, is then refused`,
      position: places.image ?? position,
      remedy: found.remedy,
    },
  ]
}
