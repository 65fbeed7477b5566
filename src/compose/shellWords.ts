// Splits a command written as one text, as the docker CLI does it (google/shlex): quotes, backslashes, `#` comments.

const blank = /[ \t\r\n]/

/** The words; a text says what is wrong. Nothing is expanded: no shell is involved. */
export function shellWords(text: string): string[] | string {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') {
      at++
      if (at >= text.length) return 'it ends with a backslash that nothing follows'
      word = (word ?? '') + text.charAt(at)
    } else if (character === "'" || character === '"') {
      const end = closing(text, at)
      if (end === undefined) return `the quote ${character} is never closed`
      const inside = text.slice(at + 1, end)
      word = (word ?? '') + (character === '"' ? inside.replace(/\\([\s\S])/g, '$1') : inside)
      at = end
    } else if (blank.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (character === '#' && word === undefined) {
      const end = text.indexOf('\n', at)
      at = end === -1 ? text.length : end
    } else word = (word ?? '') + character
  }
  if (word !== undefined) words.push(word)
  return words
}

/** The offset of the quote that closes the one at `start`. */
function closing(text: string, start: number): number | undefined {
  const quote = text.charAt(start)
  for (let at = start + 1; at < text.length; at++) {
    if (quote === '"' && text.charAt(at) === '\\') at++
    else if (text.charAt(at) === quote) return at
  }
  return undefined
}
