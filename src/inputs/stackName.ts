import type { Problem } from '../errors.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

/** What is wrong with a stack's name, or nothing. `source` says where it is from: "the input `stack-name`", "the manifest's `name:`". */
export function stackNameProblem(name: string, source: string): Problem | undefined {
  if (NAME.test(name)) return undefined
  const proposal = proposedStackName(name)
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 79)}…` : name)
  return {
    severity: 'error',
    code: 'input',
    message: `${source} gives ${shown}, which is no name for a stack: it takes letters, digits, \`_\` and \`-\`, and begins with a letter or digit`,
    // Never altered on the quiet: two names that clean up to one would deploy over each other.
    remedy: proposal === '' ? 'Set `stack-name`.' : `Set \`stack-name: ${proposal}\`, or another such name.`,
  }
}

/** What the rest of a manifest can be checked with where its stack's name is none: the nearest one that would be accepted. */
export function standInName(name = ''): string {
  return proposedStackName(name) || 'stack'
}

/** The nearest name that would be accepted; empty where nothing of it can stay. */
function proposedStackName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[_-]+|[_-]+$/g, '')
    .slice(0, 63)
}
