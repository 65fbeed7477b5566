// The room's one way to files: a function that is handed in.

export interface FileFound {
  /** Absolute, links not followed: what relative paths in the file's folder start from. */
  readonly absolute: string
  /** As messages show it: relative to the workspace. */
  readonly shown: string
  readonly content: Uint8Array
}

export interface FileRefused {
  readonly absolute: string
  readonly shown: string
  readonly content?: undefined
  /** Why it can't be read, such as "does not exist". */
  readonly reason: string
  readonly remedy: string
  /** Nothing is there: what an optional file may be. */
  readonly missing?: boolean | undefined
}

/** Reads a path, relative ones against the working directory. It never throws. */
export type FileReader = (path: string) => FileFound | FileRefused
