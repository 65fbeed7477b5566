import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ensurePackages } from './packages.mjs'

/** A certificate with its key, as PEM text. */
export interface Pair {
  readonly cert: string
  readonly key: string
}

export interface Authority extends Pair {
  /** A certificate by this authority; `names` as in `IP:127.0.0.1,DNS:localhost`, `days` negative for one that has expired. */
  issue(of: { readonly names?: string; readonly days?: number }): Pair
}

/** A certificate authority of its own, made by openssl; nothing of it stays on disk. */
export function createAuthority(name: string): Authority {
  ensurePackages(['openssl'], () => {})
  const own = inFolder((run, read) => {
    run(['req', '-x509', ...KEY, '-keyout', 'key', '-out', 'cert', '-subj', `/CN=${name}`, '-days', '2'])
    return { cert: read('cert'), key: read('key') }
  })
  return {
    ...own,
    issue: ({ names = 'DNS:client', days = 2 }) =>
      inFolder((run, read, write) => {
        write('ca', own.cert)
        write('ca-key', own.key)
        write('extensions', `subjectAltName=${names}\nextendedKeyUsage=serverAuth,clientAuth\n`)
        run(['req', ...KEY, '-keyout', 'key', '-out', 'request', '-subj', '/CN=leaf'])
        const by = ['-CA', 'ca', '-CAkey', 'ca-key', '-CAcreateserial', '-extfile', 'extensions']
        run(['x509', '-req', '-in', 'request', ...by, '-days', `${days}`, '-out', 'cert'])
        return { cert: read('cert'), key: read('key') }
      }),
  }
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

function inFolder<T>(
  make: (
    run: (args: readonly string[]) => void,
    read: (file: string) => string,
    write: (file: string, text: string) => void,
  ) => T,
): T {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'certificates-'))
  try {
    return make(
      (args) => execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] }),
      (file) => fs.readFileSync(path.join(folder, file), 'utf8'),
      (file, text) => fs.writeFileSync(path.join(folder, file), text),
    )
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}
