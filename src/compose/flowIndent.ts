// libyaml, and so docker, takes `[…]` and `{…}` over several lines at any indentation; YAML 1.2, and so the yaml package,
// wants them deeper than their key. Where that is all that is wrong, the lines are joined, character for character, so
// that every place stays what it is.
import { Lexer } from 'yaml'

/** The lexer's mark for a flow collection that the indentation ends. */
const endedByIndent = '\u0018'
/** Characters to read altogether: each repair reads the text anew. */
const budget = 20_000_000
const longest = 100_000

/** The text with such collections on one line; undefined where there is none, or it can not be told apart safely. */
export function joinFlowLines(text: string): string | undefined {
  let repaired = text
  for (let repairs = 0; repairs * text.length < budget; repairs++) {
    const start = brokenFlow(repaired)
    if (start === undefined) return repairs === 0 ? undefined : repaired
    const region = joined(repaired, start)
    // One that is on a single line already is broken for another reason, and would be found again and again.
    if (region === undefined || repaired.startsWith(region, start)) return undefined
    repaired = repaired.slice(0, start) + region + repaired.slice(start + region.length)
  }
  return undefined
}

/** Where the first flow collection that the indentation ends begins. */
function brokenFlow(text: string): number | undefined {
  let offset = 0
  let depth = 0
  let start = 0
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === endedByIndent) return start
    // Marks of one control character are not part of the text.
    if (lexeme === '\u0002' || lexeme === '\u001f') continue
    if (lexeme === '[' || lexeme === '{') {
      if (depth === 0) start = offset
      depth++
    } else if (lexeme === ']' || lexeme === '}') depth = Math.max(0, depth - 1)
    offset += lexeme.length
  }
  return undefined
}

/** The collection from its bracket to the matching one, with blanks for line ends and comments. */
function joined(text: string, start: number): string | undefined {
  let result = ''
  let depth = 0
  for (let at = start; at < text.length && at < start + longest; at++) {
    const character = text.charAt(at)
    const before = result.trimEnd().slice(-1)
    const startsToken = /^[[{,:]?$/.test(before) || /\s/.test(text.charAt(at - 1))
    if (character === '#' && /\s/.test(text.charAt(at - 1))) {
      const end = text.indexOf('\n', at)
      if (end === -1) return undefined
      result += ' '.repeat(end - at)
      at = end - 1
    } else if ((character === '"' || character === "'") && startsToken) {
      const quoted = character === '"' ? /"(?:[^"\\\n]|\\.)*"/y : /'(?:[^'\n]|'')*'/y
      quoted.lastIndex = at
      const [whole] = quoted.exec(text) ?? []
      // One over several lines would be folded differently.
      if (whole === undefined) return undefined
      result += whole
      at += whole.length - 1
    } else if (character === '\n' || character === '\r') {
      const after = /\S/.exec(text.slice(at, at + longest))?.[0] ?? ''
      // Neither may a plain text be folded here.
      if (!/^[[{,:]?$/.test(before) && !/[\]},#]/.test(after)) return undefined
      result += ' '
    } else {
      result += character
      if (character === '[' || character === '{') depth++
      else if (character === ']' || character === '}') depth--
      if (depth === 0) return result
    }
  }
  return undefined
}
