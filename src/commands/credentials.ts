import { messageOf } from '../errors.ts'
import type { ParsedRegistryAuth } from '../registry/parseRegistryAuth.ts'
import { defaultConfigPath, parseRegistryAuth } from '../registry/parseRegistryAuth.ts'
import { secretsOf } from '../registry/registryAuth.ts'
import { readRegularFile } from '../regularFile.ts'
import type { CommandContext } from './context.ts'
import { homeFolder } from './homeFolder.ts'

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
  secretsOf(parsed.auth).forEach(mask)
  return parsed
}
