import type { ParsedKey } from 'ssh2'

/**
 * An RSA key that signs by rsa-sha2-512 (RFC 8332). By itself ssh2 signs by rsa-sha2-256 wherever the server knows that, even where
 * its policy takes the other one alone; a key of any other type it signs with as its type says.
 */
export function signWithSha512(key: ParsedKey): ParsedKey {
  return Object.create(key, {
    type: { value: 'rsa-sha2-512' },
    sign: { value: (data: Buffer | string) => key.sign(data, 'sha512') },
  })
}
