import type { Reader } from './reader.ts'
import { registrySecrets } from './registrySecrets.ts'
import { INPUTS, type InputName } from './table.ts'

/** Shorter ones occur in every log, so masking them would hide everything and betray them too. */
const SHORTEST_MASK = 4

/** Every secret among the inputs, built or not, readable or not; a warning names those too short to be masked. */
export function secretsToMask(reader: Reader, secrets: ReadonlyMap<string, string> | undefined): readonly string[] {
  const found = new Set<string>()
  const short: string[] = []
  const empty: string[] = []
  const add = (label: string, secret: string): void => {
    if (secret.trim() === '') return
    found.add(secret)
    if (secret.trim().length < SHORTEST_MASK) short.push(label)
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
  if (short.length > 0) {
    reader.warning(
      `too short to be masked, so it may show in the log: ${short.join(', ')}`,
      `Use ${SHORTEST_MASK} characters or more.`,
    )
  }
  return [...found]
}
