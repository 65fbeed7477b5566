// Keys that are refused although some version of Compose has them, and what to write instead. Paths as in rules: `*` for the
// author's names, `[]` for list items. What is accepted and does nothing is in ignoredKeys.ts.

const inFile =
  'Put the content into a file, and name that with `file:`, or into a variable, and name that with `environment:`.'

const newer: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'configs.*': { driver: 'Remove it: Swarm has nothing like it.' },
  'secrets.*': { content: inFile },
  'networks.*': { scope: 'Remove it: the driver decides.' },
  'services.*.deploy.resources.reservations': { pids: 'Use `deploy.resources.limits.pids`.' },
}

const older: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'services.*': { volume_driver: 'Define a volume at the top level, with its `driver`.' },
}

/** Why a key at `pattern` is refused, and what to do about it; undefined for keys that no Compose has there. */
export function refusedKey(
  pattern: string,
  key: string,
): { readonly why: string; readonly remedy: string } | undefined {
  for (const [keys, why] of [
    [newer[pattern], 'only the Compose Specification has it'],
    [older[pattern], 'only version 2 of the Compose file has it'],
  ] as const) {
    const remedy = keys !== undefined && Object.hasOwn(keys, key) ? keys[key] : undefined
    if (remedy !== undefined) return { why, remedy }
  }
  return undefined
}
