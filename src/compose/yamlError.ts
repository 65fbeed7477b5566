// The yaml package's syntax errors in words for the person whose manifest it is.
import type { ErrorCode, YAMLParseError } from 'yaml'

const explained: Readonly<Partial<Record<ErrorCode, readonly [message: string, remedy: string]>>> = {
  BAD_INDENT: [
    'the indentation does not fit the lines before',
    'Indent all keys of one mapping, and all items of one list, by the same number of spaces.',
  ],
  TAB_AS_INDENT: ['a tab is used as indentation, which YAML forbids', 'Replace the tab by spaces.'],
  BLOCK_AS_IMPLICIT_KEY: [
    'a second ": " on this line, or a more deeply indented key below a value, makes no valid mapping',
    'Quote the value if it contains ": ", or correct the indentation.',
  ],
  MULTILINE_IMPLICIT_KEY: [
    'a key must end with ":" on its own line',
    'Add the missing ":", close the quote or bracket before it, or quote the text.',
  ],
  BAD_DQ_ESCAPE: [
    'unknown escape sequence in a double-quoted text',
    'Write \\\\ for a backslash, or use single quotes.',
  ],
  BAD_SCALAR_START: ['a plain text cannot begin with this character', 'Quote the text.'],
  MULTIPLE_ANCHORS: ['a value can have only one anchor', 'Remove the other.'],
  BAD_ALIAS: ['the alias is not valid', 'An alias is "*" and a name, with nothing after it.'],
}

export function explainYamlError(error: YAMLParseError): { readonly message: string; readonly remedy: string } {
  const [message, remedy] = explained[error.code] ?? [
    error.message,
    'Correct the syntax here or in the lines just before.',
  ]
  const detail = message === error.message || error.code.startsWith('TAB') ? '' : ` (${error.message})`
  return { message: `this is not valid YAML: ${message}${detail}`, remedy }
}
