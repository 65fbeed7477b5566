import { type Fault, type Form, settled } from './form.ts'
import { listItems } from './list.ts'

const LINE = /^(?:(?:\[[^\]\s]+\]|[^\s:[\]]+)(?::\d{1,5})?\s+)?SHA256:[A-Za-z0-9+/]{43}=?$/

/** As `ssh-keygen -l` prints it, `256 SHA256:… root@host (ED25519)`, perhaps behind a host: bits, comment and type say nothing here. */
function withoutTrimmings(text: string): string {
  return text.replace(/^(\S+\s+)?\d+\s+(SHA256:\S+)\s.*\([A-Z0-9-]+\)$/, '$1$2')
}

/** `host[:port] SHA256:…` lines, or a bare `SHA256:…` where there is only one host to mean; comments and empty lines are gone. */
export const hostFingerprints: Form<readonly string[]> = (text) => {
  const faults: Fault[] = []
  const items = listItems(text).map((item) => ({ ...item, text: withoutTrimmings(item.text) }))
  for (const item of items) {
    if (LINE.test(item.text)) continue
    faults.push({
      what: `line ${item.line} is no fingerprint${/SHA256:\S{1,42}$/.test(item.text) ? ': it is cut off' : ''}`,
      remedy: 'Write `host SHA256:…`, with what `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` prints on the host.',
    })
  }
  return settled(
    items.map((item) => item.text),
    faults,
  )
}
