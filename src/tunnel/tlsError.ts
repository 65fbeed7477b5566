import { DeployError, type FailureCode, messageOf } from '../errors.ts'
import type { Place } from './connectError.ts'
import type { TcpEndpoint } from './endpoint.ts'
import { printable } from './printable.ts'

/** Why TLS with an engine did not come about, from node's and OpenSSL's codes. The server's identity counts as its host key. */
export function tlsError(error: unknown, { host }: TcpEndpoint, { where }: Place): DeployError {
  const text = `${error instanceof Error && 'code' in error ? error.code : ''} ${messageOf(error)}`
  const [, code, why, remedy] = reasons.find(([pattern]) => pattern.test(text)) ?? [
    undefined,
    'connection',
    `the connection broke (${printable(messageOf(error))})`,
    "Look at the log of dockerd there; `tls-ca`, `tls-cert` and `tls-key` must be of the same authority as the engine's own.",
  ]
  const named = /ALTNAME/.test(text) ? `: ${printable(messageOf(error))}` : ''
  return new DeployError(code, `No TLS connection with ${where}: ${why}${named}.`, {
    cause: error,
    remedy: remedy.replace('HOST', host),
  })
}

const reasons: readonly (readonly [pattern: RegExp, code: FailureCode, why: string, remedy: string])[] = [
  [
    /CERT_HAS_EXPIRED/,
    'host-key',
    "the server's certificate, or that of its authority, has expired",
    'Issue a new certificate for the engine and restart its dockerd.',
  ],
  [
    /CERT_NOT_YET_VALID/,
    'host-key',
    "the server's certificate is not valid yet",
    'Compare the clocks of the runner and of the machine that issued it.',
  ],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID/,
    'host-key',
    "the server's certificate is for another name",
    'Use a name of the certificate in `host`, or issue one for HOST (subjectAltName, `DNS:` for names and `IP:` for addresses).',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|CERT_SIGNATURE_FAILURE|INVALID_CA|CERT_UNTRUSTED/,
    'host-key',
    "the server's certificate is not signed by the authority in `tls-ca`",
    "Give the ca.pem with which the engine's own certificate was made. If it is the right one, another machine answers in its place.",
  ],
  [
    /ALERT_CERTIFICATE_EXPIRED|alert certificate expired/i,
    'authentication',
    'the server says that the certificate in `tls-cert` has expired',
    'Issue a new client certificate and store it with its key.',
  ],
  [
    /ALERT_(?:BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_REQUIRED|CERTIFICATE_UNKNOWN|ACCESS_DENIED)|alert (?:bad certificate|unknown ca|certificate)/i,
    'authentication',
    'the server does not take the certificate in `tls-cert`',
    "It must be signed by the engine's `tlscacert`, and be for clients (extendedKeyUsage clientAuth).",
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH|wrong version number|HTTP_REQUEST/i,
    'connection',
    'what listens there speaks no TLS',
    'Check the port in `host` (2376 is the usual one), and that dockerd runs with --tlsverify.',
  ],
  [
    /socket hang up|ECONNRESET/,
    'connection',
    'the server hung up, as some do that do not take the certificate in `tls-cert`',
    "It must be signed by the engine's `tlscacert`, and be for clients (extendedKeyUsage clientAuth).",
  ],
  [
    /PROTOCOL_VERSION|HANDSHAKE_FAILURE|NO_SHARED|UNSUPPORTED_PROTOCOL/,
    'connection',
    'the server and this action have no TLS version or cipher in common',
    'TLS 1.2 or newer is needed: update the engine.',
  ],
]

/** A connection without TLS that brought no answer of an engine. */
export function plainError(error: unknown, { where }: Place): DeployError {
  const wantsTls = /wants TLS|ECONNRESET|socket hang up|HPE_/.test(
    `${messageOf(error)} ${error instanceof Error && 'code' in error ? error.code : ''}`,
  )
  return new DeployError(
    'connection',
    `Connected to ${where}, but no Docker engine answers in the clear there${wantsTls ? '' : ` (${printable(messageOf(error))})`}.`,
    {
      cause: error,
      remedy: 'If it speaks TLS, give `tls-ca`, `tls-cert` and `tls-key`; otherwise check the port in `host`.',
    },
  )
}
