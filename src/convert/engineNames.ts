// What the Engine accepts as a name. Source: moby/swarmkit manager/controlapi/common.go and secret.go; tried with engine 20.10.

type NamedKind = 'service' | 'network' | 'secret' | 'config'

// Swarmkit writes the first as ^[a-zA-Z0-9](?:[-_]*[A-Za-z0-9]+)*$, which means the same and backtracks without end.
const dnsName = {
  pattern: /^[A-Za-z0-9](?:[-_A-Za-z0-9]*[A-Za-z0-9])?$/,
  signs: 'letters, digits, "-" and "_"',
  longest: 63,
}
const fileName = {
  pattern: /^[A-Za-z0-9](?:[-_.A-Za-z0-9]*[A-Za-z0-9])?$/,
  signs: 'letters, digits, "-", "_" and "."',
  longest: 64,
}

/** Why Swarm refuses `name`, the name with the stack's in it, for such an object; undefined where it does not. */
export function nameFault(
  kind: NamedKind,
  name: string,
): { readonly message: string; readonly remedy: string } | undefined {
  const { pattern, signs, longest } = kind === 'service' || kind === 'network' ? dnsName : fileName
  if (name.length > longest) {
    return {
      message: `its name in the swarm, "${name}", has ${name.length} characters, and Swarm takes at most ${longest}`,
      remedy: `Shorten the ${kind}'s name or the stack's${kind === 'service' ? '' : `, or give the ${kind} a "name:"`}.`,
    }
  }
  if (pattern.test(name)) return undefined
  return {
    message: `its name in the swarm, "${name}", must consist of ${signs}, and begin and end with a letter or digit`,
    remedy: `Rename the ${kind}.`,
  }
}
