// SSH servers of many configurations inside a bed's manager, each on a port of its own: what the world's servers look like.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Bed } from './bed.mjs'
import { ensurePackages } from './packages.mjs'

/** Lines of sshd_config on top of the bed's own: OpenSSH takes the first value of a keyword. */
const openssh = {
  plain: '',
  noStream: 'AllowStreamLocalForwarding no',
  noTcp: 'AllowTcpForwarding no',
  noForwarding: 'DisableForwarding yes',
  oneSession: 'MaxSessions 1\nAllowStreamLocalForwarding no',
  noSession: 'MaxSessions 0\nAllowStreamLocalForwarding no',
  noSessionButStream: 'MaxSessions 0',
  oneStartup: 'MaxStartups 1',
  noTty: 'PermitTTY no',
  forced: 'ForceCommand echo denied; exit 1',
  forcedNoStream: 'ForceCommand echo denied; exit 1\nAllowStreamLocalForwarding no',
  forcedDial: 'ForceCommand docker system dial-stdio\nAllowStreamLocalForwarding no',
  restricted: 'AuthorizedKeysFile FARM/restricted_keys',
  restrictedJump: 'AuthorizedKeysFile FARM/restricted_jump',
  permitOpen: 'PermitOpen 127.0.0.1:1',
  password: 'PubkeyAuthentication no\nPasswordAuthentication yes',
  jumpByPassword: 'PubkeyAuthentication no\nPasswordAuthentication yes',
  keyboard: 'UsePAM yes\nKbdInteractiveAuthentication yes\nAuthenticationMethods keyboard-interactive',
  keyAndPassword: 'PasswordAuthentication yes\nAuthenticationMethods publickey,password',
  keyAndKeyboard: 'UsePAM yes\nKbdInteractiveAuthentication yes\nAuthenticationMethods publickey,keyboard-interactive',
  keysOrPassword: 'PasswordAuthentication yes',
  edHost: 'HostKey FARM/host_ed25519',
  rsaHost: 'HostKey FARM/host_rsa\nHostKeyAlgorithms rsa-sha2-256',
  ecdsaHost: 'HostKey FARM/host_ecdsa',
  allHosts: 'HostKey FARM/host_rsa\nHostKey FARM/host_ecdsa\nHostKey FARM/host_ed25519',
  hostCertificate: 'HostKey FARM/host_ed25519\nHostCertificate FARM/host_ed25519-cert.pub',
  banner: 'Banner FARM/banner',
  oneTry: 'MaxAuthTries 1',
  edOnly: 'PubkeyAcceptedAlgorithms ssh-ed25519',
  rsa512Only: 'PubkeyAcceptedAlgorithms rsa-sha2-512',
  certificatesOnly: 'TrustedUserCAKeys FARM/ca.pub\nAuthorizedKeysFile none',
  denied: 'DenyUsers deploy',
  slowToAsk: 'LoginGraceTime 60\nUseDNS yes',
  oldKex: 'KexAlgorithms sntrup761x25519-sha512@openssh.com',
  chacha: 'Ciphers chacha20-poly1305@openssh.com',
  cbc: 'Ciphers aes256-cbc\nMACs hmac-sha2-512-etm@openssh.com',
} as const

/** Options of dropbear, which forwards no unix sockets. */
const dropbear = {
  dropbear: '-s',
  dropbearPassword: '',
  dropbearNoForwarding: '-s -j -k',
} as const

/** Options of a key in authorized_keys that leave it nothing but the engine, or the way to one port; docs/connection.md shows them. */
export const RESTRICTED = 'restrict,command="docker system dial-stdio"'
export const RESTRICTED_JUMP = 'restrict,port-forwarding,permitopen="127.0.0.1:2310"'

/** The farm's folder in the manager, which every user may read. */
const FARM = '/etc/ssh-farm'

export type Variant = keyof typeof openssh | keyof typeof dropbear

const FIRST_PORT = 2310
const variants: readonly Variant[] = [...Object.keys(openssh), ...Object.keys(dropbear)] as Variant[]

export interface Farm {
  /** Where its servers answer, from here. */
  readonly host: string
  portOf(variant: Variant): number
  /** The text of a key file made for it: `user`, `rsa`, `rsa.pub`, `ecdsa`, `jump`, `stranger`, `locked`, `user-cert.pub`, `host_rsa.pub`, …. */
  file(name: string): string
  /** Lines for known_hosts: the bed's own host key for every port. */
  readonly knownHosts: string
  /** The password of the users `secretive` and `noisy`, and the passphrase of `locked`. */
  readonly password: string
  /** The log of a server. */
  logOf(variant: Variant): Promise<string>
  stop(): Promise<void>
}

/** Starts all of them; the users are `deploy`, `nodocker` and `jumper` (keys), `secretive` (password), `noisy`, `nologin`. */
export async function startFarm(bed: Bed): Promise<Farm> {
  ensurePackages(['dropbear-bin'], () => {})
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ssh-farm-'))
  const password = 'Zx-pa55 "word"'
  makeKeys(folder, password)
  const file = (name: string): string => fs.readFileSync(path.join(folder, name), 'utf8')
  const inBed = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await bed.shell(['bash', '-s'], { input: script })
    if (code !== 0) throw new Error(`the farm could not be started: ${stderr}`)
    return stdout
  }
  const base = await inBed('cat /etc/bed/sshd_config')
  await inBed(farmScript(file, password, base))
  const hostKey = fs.readFileSync(bed.knownHostsFile, 'utf8').split('\n')[0]?.split(' ').slice(1).join(' ') ?? ''
  return {
    host: bed.host,
    portOf: (variant) => FIRST_PORT + variants.indexOf(variant),
    file,
    password,
    knownHosts: `[*]:* ${hostKey}\n${bed.host} ${hostKey}\n`,
    logOf: (variant) => inBed(`cat ${FARM}/${variant}.log`),
    async stop() {
      fs.rmSync(folder, { recursive: true })
      await inBed(`for file in ${FARM}/*.pid; do kill "$(cat "$file")" || true; done`)
    },
  }
}

