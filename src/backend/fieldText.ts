// How the value of a field reads in a plan. Values come from `meaningOf`, in its canonical text.
import { isAddedLabel, NAMESPACE_LABEL } from '../swarm/names.ts'

/**
 * How the manifest writes the value of a key; undefined for one that it does not hold in plain text. Without a key the value may stand
 * anywhere.
 */
export type ManifestText = (value: string, key?: string) => string | undefined

export const ABSENT = '(absent)'
/** What is live, and may be a secret. */
const OTHER = '(other)'
/** What is wanted, and stands in no file of the manifest. */
const HIDDEN = '(not shown)'

/** The label that a field of a service is about, if it is about one. */
export function labelOf(field: string): string | undefined {
  return /^(?:labels|containerLabels)\[(.*)\]$/s.exec(field)?.[1]
}

/** The two sides of a field that differs. Of what can hold a secret the live value is never shown, the wanted one as it is written. */
export function fieldTexts(
  field: string,
  live: string | undefined,
  wanted: string | undefined,
  manifestText: ManifestText,
): { readonly old: string; readonly new: string } {
  if (!mayBeSecret(field)) {
    const [old, now] = [plainText(field, live), plainText(field, wanted)]
    return { old, new: old === now ? `${now}, but another one` : now }
  }
  return {
    old: live === undefined ? ABSENT : OTHER,
    new: wanted === undefined ? ABSENT : writtenText(field, wanted, manifestText),
  }
}

// --- Internal helpers ---

function mayBeSecret(field: string): boolean {
  const label = labelOf(field)
  if (label !== undefined) return !isAddedLabel(label)
  return /^(?:env|sysctls|logDriver\.options)\[|^(?:command|args|healthcheck\.test)$/.test(field)
}

/** What the engine puts before a check's own words. */
const CHECK_KINDS: readonly string[] = ['NONE', 'CMD', 'CMD-SHELL']

function writtenText(field: string, wanted: string, manifestText: ManifestText): string {
  const value: unknown = JSON.parse(wanted)
  const key = /\[(.*)\]$/s.exec(field)?.[1]
  const show = (text: string): string => manifestText(text, key) ?? HIDDEN
  if (!field.startsWith('env[')) {
    const words = (Array.isArray(value) ? value : [value]).map(String)
    const isCheck = field === 'healthcheck.test'
    return words
      .map((word, index) =>
        word === '' ? '""' : isCheck && index === 0 && CHECK_KINDS.includes(word) ? word : show(word),
      )
      .join(' ')
  }
  const name = field.slice('env['.length, -1)
  const entries = (Array.isArray(value) ? value : [value]).map(String)
  return entries.map((entry) => variableText(name, entry, manifestText)).join(', ')
}

/** Of `NAME=value` the value as written; the manifest may have the two in one text. */
function variableText(name: string, entry: string, manifestText: ManifestText): string {
  if (!entry.startsWith(`${name}=`)) return '(no value)'
  const value = entry.slice(name.length + 1)
  if (value === '') return '""'
  const whole = manifestText(entry, name)
  return manifestText(value, name) ?? (whole?.startsWith(`${name}=`) ? whole.slice(name.length + 1) : HIDDEN)
}

/** Options and labels of mounts, networks and drivers: any of them may be a password. */
const hiddenPart = /(?:options|labels|driverOpts)\[/i
/** What the field's own name says already, or what only the swarm knows an object by. */
const spareParts: Readonly<Record<string, readonly string[]>> = {
  ports: ['publishedPort', 'targetPort', 'protocol', 'publishMode'],
  networks: ['target'],
  ulimits: ['name'],
  secrets: ['secretName', 'secretID'],
  configs: ['configName', 'configID'],
  mounts: ['target'],
}

function plainText(field: string, value: string | undefined): string {
  if (value === undefined) return ABSENT
  const list = /^([a-z]+)\[/i.exec(field)?.[1] ?? ''
  const parsed = parse(value)
  if (Array.isArray(parsed)) return parsed.map((item) => itemText(String(item), spareParts[list] ?? [])).join('; ')
  return typeof parsed === 'string' ? parsed : leafText(field, value)
}

/** An item of a list: a text, or the canonical form of an object. */
function itemText(item: string, spare: readonly string[]): string {
  const parsed = parse(item)
  if (!Array.isArray(parsed) || !parsed.every(isPair)) return item
  const parts = parsed
    .filter(([name]) => !spare.includes(name) && !name.endsWith(`[${NAMESPACE_LABEL}]`))
    .map(([name, value]) => `${name} ${hiddenPart.test(name) ? HIDDEN : plainText(name, value)}`)
  return parts.length === 0 ? 'given' : parts.join(', ')
}

function isPair(value: unknown): value is readonly [name: string, value: string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string')
}

/** Undefined for a text that is no JSON: it may begin like some. */
function parse(value: string): unknown {
  if (!/^["[]/.test(value)) return undefined
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** Numbers of the wire with their units. */
function leafText(field: string, value: string): string {
  if (!/^\d+$/.test(value)) return value
  if (/(?:interval|timeout|startPeriod|delay|monitor|window|stopGracePeriod)$/i.test(field))
    return `${Number(value) / 1e9}s`
  if (/nanoCPUs$/i.test(field)) return `${Number(value) / 1e9}`
  if (/bytes$/i.test(field)) return byteText(Number(value))
  return field === 'file.mode' ? `0${Number(value).toString(8)}` : value
}

function byteText(bytes: number): string {
  for (const [unit, size] of [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['KiB', 2 ** 10],
  ] as const) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size} ${unit}`
  }
  return `${bytes} bytes`
}
