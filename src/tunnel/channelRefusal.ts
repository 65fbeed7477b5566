import { messageOf } from '../errors.ts'
import { printable } from './printable.ts'

/**
 * Everything that a server says no to when a channel is to be opened (RFC 4254, section 5.1): OpenSSH gives one and the same reason for a
 * forbidden forwarding, a missing socket and one that the user may not open.
 */
export function isRefusal(error: unknown): error is Error & { readonly reason: unknown } {
  return error instanceof Error && 'reason' in error
}

/** The server's own words in it. */
export function refusalWords(error: unknown): string {
  return printable(messageOf(error).replace(/^\(SSH\) Channel open failure: /, ''))
}
