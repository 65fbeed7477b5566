import { join, type Range } from './formIndex.ts'

/** What fits into a number: so many characters of base64 in a row, six bytes. */
const PIECE = 8

/** Shorter ones are of words that many texts have, such as `https://`. */
const SHORTEST_RANGE = 12

/** What can be recognised of secrets in base64. */
export interface Base64Pieces {
  /** Remembers a secret's pieces. */
  add(secret: Uint8Array): void
  /**
   * Where twelve characters of one or more are in a text: inside a longer base64 text too, in either alphabet, and whatever line ends lie in
   * between, written out or escaped, for tools break base64 at many widths; of what a log shows only the end of, that end. Takes a time that
   * grows with the text alone.
   */
  rangesIn(text: string): readonly Range[]
}

export function createBase64Pieces(): Base64Pieces {
  /** Eight characters of 6 bits: 48 of them, as a number. */
  const pieces = new Set<number>()
  // One bit for all that four characters can be: whether a piece ends with them.
  let ends: Uint8Array | undefined
  return {
    add(secret) {
      for (const text of alignments(secret)) {
        if (text.length < PIECE) continue
        ends ??= new Uint8Array(2 ** 21)
        let [first, last] = [0, 0]
        for (let at = 0; at < text.length; at++) {
          first = ((first << 6) | (last >>> 18)) & 0xffffff
          last = ((last << 6) | (SEXTETS[text.charCodeAt(at)] ?? 0)) & 0xffffff
          if (at < PIECE - 1 || isRow(first, last)) continue
          pieces.add(first * 2 ** 24 + last)
          ends[last >>> 3] = (ends[last >>> 3] ?? 0) | (1 << (last & 7))
        }
      }
    },
    rangesIn(text) {
      if (ends === undefined || text.length < PIECE) return []
      const found: Range[] = []
      // Where the last eight characters were, round and round.
      const places = new Int32Array(PIECE)
      let [first, last, seen] = [0, 0, 0]
      for (let at = 0; at < text.length; at++) {
        const sextet = SEXTETS[text.charCodeAt(at)] ?? OTHER
        if (sextet === BLANK) continue
        if (sextet === BACKSLASH) {
          if (/[nrt]/.test(text[at + 1] ?? '')) at++
          continue
        }
        if (sextet === OTHER) {
          seen = 0
          continue
        }
        first = ((first << 6) | (last >>> 18)) & 0xffffff
        last = ((last << 6) | sextet) & 0xffffff
        places[seen++ % PIECE] = at
        if (seen < PIECE || ((ends[last >>> 3] ?? 0) & (1 << (last & 7))) === 0) continue
        if (!pieces.has(first * 2 ** 24 + last)) continue
        join(found, [places[seen % PIECE] ?? 0, at + 1])
      }
      return found.filter(([from, to]) => to - from >= SHORTEST_RANGE)
    },
  }
}

/** What of a longer base64 text is a secret's alone, at each of the three places: its first and last characters hold bits of the neighbours. */
export function alignments(secret: Uint8Array): readonly string[] {
  return [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), secret])
      .toString('base64')
      .slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + secret.length) * 8) / 6)),
  )
}

// --- Internal helpers ---

const [OTHER, BLANK, BACKSLASH] = [-1, -2, -3]

/** By the code of a character: its 6 bits in either alphabet of base64, or what else it is. */
const SEXTETS = new Int8Array(128).fill(OTHER)
for (const alphabet of ['+/', '-_']) {
  const letters = `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${alphabet}`
  for (let value = 0; value < 64; value++) SEXTETS[letters.charCodeAt(value)] = value
}
for (const blank of ' \t\n\r') SEXTETS[blank.charCodeAt(0)] = BLANK
SEXTETS['\\'.charCodeAt(0)] = BACKSLASH

/** Eight times the same character, as in a line of dashes, tells nothing. */
function isRow(first: number, last: number): boolean {
  return first === last && last === (last & 63) * 0x041041
}
