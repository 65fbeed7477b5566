import type { Problem } from '../errors.ts'
import { INPUT_NAMES } from './table.ts'

const HOST = 'Write `host: ssh://user@host:port`.'
const LOGIN = 'Write `registry-auth` with a line `registry username password`, or use docker/login-action before.'

// Inputs of other Swarm and ssh actions, and of the docker CLI, with what to write here. Someone who moves over and keeps one of
// these would otherwise deploy with a setting silently lost.
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ...to('Write `stack-name`.', 'name', 'stack'),
  ...to(
    'Write `manifest`, one path a line.',
    ...['file', 'files', 'compose-file', 'compose-files', 'stack-file', 'stack-file-name', 'deploy-file', 'compose'],
    ...['docker-compose-file', 'docker-compose-file-path', 'file-path', 'manifests'],
  ),
  ...to(
    HOST,
    ...['user', 'username', 'port', 'hostname', 'server', 'docker-host', 'remote-host', 'remote-user', 'remote-port'],
    ...[
      'remote-docker-host',
      'ssh-host',
      'ssh-user',
      'ssh-port',
      'ssh-deploy-user',
      'ssh-remote-hostname',
      'ssh-remote-user',
    ],
    ...['ssh-remote-port', 'hosts', 'manager'],
  ),
  ...to('Write `ssh-password`, or better `ssh-key`.', 'pass', 'password'),
  ...to(
    'Write `ssh-key`.',
    ...['ssh-private-key', 'private-key', 'key', 'remote-private-key', 'ssh-deploy-private-key', 'deploy-key'],
  ),
  ...to('Write `ssh-key-passphrase`.', 'passphrase', 'ssh-passphrase', 'key-passphrase'),
  ...to('Write `known-hosts`.', 'ssh-known-hosts', 'ssh-remote-known-hosts', 'remote-known-hosts'),
  ...to(
    "Write `known-hosts` with the host's line (`ssh-keyscan`, checked), or `host-fingerprint`.",
    ...['ssh-public-key', 'fingerprint', 'ssh-fingerprint', 'host-key'],
  ),
  ...to(
    'Write `jump-host: ssh://user@host:port`.',
    ...['proxy-host', 'proxy-user', 'proxy-username', 'proxy-port', 'bastion', 'bastion-host', 'jumphost', 'ssh-proxy'],
  ),
  ...to('Write `jump-ssh-key`.', 'proxy-key', 'bastion-key', 'jump-key'),
  ...to(
    'Write `tls-ca`, `tls-cert` and `tls-key`.',
    'ca',
    'cert',
    'tls-cacert',
    'cacert',
    'tlscacert',
    'tlscert',
    'tlskey',
  ),
  ...to('Write `wait: false` to not wait.', 'detach', 'wait-for-convergence'),
  ...to('Write `timeout`, such as `10m`.', 'deploy-timeout', 'monitor-timeout', 'wait-timeout'),
  ...to(
    LOGIN,
    ...['registry', 'registry-host', 'registry-user', 'registry-username', 'registry-pass', 'registry-password'],
    ...['registry-token', 'docker-username', 'docker-password', 'with-registry-auth'],
  ),
  ...to('Write `command: plan`.', 'dry-run', 'plan'),
  ...to('Write `on-failure: rollback`.', 'rollback', 'enable-rollback', 'rollback-on-failure'),
  ...to('Write `env-file` with a path, or `variables` with `KEY=value` lines.', 'env', 'env-vars', 'environment-file'),
  ...to('Write `env-file` with a path, or `secrets` with `KEY=value` lines.', 'env-file-base64'),
  ...to('Write `variables`.', 'extra-variables', 'vars'),
  ...to('Write `github-token`.', 'token', 'gh-token'),
  ...to('Write `prune: true`.', 'docker-prune'),
  ...to('This action deploys to a swarm and nothing else: leave it out.', 'mode', 'deployment-mode'),
  ...to(
    'This action starts no docker CLI: write the inputs that mean the same.',
    ...['args', 'stack-param', 'docker-args', 'deploy-args'],
  ),
  ...to(
    'It reads the swarm once a second while something is pending: leave it out.',
    'monitor-interval',
    'poll-interval',
  ),
  ...to(
    'Nothing is copied to the manager: leave it out.',
    'copy-stack-file',
    'deploy-path',
    'project-path',
    'keep-files',
  ),
])

function to(advice: string, ...names: readonly string[]): readonly (readonly [string, string])[] {
  return names.map((name) => [name, advice])
}

/** One finding for each `INPUT_*` that is not ours: an error for a known name of another action, a warning otherwise. */
export function unknownInputs(env: Readonly<Record<string, string | undefined>>): readonly Problem[] {
  const names = Object.keys(env)
    .filter((key) => key.startsWith('INPUT_') && (env[key] ?? '').trim() !== '')
    .map((key) => key.slice('INPUT_'.length).toLowerCase())
  return names
    .filter((name) => !INPUT_NAMES.includes(name))
    .sort()
    .map(unknownInput)
}

function unknownInput(name: string): Problem {
  const kebab = name.replaceAll('_', '-')
  const remedy = INPUT_NAMES.includes(kebab) ? `Write \`${kebab}\`.` : FOREIGN.get(kebab)
  if (remedy !== undefined) {
    return { severity: 'error', code: 'input', message: `the input ${shown(name)} is another action's`, remedy }
  }
  const near = nearest(kebab)
  return {
    severity: 'warning',
    code: 'input',
    message: `there is no input ${shown(name)}, and its value is ignored`,
    remedy: near === undefined ? 'docs/inputs.md lists them all.' : `Did you mean \`${near}\`?`,
  }
}

function shown(name: string): string {
  return /^[\w-]{1,60}$/.test(name) ? `\`${name}\`` : JSON.stringify(name.slice(0, 60))
}

/** The input that most resembles a name: at most a third of it mistyped, or the same without its hyphens. */
function nearest(name: string): string | undefined {
  if (name.length > 60) return undefined
  const squeezed = name.replaceAll('-', '')
  const ranked = INPUT_NAMES.map((known) => ({ known, far: distance(squeezed, known.replaceAll('-', '')) }))
  const [best] = ranked.sort((a, b) => a.far - b.far)
  return best !== undefined && best.far <= Math.max(1, Math.floor(squeezed.length / 3)) ? best.known : undefined
}

/** Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
