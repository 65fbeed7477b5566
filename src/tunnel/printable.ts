/** A server's own words for an error message: one line, at most 300 characters, without control and direction characters. */
export function printable(text: string): string {
  const line = text
    .replace(/[\r\n]+/g, '; ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/^[;\s]+|[;\s]+$/g, '')
  return line.length > 300 ? `${line.slice(0, 299)}…` : line
}
