// Swarm never changes the content of a secret or config, so a new content is a new object: a generation, whose name is the manifest's with
// the beginning of a digest of the content.
import { NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Config, Secret } from '../swarm/secret.ts'

const SHORTEST = 8
const LONGEST = 64

/** The stack's generations of an object, sorted by name. What the manifest declares itself under such a name is none. */
export function generationsOf<Live extends Secret | Config>(
  name: string,
  live: ReadonlyMap<string, Live>,
  namespace: string,
  declared: ReadonlySet<string>,
): readonly Live[] {
  return [...live]
    .filter(
      ([other, { Spec }]) =>
        other.startsWith(`${name}-`) &&
        /^[0-9a-f]{8,64}$/.test(other.slice(name.length + 1)) &&
        Spec.Labels?.[NAMESPACE_LABEL] === namespace &&
        !declared.has(other),
    )
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, found]) => found)
}

/**
 * The name of a new generation: as few hex digits as make it free, at least 8.
 * @param digest 64 hex digits
 */
export function generationName(name: string, digest: string, isTaken: (name: string) => boolean): string {
  let length = SHORTEST
  while (length < LONGEST && isTaken(`${name}-${digest.slice(0, length)}`)) length++
  return `${name}-${digest.slice(0, length)}`
}
