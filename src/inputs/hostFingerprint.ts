import { type Fault, type Form, settled } from './form.ts'
import { listItems } from './list.ts'

/** A pinned host key. Without `host` it is the one endpoint's; without `port`, port 22. */
export interface HostFingerprint {
  readonly host?: string | undefined
  readonly port?: number | undefined
  /** `SHA256:` and 43 characters of base64, as `ssh-keygen -lf` prints it. */
  readonly fingerprint: string
}

const LINE = /^(?:(\[[^\]\s]+\]|[^\s:[\]]+)(?::(\d{1,5}))?\s+)?(SHA256:[A-Za-z0-9+/]{43})=?$/

/** `host[:port] SHA256:…` lines; a bare fingerprint where there is only one host to mean. */
export const hostFingerprints: Form<readonly HostFingerprint[]> = (text) => {
  const values: HostFingerprint[] = []
  const faults: Fault[] = []
  for (const item of listItems(text)) {
    const match = LINE.exec(item.text)
    if (match === null) {
      faults.push({
        what: `line ${item.line} is no fingerprint`,
        remedy:
          'Write `host SHA256:…`, with what `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` prints on the host.',
      })
      continue
    }
    const [, host, port, fingerprint = ''] = match
    values.push({
      host: host?.replace(/^\[|\]$/g, '').toLowerCase(),
      port: port === undefined ? undefined : Number(port),
      fingerprint,
    })
  }
  return settled(values, faults)
}
