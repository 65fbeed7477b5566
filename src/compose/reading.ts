import type { FileReader } from './fileReader.ts'
import type { Findings } from './findings.ts'
import type { Variables } from './variables.ts'

/** What every section needs while it is turned from a tree into values. */
export interface Reading {
  readonly findings: Findings
  readonly variables: Variables
  readonly readFile: FileReader
  /** Where a file is noted that a rollback would have to read again: neither secrets nor env files. */
  readonly files: Map<string, Uint8Array>
  /** What relative paths of all files start from: the first file's folder, absolute. */
  readonly folder: string
  /** `$HOME`, for a leading `~` in bind sources. */
  readonly home: string | undefined
  /** The contents of secrets are not read. */
  readonly secretsAreThere: boolean
  /** The minor number of the schema's version. */
  readonly version: number
}
