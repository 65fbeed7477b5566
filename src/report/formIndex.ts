/** Where something begins and ends in a text. */
export type Range = readonly [from: number, to: number]

/** Many words, and where they are in a text: found in one walk through it, however many there are. */
export interface FormIndex {
  /** A word of four characters or more. */
  add(form: string): void
  /** In their order, none overlapping another. */
  rangesIn(text: string): readonly Range[]
}

/** Words are looked for where their first characters are. */
const HEAD = 4

export function createFormIndex(): FormIndex {
  /** By their first characters, the longest first. */
  const byHead = new Map<string, string[]>()
  /** Whether there are words for a sum of first characters: most places of a text need no further look. */
  const sums = new Uint8Array(2 ** 16)
  return {
    add(form) {
      const head = form.slice(0, HEAD)
      let sum = 0
      for (let at = 0; at < HEAD; at++) sum = next(sum, form.charCodeAt(at))
      sums[sum] = 1
      const others = byHead.get(head) ?? []
      const shorter = others.findIndex(({ length }) => length < form.length)
      others.splice(shorter === -1 ? others.length : shorter, 0, form)
      byHead.set(head, others)
    },
    rangesIn(text) {
      const found: Range[] = []
      let sum = 0
      for (let end = 0; end < text.length; end++) {
        sum = next(sum, text.charCodeAt(end))
        const at = end - HEAD + 1
        if (sums[sum] === 0 || at < 0) continue
        const form = byHead.get(text.slice(at, end + 1))?.find((one) => text.startsWith(one, at))
        if (form !== undefined) join(found, [at, at + form.length])
      }
      return found
    },
  }
}

/** Adds a range that begins where the last one does, or later: to that one where they overlap. */
export function join(ranges: Range[], [from, to]: Range): void {
  const last = ranges.at(-1)
  if (last === undefined || from >= last[1]) ranges.push([from, to])
  else if (to > last[1]) ranges[ranges.length - 1] = [last[0], to]
}

/** Of 16 bits, to which the last four characters give four each; of one before them nothing is left. */
function next(sum: number, code: number): number {
  return ((sum << 4) ^ (code ^ (code >>> 3))) & 0xffff
}