/** Everything is made anew for each farm; certificates are by `ca`. */
function makeKeys(folder: string, passphrase: string): void {
  const keygen = (args: readonly string[]): void => {
    execFileSync('ssh-keygen', ['-q', ...args], { cwd: folder, stdio: 'ignore' })
  }
  const make = (name: string, type: readonly string[], secret = ''): void =>
    keygen(['-t', ...type, '-N', secret, '-C', name, '-f', name])
  for (const name of ['user', 'jump', 'stranger', 'ca', 'host_ed25519']) make(name, ['ed25519'])
  for (const name of ['rsa', 'host_rsa']) make(name, ['rsa', '-b', '2048'])
  for (const name of ['ecdsa', 'host_ecdsa']) make(name, ['ecdsa'])
  make('locked', ['ed25519'], passphrase)
  keygen(['-s', 'ca', '-I', 'tester', '-n', 'deploy', 'user.pub'])
  keygen(['-s', 'ca', '-h', '-I', 'farm', 'host_ed25519.pub'])
}

function farmScript(file: (name: string) => string, password: string, base: string): string {
  const write = (name: string, text: string): string =>
    `cat >${FARM}/${name} <<'END_OF_FILE'\n${text.trimEnd()}\nEND_OF_FILE`
  const servers = Object.entries(openssh).map(([name, lines], index) => {
    const ours = `Port ${FIRST_PORT + index}\nListenAddress 0.0.0.0\nListenAddress ::1\nPidFile ${FARM}/${name}.pid`
    const dropped = lines.includes('HostKey ')
      ? /^(?:Port|ListenAddress|PidFile|HostKey) .*\n/gm
      : /^(?:Port|ListenAddress|PidFile) .*\n/gm
    const config = [
      ours,
      lines.replaceAll('FARM', FARM),
      `AuthorizedKeysFile ${FARM}/keys_%u`,
      base.replace(dropped, ''),
    ]
    return `${write(`${name}.conf`, config.join('\n'))}\n"$sshd" -f ${FARM}/${name}.conf -E ${FARM}/${name}.log >/dev/null 2>&1 </dev/null`
  })
  const others = Object.entries(dropbear).map(([name, options], index) => {
    const port = FIRST_PORT + Object.keys(openssh).length + index
    return `dropbear -E ${options} -p 0.0.0.0:${port} -r ${FARM}/host_dropbear -P ${FARM}/${name}.pid >${FARM}/${name}.log 2>&1 </dev/null`
  })
  const keys = ['user', 'rsa', 'ecdsa', 'locked'].map((name) => file(`${name}.pub`)).join('')
  return `set -eu
exec >&2
sshd=$(command -v sshd || echo /usr/sbin/sshd)
rm -rf ${FARM}; mkdir ${FARM}
${['host_ed25519', 'host_rsa', 'host_ecdsa', 'host_ed25519-cert.pub', 'ca.pub'].map((name) => write(name, file(name))).join('\n')}
chmod 600 ${FARM}/host_*
${write('restricted_keys', `${RESTRICTED} ${file('user.pub')}`)}
${write('restricted_jump', `${RESTRICTED_JUMP} ${file('jump.pub')}`)}
${write('banner', '\u001b[2JAuthorised \u202eusers only\n::error::not a command')}
${['deploy', 'nodocker', 'noisy', 'nologin'].map((user) => write(`keys_${user}`, keys)).join('\n')}
${write('keys_jumper', file('jump.pub'))}
for user in jumper:4101:/bin/sh secretive:4102:/bin/sh noisy:4103:/bin/bash nologin:4104:/usr/sbin/nologin; do
  IFS=: read -r name id shell <<<"$user"
  sed -i "/^$name:/d" /etc/passwd /etc/shadow
  echo "$name:x:$id:65534::/run/home/$name:$shell" >>/etc/passwd
  echo "$name:*:19000:0:99999:7:::" >>/etc/shadow
  mkdir -p /run/home/$name; chown $id /run/home/$name
  sed -i -E "/^docker:/{/[:,]$name(,|$)/!s/$/,$name/}" /etc/group
done
chpasswd -c SHA512 <<'END_OF_FILE'
secretive:${password}
END_OF_FILE
echo 'echo "Welcome! disk usage 93%"' >/run/home/noisy/.bashrc
mkdir -p /run/home/deploy/.ssh; cp ${FARM}/keys_deploy /run/home/deploy/.ssh/authorized_keys
chown -R deploy /run/home/deploy; chmod 700 /run/home/deploy /run/home/deploy/.ssh; chmod 600 /run/home/deploy/.ssh/authorized_keys
dropbearconvert openssh dropbear ${FARM}/host_ed25519 ${FARM}/host_dropbear
${[...servers, ...others].join('\n')}
`
}
