import { type Fault, type Form, settled } from './form.ts'
import { listItems } from './list.ts'

/** A pinned fingerprint. Without `host` it is for whichever host is connected to. */
export interface HostFingerprint {
  /** In lower case, IPv6 without its brackets. */
  readonly host?: string | undefined
  /** Absent, it is for every port of the host that has no fingerprint of its own. */
  readonly port?: number | undefined
  /** `SHA256:` and 43 characters, unpadded. */
  readonly fingerprint: string
}

const LINE = /^(?:(\[[^\]\s]+\]|[^\s:[\]]+)(?::(\d{1,5}))?\s+)?(SHA256:[A-Za-z0-9+/]{43})=?$/

/** As `ssh-keygen -l` prints it, `256 SHA256:… root@host (ED25519)`, perhaps behind a host: bits, comment and type say nothing here. */
function withoutTrimmings(text: string): string {
  return text.replace(/^(\S+\s+)?\d+\s+(SHA256:\S+)\s.*\([A-Z0-9-]+\)$/, '$1$2')
}

/** `host[:port] SHA256:…` lines, or a bare `SHA256:…` where there is only one host to mean. */
export const hostFingerprints: Form<readonly HostFingerprint[]> = (text) => {
  const faults: Fault[] = []
  const pins: HostFingerprint[] = []
  for (const { line, text: item } of listItems(text)) {
    const match = LINE.exec(withoutTrimmings(item))
    if (match === null) {
      faults.push({
        what: `line ${line} is no fingerprint${whyNot(item)}`,
        remedy:
          'Write `host SHA256:…`, with what `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` prints on the host.',
      })
    } else {
      const [, host, port, fingerprint = ''] = match
      pins.push({
        host: host?.replace(/^\[|\]$/g, '').toLowerCase(),
        port: port === undefined ? undefined : Number(port),
        fingerprint,
      })
    }
  }
  return settled(pins, faults)
}

function whyNot(text: string): string {
  if (/MD5:|(?:[0-9a-f]{2}:){15}[0-9a-f]{2}/i.test(text)) return ': MD5 fingerprints prove nothing any more'
  return /SHA256:\S{1,42}$/.test(text) ? ': it is cut off' : ''
}
