/** The known name that a mistyped one probably meant: at most a third of its letters away, and two for long ones. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase().replaceAll('-', '_')
  const limit = Math.min(2, Math.floor(wanted.length / 3))
  let best: string | undefined
  let least = limit + 1
  if (wanted.length > 60) return undefined
  for (const candidate of known) {
    const far = distance(wanted, candidate.toLowerCase().replaceAll('-', '_'))
    if (far < least) [best, least] = [candidate, far]
  }
  return best
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function distance(left: string, right: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const row = [i]
    for (let j = 1; j <= right.length; j++) {
      const cost = left[i - 1] === right[j - 1] ? 0 : 1
      let least = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
        least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(least)
    }
    beforeLast = last
    last = row
  }
  return last[right.length] ?? 0
}
