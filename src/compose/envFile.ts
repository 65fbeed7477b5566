// The file that a service's `env_file` names, in docker's own grammar (pkg/kvfile): `KEY=value` with the value verbatim,
// quotes and `$` included; `KEY` alone takes the variable's value. Not the grammar of `dotenv.ts`.

export interface EnvFileLine {
  readonly line: number
  readonly key: string
  /** Null for a bare `KEY`. */
  readonly value: string | null
}

export interface EnvFileError {
  readonly line: number
  /** Without the line's text, which may be a secret. */
  readonly message: string
}

export function parseEnvFile(text: string): {
  readonly lines: readonly EnvFileLine[]
  readonly errors: readonly EnvFileError[]
} {
  const lines: EnvFileLine[] = []
  const errors: EnvFileError[] = []
  for (const [index, raw] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    const line = index + 1
    const content = raw.replace(/\r$/, '').trimStart()
    if (content === '' || content.startsWith('#')) continue
    const at = content.indexOf('=')
    const key = at === -1 ? content : content.slice(0, at)
    if (key === '') errors.push({ line, message: 'there is no name before the "="' })
    else if (/[ \t]/.test(key)) errors.push({ line, message: 'the name of the variable contains a blank' })
    else lines.push({ line, key, value: at === -1 ? null : content.slice(at + 1) })
  }
  return { lines, errors }
}
