import fs from 'node:fs'
import path from 'node:path'
import type { Credential } from './credential.ts'
import { runHelper } from './runHelper.ts'

/** How long a helper may take (ms). */
const TIMEOUT = 10_000

/** Names of programs and nothing else: no path, no option. */
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** What docker's helpers print where they keep no login. Source: docker/docker-credential-helpers, credentials/error.go. */
const NOT_FOUND = 'credentials not found in native keychain'

/** Whose programs may run: nothing of the checkout. */
export interface HelperSurroundings {
  /** The helper's whole environment; its `PATH` is where it is looked for. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the checkout. */
  readonly workspace: string
  readonly signal: AbortSignal
  readonly timeout?: number
}

/** A login; or that the helper keeps none; or why it could not be had, such as `is not on the PATH`. */
export type HelperAnswer =
  | { readonly credential: Credential }
  | { readonly credential: undefined }
  | { readonly failure: string }

/**
 * Asks the helper `docker-credential-NAME` for the login of a registry. Never says what it printed, which may hold a secret.
 * @param key the registry's key in a docker config
 */
export async function askHelper(
  name: string,
  key: string,
  { env, workspace, signal, timeout = TIMEOUT }: HelperSurroundings,
): Promise<HelperAnswer> {
  if (!SAFE_NAME.test(name)) return { failure: 'has no name that a program could have' }
  const file = findOnPath(`docker-credential-${name}`, env.PATH ?? '', workspace)
  if (file === undefined) return { failure: 'is not on the PATH (absolute folders outside of the checkout)' }
  const end = await runHelper({ file, serverAddress: key, env, timeout, signal })
  if ('failure' in end) return end
  const stdout = end.stdout.trim()
  if (end.code !== 0) {
    return stdout === NOT_FOUND ? { credential: undefined } : { failure: `ended with exit code ${end.code}` }
  }
  const credential = credentialIn(stdout, key)
  return credential === undefined ? { failure: 'answered no JSON with "Username" and "Secret"' } : { credential }
}

// --- Internal helpers ---

function findOnPath(program: string, folders: string, workspace: string): string | undefined {
  const checkout = realPath(workspace) ?? workspace
  const outside = (file: string | undefined): file is string => file !== undefined && !isWithin(file, checkout)
  return folders
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map(realPath)
    .filter(outside)
    .map((folder) => realPath(path.join(folder, program)))
    .filter(outside)
    .find(isExecutable)
}

/** Links resolved, so that none leads into the checkout. */
function realPath(file: string): string | undefined {
  try {
    return fs.realpathSync(file)
  } catch {
    return undefined
  }
}

function isWithin(file: string, folder: string): boolean {
  const [first] = path.relative(folder, file).split(path.sep)
  return first !== '..'
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** Username `<token>` says that the secret is an identity token. */
function credentialIn(text: string, key: string): Credential | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer !== 'object' || answer === null) return undefined
    const { Username: username, Secret: secret }: { Username?: unknown; Secret?: unknown } = answer
    if (typeof username !== 'string' || typeof secret !== 'string' || username === '' || secret === '') return undefined
    return username === '<token>'
      ? { serveraddress: key, identitytoken: secret }
      : { username, password: secret, serveraddress: key }
  } catch {
    // The parser's message quotes the text.
    return undefined
  }
}
