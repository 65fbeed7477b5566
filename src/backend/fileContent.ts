import { isDeepStrictEqual } from 'node:util'
import type { Config, ConfigSpec, Secret, SecretSpec } from '../swarm/secret.ts'
import { hasContent } from './secretDigest.ts'

/** Whether a live secret is what `spec` wants, but for its labels; undefined where only the engine can tell. */
export function secretIs(live: Secret, spec: SecretSpec): boolean | undefined {
  if (!sameOptions(live.Spec, spec)) return false
  return spec.Data === undefined ? true : hasContent(live, spec)
}

/** Whether a live config is what `spec` wants, but for its labels. */
export function configIs(live: Config, spec: ConfigSpec): boolean {
  return sameOptions(live.Spec, spec) && (live.Spec.Data ?? '') === (spec.Data ?? '')
}

/** Whether Swarm or its plugins make the content that a container sees, from what is stored or from nothing. */
export function isMadeBySwarm({ Driver, Templating }: SecretSpec): boolean {
  return Boolean(Driver?.Name || Templating?.Name)
}

// --- Internal helpers ---

/** What else is fixed at creation. The engine takes another driver or template in an update, and ignores it. */
function sameOptions(live: SecretSpec, wanted: SecretSpec): boolean {
  const plain = ({ Driver, Templating }: SecretSpec): unknown =>
    [Driver, Templating].map((driver) => [driver?.Name ?? '', Object.entries(driver?.Options ?? {}).sort()])
  return isDeepStrictEqual(plain(live), plain(wanted))
}
