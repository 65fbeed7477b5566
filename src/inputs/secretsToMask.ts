import type { Reader } from './reader.ts'
import { registrySecrets } from './registrySecrets.ts'
import { INPUTS, type InputName } from './table.ts'

/** A secret, and what it is called in a warning. */
export type SecretToMask = readonly [name: string, secret: string]

/** Every secret among the inputs, built or not, readable or not; a warning names those that are empty. */
export function secretsToMask(
  reader: Reader,
  secrets: ReadonlyMap<string, string> | undefined,
): readonly SecretToMask[] {
  const found: SecretToMask[] = []
  const empty: string[] = []
  const add = (name: string, secret: string): void => {
    if (secret.trim() !== '') found.push([name, secret])
  }
  for (const name of Object.keys(INPUTS) as InputName[]) {
    const text = reader.given(name)
    if (!INPUTS[name].secret || text === undefined) continue
    if (name === 'registry-auth') for (const one of registrySecrets(text)) add('a password in `registry-auth`', one)
    // A map that could not be read still holds secrets.
    else if (name === 'secrets' && secrets !== undefined)
      for (const [key, one] of secrets) {
        if (one === '') empty.push(key)
        add(`${key} in \`secrets\``, one)
      }
    else add(`\`${name}\``, text)
  }
  if (empty.length > 0) {
    reader.warning(
      `the input \`secrets\`: ${empty.join(', ')} ${empty.length === 1 ? 'has' : 'have'} an empty value`,
      'GitHub gives an empty text for a secret that is misspelt, missing, or in an environment that the job does not name.',
    )
  }
  return found
}
