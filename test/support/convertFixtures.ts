import fs from 'node:fs'
import path from 'node:path'
import { parseExactly, type Sent } from './dockerCli.ts'

/** The folder of the manifests whose golden specs the docker CLI wrote. */
export const fixturesDirectory = path.resolve(import.meta.dirname, '..', 'fixtures', 'convert')

export interface GoldenFixture {
  readonly name: string
  /** Absolute. */
  readonly directory: string
  /** The manifests in the order of `-c`, relative to `directory`. */
  readonly files: readonly string[]
  /** All variables that the manifests can see. */
  readonly environment: Readonly<Record<string, string>>
}

export function goldenFixtures(): readonly GoldenFixture[] {
  return fs
    .readdirSync(fixturesDirectory)
    .sort()
    .map((name) => {
      const directory = path.join(fixturesDirectory, name)
      const files = fs
        .readdirSync(directory)
        .filter((file) => file.endsWith('.yml'))
        .sort()
      return { name, directory, files, environment: { HOME: '/home/user', FROM_STEP: 'of the step', TAG: '' } }
    })
}

/** What docker sent for a fixture; paths in it are those of this checkout. */
export function goldenOf({ directory }: GoldenFixture): Sent {
  const text = fs.readFileSync(path.join(directory, 'golden.json'), 'utf8')
  return parseExactly(text.replaceAll('@FIXTURES@', fixturesDirectory)) as Sent
}
