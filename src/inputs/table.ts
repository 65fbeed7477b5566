// The one table of inputs: action.yml and docs/inputs.md are held equal to it by a test. Descriptions live in action.yml.

import { forbiddable } from '../convert/forbidden.ts'
import { duration } from './duration.ts'
import { endpoints, jumpHosts } from './endpoint.ts'
import type { Form } from './form.ts'
import { hostFingerprints } from './hostFingerprint.ts'
import { list } from './list.ts'
import { map } from './map.ts'
import {
  absolutePath,
  boolean,
  booleanOrList,
  choice,
  choices,
  count,
  document,
  label,
  trimmed,
  verbatim,
  webAddress,
  word,
  wordOr,
} from './scalar.ts'

export interface InputRow<T> {
  /** As in action.yml; empty where an absent input means something that no text says. */
  readonly default: string
  readonly form: Form<T>
  /** The text, or parts of it, must never be shown. */
  readonly secret: boolean
}

interface Flags {
  readonly secret?: boolean
}

/** An input that may be absent. */
export type OptionalRow<T> = InputRow<T> & { readonly default: '' }

function optional<T>(form: Form<T>, { secret = false }: Flags = {}): OptionalRow<T> {
  return { default: '', form, secret }
}

function defaulted<const D extends string, T>(
  text: D,
  form: Form<T>,
  { secret = false }: Flags = {},
): InputRow<T> & { readonly default: D } {
  return { default: text, form, secret }
}

const SECRET = { secret: true }

export const INPUTS = {
  // Where to
  host: optional(endpoints),
  'ssh-key': optional(document, SECRET),
  'ssh-key-passphrase': optional(verbatim, SECRET),
  'ssh-password': optional(verbatim, SECRET),
  'known-hosts': optional(document),
  'host-fingerprint': optional(hostFingerprints),
  'host-key-check': defaulted('strict', choice(['strict', 'off'])),
  'jump-host': optional(jumpHosts),
  'jump-ssh-key': optional(document, SECRET),
  'docker-socket': defaulted('/var/run/docker.sock', word),
  'connect-timeout': defaulted('20s', duration('more than zero')),
  'tls-ca': optional(document),
  'tls-cert': optional(document),
  'tls-key': optional(document, SECRET),
  // What
  command: defaulted('deploy', choice(['deploy', 'plan', 'remove', 'status', 'list', 'rollback'])),
  'stack-name': optional(trimmed),
  manifest: optional(list),
  'env-file': optional(list),
  variables: optional(map),
  secrets: optional(map, SECRET),
  'inherit-environment': defaulted('true', boolean),
  services: optional(list),
  'resolve-image': defaulted('always', choice(['always', 'changed', 'never'])),
  'strict-images': defaulted('false', boolean),
  'registry-auth': optional(document, SECRET),
  prune: defaulted('false', boolean),
  rotate: defaulted('true', boolean),
  force: defaulted('false', booleanOrList),
  'bind-root': optional(absolutePath),
  'protected-secrets': optional(list),
  forbid: optional(choices(forbiddable)),
  adopt: defaulted('false', boolean),
  'allow-forks': defaulted('false', boolean),
  revision: optional(count(Number.MAX_SAFE_INTEGER)),
  'expect-plan': optional(word),
  'remove-volumes': defaulted('false', boolean),
  // How long, and then
  wait: defaulted('true', boolean),
  timeout: defaulted('10m', duration('more than zero')),
  monitor: optional(duration('zero allowed')),
  'max-failures': defaulted('3', count(1_000_000)),
  'on-failure': defaulted('none', choice(['none', 'rollback'])),
  history: defaulted('10', count(1_000)),
  // What is said where
  'log-lines': defaulted('auto', wordOr('auto', count(10_000))),
  summary: defaulted('true', boolean),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of action.yml, which the runner replaces
  'github-token': defaulted('${{ github.token }}', verbatim, SECRET),
  'status-check': defaulted('auto', wordOr('auto', boolean)),
  environment: optional(label),
  'environment-url': optional(webAddress),
  deployment: defaulted('false', boolean),
  comment: defaulted('false', boolean),
} as const satisfies Record<string, InputRow<unknown>>

export type InputName = keyof typeof INPUTS

/** In the order of action.yml. */
export const INPUT_NAMES: readonly string[] = Object.keys(INPUTS)

/** What an input's form makes of it; undefined too where it may be absent. */
export type InputValue<N extends InputName> =
  | ((typeof INPUTS)[N] extends InputRow<infer T> ? T : never)
  | ((typeof INPUTS)[N]['default'] extends '' ? undefined : never)

/** The runner's name for an input: upper case, blanks as `_`, hyphens kept. */
export function inputVariable(name: string): string {
  return `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`
}
