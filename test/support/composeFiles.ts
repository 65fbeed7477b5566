import type { FileReader } from '../../src/compose/fileReader.ts'
import { type LoadResult, loadStack } from '../../src/compose/load.ts'
import type { Service } from '../../src/compose/stack.ts'

/** Files that exist only here, in the folder /w. */
export function memoryFiles(files: Readonly<Record<string, string | Uint8Array>>): FileReader {
  return (path) => {
    const shown = path.replace(/^\/w\//, '')
    const content = Object.hasOwn(files, shown) ? files[shown] : undefined
    const absolute = path.startsWith('/') ? path : `/w/${path}`
    if (content === undefined)
      return { absolute, shown, reason: 'does not exist', remedy: 'Correct the path.', missing: true }
    return { absolute, shown, content: typeof content === 'string' ? Buffer.from(content) : content }
  }
}

export interface LoadOptions {
  readonly variables?: Readonly<Record<string, string>>
  /** Files that manifests name. */
  readonly beside?: Readonly<Record<string, string | Uint8Array>>
  readonly home?: string
}

/** Loads manifests `1.yml`, `2.yml` … of these texts. */
export function loadTexts(
  texts: readonly (string | Uint8Array)[],
  { variables = {}, beside = {}, home }: LoadOptions = {},
): LoadResult {
  const named = texts.map((text, index) => [`${index + 1}.yml`, text] as const)
  return loadStack({
    files: named.map(([name]) => name),
    variables: {
      get: (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined),
      isHidden: (name) => name === 'GITHUB_TOKEN' || name.startsWith('INPUT_'),
    },
    readFile: memoryFiles({ ...beside, ...Object.fromEntries(named) }),
    home,
  })
}

/** Each problem as `severity file:line:column message`. */
export function problemLines({ problems }: LoadResult): string[] {
  return problems.map(({ severity, position, message }) => {
    const place = position === undefined ? '-' : `${position.file}:${position.line}:${position.column}`
    return `${severity} ${place} ${message}`
  })
}

/** The service `a` whose keys stand in the lines of `body`. */
export function serviceOf(body: string, options: LoadOptions = {}): Service {
  const indented = body.replace(/^/gm, '    ')
  const result = loadTexts([`services:\n  a:\n    image: b\n${indented}\n`], options)
  const service = result.stack?.services[0]
  if (service === undefined) throw new Error(problemLines(result).join('\n'))
  return service
}

/** What is said of a service `a` whose keys stand in the lines of `body`; its first line is the file's line 4. */
export function saidOf(body: string, options: LoadOptions = {}): string[] {
  const indented = body.replace(/^/gm, '    ')
  return problemLines(loadTexts([`services:\n  a:\n    image: b\n${indented}\n`], options)).map((line) =>
    line.replace(' 1.yml:', ' '),
  )
}
