import type { Problem } from '../errors.ts'

/** Where a manifest is looked for in the workspace if `manifest` is not given. */
const MANIFEST_CANDIDATES: readonly string[] = [
  'docker-stack.yml',
  'docker-stack.yaml',
  'stack.yml',
  'stack.yaml',
  'compose.yaml',
  'compose.yml',
  'docker-compose.yml',
  'docker-compose.yaml',
]

/** The one candidate that `exists`. Two are an error: which of them is production is not for us to guess. */
export function defaultManifest(exists: (file: string) => boolean): string | Problem {
  const found = MANIFEST_CANDIDATES.filter(exists)
  const [first] = found
  if (first !== undefined && found.length === 1) return first
  const error = { severity: 'error', code: 'input' } as const
  if (first === undefined) {
    return {
      ...error,
      message: `the input \`manifest\` is not given, and the workspace has none of ${MANIFEST_CANDIDATES.join(', ')}`,
      remedy:
        'Set `manifest` to the path of the stack file, and check the repository out before (`uses: actions/checkout`).',
    }
  }
  return {
    ...error,
    message: `the input \`manifest\` is not given, and the workspace has ${found.join(' and ')}`,
    remedy: `Say which one to deploy, such as \`manifest: ${first}\`; several lines are merged from first to last.`,
  }
}
