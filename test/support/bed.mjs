// The test bed: a throw-away swarm of one node (or several managers, or a worker too), each with its own dockerd, sshd and network,
// away from the machine's own docker. Plain JavaScript, because the demo runs it on Node 20.
//
//   node test/support/bed.mjs up NAME [--worker]    start one; prints how to reach it as JSON
//   node test/support/bed.mjs sh NAME CMD...        run a command inside its manager
//   node test/support/bed.mjs down NAME | --all     remove it and what a crash left of it
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { bedProcesses, isAlive, removeBed } from './bedCleanup.mjs'
import { importImages } from './bedImages.mjs'
import { inLan, joinLan, startLan, tailOf, until } from './bedLan.mjs'
import { engineCall } from './engineCall.mjs'
import { ensurePackages, findProgram, staticBusybox } from './packages.mjs'

const nodeScript = fileURLToPath(new URL('./bedNode.sh', import.meta.url))

/** What a bed needs of apt on a bare machine. */
export const bedPackages = ['docker.io', 'docker-cli', 'containerd', 'runc', 'iptables', 'iproute2', 'openssh-server']

/** Where all beds of this machine live, one folder a name. */
const bedsFolder = () => path.join(os.tmpdir(), 'swarm-beds')
const bedFolder = (name) => path.join(bedsFolder(), name)

/**
 * Starts a bed; see bed.d.mts for what comes back.
 * Unless `keep` is set, it dies with the process that started it, however that one ends.
 */
export async function startBed({ name, withWorker = false, managers = 1, keep = false, log = () => {} }) {
  if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(name)) throw new Error(`bed name ${name}: use up to 31 of a-z, 0-9 and -`)
  if (process.getuid?.() !== 0)
    throw new Error('a swarm in namespaces of its own can be started by root only: use sudo')
  demandPlace(bedFolder(name))
  ensurePackages(bedPackages, log)
  const busybox = staticBusybox(log)
  const dir = bedFolder(name)
  if (isAlive(dir)) throw new Error(`a bed named ${name} is already running: node test/support/bed.mjs down ${name}`)
  removeBed(dir)
  fs.mkdirSync(bedsFolder(), { recursive: true })
  fs.mkdirSync(dir, { mode: 0o700 })

  const stop = async () => removeBed(dir)
  const stopAtExit = () => removeBed(dir)
  if (!keep) process.once('exit', stopAtExit)
  try {
    prepareKeys(dir)
    const keeper = await startLan(dir, name, keep)
    const prefix = joinLan(keeper, dir)
    log(`bed ${name}: network ${prefix}.0/24, folder ${dir}`)
    const manager = startNode(keeper, dir, 'manager', `${prefix}.11`)
    const worker = withWorker ? startNode(keeper, dir, 'worker', `${prefix}.12`) : undefined
    const others = Array.from({ length: managers - 1 }, (_, index) =>
      startNode(keeper, dir, `manager-${index + 2}`, `${prefix}.${index + 13}`),
    )
    const nodes = [manager, worker, ...others].filter((node) => node !== undefined)
    await Promise.all(nodes.map((node) => readyNode(node, busybox, dir)))
    await formSwarm(manager, worker, others)
    const hostKey = fs.readFileSync(path.join(dir, 'hostkey.pub'), 'utf8').split(' ').slice(0, 2).join(' ')
    const knownHostsFile = path.join(dir, 'known_hosts')
    fs.writeFileSync(knownHostsFile, nodes.map((node) => `${node.host} ${hostKey}\n`).join(''))
    const bed = { name, ...describe(manager), keyFile: path.join(dir, 'id'), knownHostsFile, dir }
    if (worker) bed.worker = describe(worker)
    if (others.length > 0) bed.otherManagers = others.map(describe)
    fs.writeFileSync(path.join(dir, 'bed.json'), JSON.stringify(bed))
    log(`bed ${name}: ready at ssh://${bed.user}@${bed.host}`)
    return {
      ...attachBed(bed),
      stop: async () => {
        process.removeListener('exit', stopAtExit)
        await stop()
      },
    }
  } catch (error) {
    process.removeListener('exit', stopAtExit)
    await stop()
    throw error
  }
}

/** A bed that somebody else started, from its JSON; its `stop` does nothing. */
export function attachBed(description) {
  return {
    ...description,
    shell: (args, options) => shellInside(description.dir, 'manager', args, options),
    stop: async () => {},
  }
}

/** Inside a node some folders of the machine are covered by its own; and a unix socket's path is short. */
function demandPlace(dir) {
  const covered = ['/run/', '/var/run/', '/var/lib/', '/opt/', '/etc/', '/sys/', '/proc/']
  if (covered.some((folder) => dir.startsWith(folder)) || dir.length > 80) {
    throw new Error(`a bed cannot live in ${dir}: set TMPDIR to a short path such as /tmp`)
  }
}

