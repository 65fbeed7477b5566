import fs from 'node:fs'

/**
 * The text of a file that the runner's settings name; undefined where there is none. Throws an Error with a reason where it can't be
 * read. What is no regular file is not opened to the end: a named pipe would wait for its writer for ever, and the process with it.
 */
export function readRegularFile(path: string): string | undefined {
  let descriptor: number
  try {
    descriptor = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw error
  }
  try {
    const stat = fs.fstatSync(descriptor)
    if (stat.isDirectory()) throw new Error('it is a directory')
    if (!stat.isFile()) throw new Error('it is no regular file')
    return fs.readFileSync(descriptor, 'utf8')
  } finally {
    fs.closeSync(descriptor)
  }
}
