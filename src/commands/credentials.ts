import fs from 'node:fs'
import os from 'node:os'
import type { ParsedRegistryAuth } from '../registry/parseRegistryAuth.ts'
import { defaultConfigPath, parseRegistryAuth } from '../registry/parseRegistryAuth.ts'
import { secretsOf } from '../registry/registryAuth.ts'
import type { CommandContext } from './context.ts'

/** The registry credentials, every one of them masked, and what is wrong with them. */
export function credentialsOf({ inputs, env, mask }: CommandContext): ParsedRegistryAuth {
  const parsed = parseRegistryAuth(inputs.registryAuth, () => {
    const path = defaultConfigPath(env, env.HOME || os.homedir())
    return { path, text: fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined }
  })
  secretsOf(parsed.auth).forEach(mask)
  return parsed
}
