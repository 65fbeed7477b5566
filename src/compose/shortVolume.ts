// The short syntax of volumes: `[source:]target[:options]`. Source: docker/cli internal/volumespec.
import type { ServiceVolume } from './stack.ts'

export type ShortVolume = Omit<ServiceVolume, 'place' | 'writtenSource'>

const propagations = new Set(['rprivate', 'private', 'rshared', 'shared', 'rslave', 'slave'])

/** A text says what is wrong. */
export function parseShortVolume(text: string): ShortVolume | string {
  if (text === '') return 'it is empty'
  const base: ShortVolume = { type: 'volume', source: '', target: text, readOnly: false, consistency: '' }
  if (text.length <= 2) return base
  const parts = sections(text)
  if (typeof parts === 'string') return parts
  const [source = '', target, options] = parts
  if (target === undefined) return { ...base, target: source }
  return { ...base, type: isBindSource(source) ? 'bind' : 'volume', source, target, ...parseOptions(options ?? '') }
}

/** Splits at colons; a single letter before a colon is a drive, and stays with what follows. */
function sections(text: string): string[] | string {
  const parts: string[] = []
  let part = ''
  for (const character of text) {
    if (character !== ':' || /^\p{L}$/u.test(part)) part += character
    else {
      if (part === '') return 'there is an empty part between two colons'
      if (parts.length === 2) return 'it has too many colons'
      parts.push(part)
      part = ''
    }
  }
  return part === '' ? 'there is an empty part after a colon' : [...parts, part]
}

function isBindSource(source: string): boolean {
  return /^[./~\\]/.test(source) || /^[a-zA-Z]:/.test(source)
}

/** Unknown options mean nothing, as with docker; of several propagations the last counts. */
function parseOptions(text: string): Partial<ShortVolume> {
  let readOnly = false
  let nocopy = false
  let propagation = ''
  for (const option of text.split(',')) {
    if (option === 'ro') readOnly = true
    else if (option === 'rw') readOnly = false
    else if (option === 'nocopy') nocopy = true
    else if (propagations.has(option)) propagation = option
  }
  return {
    readOnly,
    ...(nocopy && { volume: { nocopy, subpath: '' } }),
    ...(propagation !== '' && { bind: { propagation } }),
  }
}
