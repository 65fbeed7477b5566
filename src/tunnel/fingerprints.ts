import { DeployError } from '../errors.ts'

/** A pinned fingerprint. Without `host` it is for whichever host is connected to. */
export interface PinnedFingerprint {
  readonly host?: string | undefined
  readonly port: number
  /** `SHA256:` and 43 characters, unpadded. */
  readonly fingerprint: string
}

const form = /^(?:(\[[^\]\s]+\]|[^\s:[\]]+)(?::(\d{1,5}))?\s+)?(SHA256:[A-Za-z0-9+/]{43})=?$/

/** Reads `host[:port] SHA256:…` and bare `SHA256:…` lines; throws a DeployError with code `input`. */
export function parseFingerprints(lines: readonly string[]): readonly PinnedFingerprint[] {
  return lines.flatMap((raw, index) => {
    const text = raw.trim()
    if (text === '' || text.startsWith('#')) return []
    const match = form.exec(text)
    if (match === null) {
      throw new DeployError('input', `Line ${index + 1} of \`host-fingerprint\` is no fingerprint: ${why(text)}.`, {
        remedy:
          'Write `host SHA256:…` with what `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` prints on the server.',
      })
    }
    const [, host, port = '22', fingerprint = ''] = match
    return [{ host: host?.replace(/^\[|\]$/g, '').toLowerCase(), port: Number(port), fingerprint }]
  })
}

function why(text: string): string {
  if (/MD5:|(?:[0-9a-f]{2}:){15}[0-9a-f]{2}/i.test(text)) return 'MD5 fingerprints prove nothing any more'
  return text.includes('SHA256:')
    ? 'the part after `SHA256:` must be 43 characters of base64'
    : 'it has no `SHA256:` part'
}
