import type { Problem } from '../errors.ts'
import { registryDomain } from '../image/reference.ts'
import { type Credential, entryFor, hostnameOf, registryKey } from './credential.ts'
import { type HelperNames, parseDockerConfig } from './dockerConfig.ts'
import { type RegistryAuth, registryAuth } from './registryAuth.ts'

export interface ParsedRegistryAuth {
  readonly auth: RegistryAuth
  /** The programs that keep more logins; only the runner's own docker config names any. */
  readonly helpers: HelperNames
  readonly problems: readonly Problem[]
}

/** The docker config that counts where the input is not given. */
export interface DefaultConfig {
  readonly path: string
  /** Its text; undefined where there is none. */
  readonly text: string | undefined
  /** Why its text could not be read. */
  readonly unreadable?: string | undefined
}

/**
 * Reads the input `registry-auth`: the JSON of a docker config, or lines `registry username password`, or `none`; without it, the
 * runner's own docker config. Problems name lines, never their text.
 */
export function parseRegistryAuth(
  input: string | undefined,
  readDefaultConfig: () => DefaultConfig | undefined,
): ParsedRegistryAuth {
  const text = input?.trim() ?? ''
  if (text === 'none') return plain(new Map())
  if (text === '') return fromDefault(readDefaultConfig())
  return text.startsWith('{') ? fromJson(input ?? '') : fromLines(input ?? '')
}

/** Where docker itself looks: `$DOCKER_CONFIG`, or `~/.docker`. */
export function defaultConfigPath(env: Readonly<Record<string, string | undefined>>, home: string): string {
  return `${env.DOCKER_CONFIG || `${home}/.docker`}/config.json`
}

// --- Internal helpers ---

function fromJson(text: string): ParsedRegistryAuth {
  const { credentials, helpers, faults } = parseDockerConfig(text)
  const problems = faults.map((fault) =>
    mistake(`"registry-auth" begins with "{", but ${fault}`, 'Give it the content of a docker config.json.'),
  )
  const { byRegistry, store } = helpers
  const programs = [
    ...(store === undefined ? [] : ['"credsStore"']),
    ...(byRegistry.size === 0 ? [] : ['"credHelpers"']),
  ]
  if (programs.length > 0) {
    problems.push(
      mistake(
        `"registry-auth" has ${programs.join(' and ')}, and only the runner's own docker config may name programs to run`,
        'Log in on the runner instead (docker/login-action), or write lines "registry username password".',
      ),
    )
  }
  return plain(credentials, problems)
}

function fromDefault(file: DefaultConfig | undefined): ParsedRegistryAuth {
  if (file === undefined || (file.text === undefined && file.unreadable === undefined)) {
    return plain(new Map())
  }
  const unused = (faults: readonly string[]): ParsedRegistryAuth => {
    const problem: Problem = {
      severity: 'warning',
      code: 'input',
      message: `the docker config ${file.path} is not used: ${faults.join('; ')}`,
      remedy: 'Mend it, or give the credentials in "registry-auth"; "registry-auth: none" sends none.',
    }
    return plain(new Map(), [problem])
  }
  if (file.text === undefined) return unused([file.unreadable ?? ''])
  const { credentials, helpers, faults } = parseDockerConfig(file.text)
  return faults.length > 0 ? unused(faults) : { ...plain(credentials), helpers }
}

function fromLines(input: string): ParsedRegistryAuth {
  const credentials = new Map<string, Credential>()
  const problems: Problem[] = []
  input.split(/\r\n|\n|\r/).forEach((raw, index) => {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) return
    const [, registry = '', username, password] = /^(\S+)\s+(\S+)\s+(\S.*)$/.exec(line) ?? []
    const complain = (what: string, remedy: string): void => {
      problems.push(mistake(`line ${index + 1} of "registry-auth" ${what}`, remedy))
    }
    if (username === undefined || password === undefined) {
      complain('is not "registry username password"', 'Write for example "ghcr.io octocat" and then the token.')
      return
    }
    if (!isRegistry(registry)) {
      complain(
        'does not begin with a registry: no image can come from what stands there',
        'Begin it with the name as images have it, with its port: "ghcr.io", "registry.example.com:5000"; "docker.io" is the Docker Hub.',
      )
      return
    }
    const key = registryKey(registry)
    if (entryFor(credentials, key) !== undefined)
      complain('names a registry that an earlier line names too', 'Keep one login for each registry.')
    credentials.set(key, { username, password, serveraddress: key })
  })
  return plain(credentials, problems)
}

/** Whether an image could name it. A word alone is a user of the Docker Hub to an image. */
function isRegistry(text: string): boolean {
  const host = hostnameOf(text)
  return registryDomain(`${host}/x/y`) === host || registryKey(host) !== host
}

function mistake(message: string, remedy: string): Problem {
  return { severity: 'error', code: 'input', message, remedy }
}

function plain(credentials: ReadonlyMap<string, Credential>, problems: readonly Problem[] = []): ParsedRegistryAuth {
  return { auth: registryAuth(credentials), helpers: { byRegistry: new Map(), store: undefined }, problems }
}
