/**
 * Undoes what copy and paste, secret stores and Windows do to PEM text: CRLF, a missing final newline, indentation, quotes around
 * it, `\n` written as two characters, everything on one line, or the whole file once more in base64. Only the PEM blocks are left;
 * text without any comes back trimmed.
 */
export function mendPem(text: string): string {
  const plain = unwrapped(text.replace(/^\uFEFF/, '').trim())
  const blocks = [...plain.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g)]
  if (blocks.length === 0) return plain.replace(/\r\n?/g, '\n')
  return blocks.map(([, label = '', inside = '']) => mendedBlock(label, inside)).join('')
}

function mendedBlock(label: string, inside: string): string {
  // Encrypted keys of the older PEM form begin with headers and an empty line; without line ends they can still be told apart.
  const headers = /^\s*Proc-Type:\s*(\d,ENCRYPTED)\s+DEK-Info:\s*([A-Za-z0-9-]+,[0-9A-Fa-f]+)\s+/.exec(inside)
  const body = (headers === null ? inside : inside.slice(headers[0].length)).replace(/\s+/g, '')
  return [
    `-----BEGIN ${label}-----`,
    ...(headers === null ? [] : [`Proc-Type: ${headers[1]}`, `DEK-Info: ${headers[2]}`, '']),
    ...(body.match(/.{1,64}/g) ?? []),
    `-----END ${label}-----`,
    '',
  ].join('\n')
}

function unwrapped(text: string): string {
  const bare = /^(["'])([\s\S]*)\1$/.exec(text)?.[2]?.trim() ?? text
  const lines = /\\n/.test(bare) && !/\n/.test(bare) ? bare.replace(/(?:\\r)?\\n/g, '\n') : bare
  if (lines.includes('-----BEGIN') || !/^[A-Za-z0-9+/=\s]{100,}$/.test(lines)) return lines
  const decoded = Buffer.from(lines, 'base64').toString('utf8')
  return decoded.trimStart().startsWith('-----BEGIN ') ? decoded.trim() : lines
}