const describe = ({ socket, host }) => ({ socket, host, sshPort: 22, user: 'deploy' })

function prepareKeys(dir) {
  for (const key of ['id', 'hostkey']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'throw-away', '-f', path.join(dir, key)])
  }
  fs.copyFileSync(path.join(dir, 'id.pub'), path.join(dir, 'authorized_keys'))
}

function startNode(keeper, dir, name, host) {
  const here = path.join(dir, name)
  fs.mkdirSync(here)
  const dockerd = findProgram('dockerd')
  const namespaces = ['--net', '--mount', '--uts', '--ipc', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc']
  const node = ['unshare', ...namespaces, '--propagation', 'private', 'bash', nodeScript, name, host, dir, dockerd]
  const log = fs.openSync(path.join(here, 'node.log'), 'w')
  const enter = ['-t', `${keeper}`, '--net', '--mount', '--pid', '--', ...node]
  spawn('nsenter', enter, { stdio: ['ignore', log, log], detached: true }).unref()
  fs.closeSync(log)
  return { name, host, here, keeper, socket: path.join(here, 'docker.sock') }
}

/** Plugs the node in, waits for its engine, and gives it the images. */
async function readyNode(node, busybox, dir) {
  const pid = await until(`node ${node.name}`, 10_000, () => bedProcesses(dir, node.name)[0])
  const link = `to-${node.name}`
  inLan(node.keeper, ['ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', `${pid}`])
  inLan(node.keeper, ['ip', 'link', 'set', link, 'master', 'bridge0', 'up'])
  const ping = () =>
    engineCall(node.socket, 'GET', '/_ping').then(
      () => true,
      () => false,
    )
  const logs = () => ['node.log', 'dockerd.log'].map((file) => tailOf(path.join(node.here, file))).join('')
  await until(`the engine of ${node.name}`, 60_000, ping, logs)
  await importImages(node.socket, busybox, dir)
}

async function formSwarm(manager, worker, others) {
  const port = 2377
  const address = (node) => ({ ListenAddr: `${node.host}:${port}`, AdvertiseAddr: node.host })
  await engineCall(manager.socket, 'POST', '/swarm/init', address(manager))
  if (!worker && others.length === 0) return
  const { json } = await engineCall(manager.socket, 'GET', '/swarm')
  const join = (node, token) =>
    engineCall(node.socket, 'POST', '/swarm/join', {
      ...address(node),
      RemoteAddrs: [`${manager.host}:${port}`],
      JoinToken: token,
    })
  if (worker) await join(worker, json.JoinTokens.Worker)
  // One after the other: each changes who has to agree.
  for (const node of others) await join(node, json.JoinTokens.Manager)
}

function insideArguments(dir, node, args) {
  const [pid] = bedProcesses(dir, node)
  if (!pid) throw new Error(`no running node ${node} in ${dir}`)
  const env = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  const home = 'HOME=/run/home/root'
  const pathOf = env.find((entry) => entry.startsWith('PATH=')) ?? 'PATH=/usr/sbin:/usr/bin:/sbin:/bin'
  return ['-t', `${pid}`, '-m', '-u', '-i', '-n', '-p', '--', 'env', '-i', home, pathOf, ...args]
}

function shellInside(dir, node, args, { input } = {}) {
  return new Promise((resolve) => {
    const done = (error, stdout, stderr) => resolve({ code: error ? (error.code ?? 1) : 0, stdout, stderr })
    const child = execFile('nsenter', insideArguments(dir, node, args), { maxBuffer: 64 << 20 }, done)
    child.stdin?.on('error', () => {})
    child.stdin?.end(input ?? '')
  })
}

async function main([command, name, ...rest]) {
  const usage = 'usage: bed.mjs up NAME [--worker] | sh NAME COMMAND... | down NAME | down --all'
  if (!command || !name) throw new Error(usage)
  if (command === 'up') {
    const log = (line) => console.error(line)
    const bed = await startBed({ name, withWorker: rest.includes('--worker'), keep: true, log })
    console.log(JSON.stringify(bed))
  } else if (command === 'sh') {
    process.exitCode =
      spawnSync('nsenter', insideArguments(bedFolder(name), 'manager', rest), { stdio: 'inherit' }).status ?? 1
  } else if (command === 'down') {
    const names = name === '--all' ? (fs.existsSync(bedsFolder()) ? fs.readdirSync(bedsFolder()) : []) : [name]
    for (const one of names) removeBed(bedFolder(one))
  } else throw new Error(usage)
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
