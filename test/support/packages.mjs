// What the test bed needs of the machine, installed by apt and said out loud; nothing that apt brings is started.
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** The program by which a package's presence is known, whoever installed it. */
const programs = {
  'docker.io': 'dockerd',
  'docker-cli': 'docker',
  containerd: 'containerd',
  runc: 'runc',
  iptables: 'iptables',
  iproute2: 'ip',
  'openssh-server': 'sshd',
  'openssh-client': 'ssh-keygen',
  'dropbear-bin': 'dropbear',
  openssl: 'openssl',
  'docker-registry': 'docker-registry',
  'apache2-utils': 'htpasswd',
}

/** Units that a package of ours brings. On a machine that had none of them, they shall not run after a reboot either. */
const units = {
  'docker.io': ['docker.service', 'docker.socket'],
  containerd: ['containerd.service'],
  'openssh-server': ['ssh.service', 'ssh.socket', 'sshd.service'],
  'docker-registry': ['docker-registry.service'],
}

const folders = () => [...(process.env.PATH ?? '').split(':'), '/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/bin']

/** The path of a program on PATH or in the folders for root's programs, or undefined. */
export function findProgram(name) {
  return folders()
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => path.join(folder, name))
    .find((file) => {
      try {
        fs.accessSync(file, fs.constants.X_OK)
        return fs.statSync(file).isFile()
      } catch {
        return false
      }
    })
}

/**
 * Makes sure that the packages' programs are there. Only what is missing is installed: a machine that has its own docker
 * keeps it. Throws, saying what to do, where apt or root are missing.
 * @param names Debian package names, each of them known in the table above
 * @param log gets a line before each thing that is done
 */
export function ensurePackages(names, log = console.error) {
  const missing = names.filter((name) => !findProgram(programs[name] ?? name))
  if (missing.length === 0) return
  demandApt(missing)
  log(`installing ${missing.join(' ')} by apt (without starting any service)`)
  apt(['update', '-q'])
  // docker-cli is a package of its own only in newer suites; elsewhere docker.io holds the CLI.
  const wanted = missing.filter((name) => name !== 'docker-cli' || isOffered(name))
  withoutServices(() => apt(['install', '-y', '-q', '--no-install-recommends', ...wanted]))
  disableUnits(wanted)
  const still = names.filter((name) => !findProgram(programs[name] ?? name))
  if (still.length)
    throw new Error(
      `installed ${wanted.join(' ')}, yet ${still.map((name) => programs[name]).join(', ')} cannot be found`,
    )
}

/**
 * The path of a statically linked busybox. Where the machine has none, the package is unpacked into a folder of ours:
 * installing it would remove a dynamically linked one that the machine may need.
 */
export function staticBusybox(log = console.error) {
  const installed = findProgram('busybox')
  if (installed && isStatic(installed)) return installed
  const folder = path.join(os.tmpdir(), 'swarm-beds-busybox')
  const unpacked = ['bin/busybox', 'usr/bin/busybox'].map((file) => path.join(folder, file))
  const found = () => unpacked.find((file) => fs.existsSync(file))
  if (!found()) {
    demandApt(['busybox-static'])
    log(`unpacking busybox-static into ${folder}`)
    const work = fs.mkdtempSync(path.join(os.tmpdir(), 'swarm-busybox-'))
    if (!isOffered('busybox-static')) apt(['update', '-q'])
    execFileSync('apt-get', ['download', '-q', '-o', 'APT::Sandbox::User=root', 'busybox-static'], { cwd: work })
    const [deb] = fs.readdirSync(work)
    execFileSync('dpkg-deb', ['-x', path.join(work, deb ?? ''), path.join(work, 'root')])
    fs.rmSync(folder, { recursive: true, force: true })
    fs.renameSync(path.join(work, 'root'), folder)
    fs.rmSync(work, { recursive: true })
  }
  const busybox = found()
  if (!busybox) throw new Error(`busybox-static was unpacked into ${folder}, yet holds no busybox`)
  return busybox
}

function demandApt(names) {
  const what = `the test bed needs ${names.join(', ')}, which this machine lacks`
  if (!findProgram('apt-get')) throw new Error(`${what}; without apt-get (Debian, Ubuntu) please install them yourself`)
  if (process.getuid?.() !== 0) throw new Error(`${what}; run this as root, who may install them by apt`)
}

const isOffered = (name) => spawnSync('apt-cache', ['show', '--quiet=2', name], { stdio: 'ignore' }).status === 0

function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1' }
  const { status, stdout, stderr } = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
  if (status === 0) return
  const tail = `${stdout}${stderr}`.trim().split('\n').slice(-15).join('\n')
  throw new Error(`apt-get ${args.join(' ')} failed:\n${tail}`)
}

const policy = '/usr/sbin/policy-rc.d'
const aside = `${policy}.before-swarm-bed`
const ours =
  '#!/bin/sh\n# Put here by the test bed of Swarm Stack Deploy while it installs packages; safe to remove.\nexit 101\n'

/** Runs something while packages are forbidden to start services, the way Debian provides for it. */
function withoutServices(run) {
  const interrupted = () => {}
  // With a listener, a signal waits until apt-get, which gets it as well, has ended and the policy is put back.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupted)
  if (fs.existsSync(policy) && fs.readFileSync(policy, 'utf8') !== ours) fs.renameSync(policy, aside)
  fs.writeFileSync(policy, ours, { mode: 0o755 })
  try {
    run()
  } finally {
    if (fs.existsSync(aside)) fs.renameSync(aside, policy)
    else fs.rmSync(policy, { force: true })
    for (const signal of ['SIGINT', 'SIGTERM']) process.removeListener(signal, interrupted)
  }
}

function disableUnits(names) {
  const all = names.flatMap((name) => units[name] ?? [])
  // Not there on machines without systemd, and units differ from suite to suite: nothing to do then.
  if (findProgram('systemctl')) for (const unit of all) spawnSync('systemctl', ['disable', unit], { stdio: 'ignore' })
}

/** Whether an ELF file asks for no dynamic loader: none of its program headers is PT_INTERP (3). 64 bit, little endian. */
function isStatic(file) {
  const bytes = fs.readFileSync(file)
  if (bytes.readUInt32BE(0) !== 0x7f454c46 || bytes[4] !== 2) return false
  const start = Number(bytes.readBigUInt64LE(32))
  const size = bytes.readUInt16LE(54)
  return Array.from({ length: bytes.readUInt16LE(56) }).every((_, n) => bytes.readUInt32LE(start + n * size) !== 3)
}
