// The test bed: a throw-away swarm of one node (or a manager and a worker), each with its own dockerd, sshd and network,
// away from the machine's own docker. Plain JavaScript, because the demo runs it on Node 20.
//
//   node test/support/bed.mjs up NAME [--worker]    start one; prints how to reach it as JSON
//   node test/support/bed.mjs sh NAME CMD...        run a command inside its manager
//   node test/support/bed.mjs down NAME | --all     remove it and what a crash left of it
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bedProcesses, childOf, isAlive, removeBed, started } from './bedCleanup.mjs'
import { importImages } from './bedImages.mjs'
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
export async function startBed({ name, withWorker = false, keep = false, log = () => {} }) {
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
    await Promise.all([manager, worker].map((node) => node && readyNode(node, busybox, dir)))
    await formSwarm(manager, worker)
    const hostKey = fs.readFileSync(path.join(dir, 'hostkey.pub'), 'utf8').split(' ').slice(0, 2).join(' ')
    const knownHostsFile = path.join(dir, 'known_hosts')
    fs.writeFileSync(
      knownHostsFile,
      [manager, worker].map((node) => (node ? `${node.host} ${hostKey}\n` : '')).join(''),
    )
    const bed = { name, ...describe(manager), keyFile: path.join(dir, 'id'), knownHostsFile, dir }
    if (worker) bed.worker = describe(worker)
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

/**
 * The network between the nodes: a bridge in a namespace of its own (in the machine's, a firewall of docker's would drop
 * what crosses it). Its first process is the parent of everything in the bed, so that ending it ends the bed.
 */
async function startLan(dir, name, keep) {
  const ready = path.join(dir, 'lan-ready')
  // With `keep` it sleeps for ever; otherwise it reads a pipe that closes when the process which started the bed ends.
  const script = `ip link set lo up && ip link add bridge0 type bridge && ip link set bridge0 up && touch "$1" || exit 1
    ${keep ? 'while :; do sleep 1000000; done' : 'while read -r _; do :; done'}`
  const namespaces = [
    '--net',
    '--mount',
    '--pid',
    '--fork',
    '--kill-child=SIGKILL',
    '--mount-proc',
    '--propagation',
    'private',
  ]
  const log = fs.openSync(path.join(dir, 'lan.log'), 'w')
  const child = spawn('unshare', [...namespaces, 'bash', '-c', script, `swarm-bed-${name}`, ready], {
    stdio: [keep ? 'ignore' : 'pipe', log, log],
    detached: true,
  })
  fs.closeSync(log)
  child.unref()
  child.stdin?.unref?.()
  child.on('error', () => {})
  fs.writeFileSync(path.join(dir, 'pid'), `${child.pid} ${started(child.pid)}`)
  const what = "the bed's network"
  await until(
    what,
    10_000,
    () => fs.existsSync(ready),
    () => tailOf(path.join(dir, 'lan.log')),
  )
  return await until("the bed's first process", 5000, () => childOf(child.pid))
}

/** Connects this machine to the bridge at 10.77.N.254, and answers 10.77.N: N is free if the kernel gives us the name. */
function joinLan(keeper, dir) {
  const routes = execFileSync('ip', ['-4', 'route', 'show', 'table', 'all'], { encoding: 'utf8' })
  for (let n = 1; n < 250; n++) {
    const prefix = `10.77.${n}`
    const link = `swarmbed${n}`
    if (routes.includes(`${prefix}.`)) continue
    const made = spawnSync('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'host', 'netns', `${keeper}`])
    if (made.status !== 0) {
      const reason = made.stderr.toString().trim()
      if (reason.includes('File exists')) continue
      throw new Error(`connecting the bed's network failed: ${reason} (are you root, with CAP_NET_ADMIN?)`)
    }
    fs.writeFileSync(path.join(dir, 'link'), link)
    inLan(keeper, ['ip', 'link', 'set', 'host', 'master', 'bridge0', 'up'])
    execFileSync('ip', ['addr', 'add', `${prefix}.254/24`, 'dev', link])
    execFileSync('ip', ['link', 'set', link, 'up'])
    return prefix
  }
  throw new Error('no free network 10.77.N.0/24 for a bed: node test/support/bed.mjs down --all')
}

const inLan = (keeper, command) => execFileSync('nsenter', ['-t', `${keeper}`, '-n', '--', ...command])

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

async function formSwarm(manager, worker) {
  const port = 2377
  const address = (node) => ({ ListenAddr: `${node.host}:${port}`, AdvertiseAddr: node.host })
  await engineCall(manager.socket, 'POST', '/swarm/init', address(manager))
  if (!worker) return
  const { json } = await engineCall(manager.socket, 'GET', '/swarm')
  const join = { ...address(worker), RemoteAddrs: [`${manager.host}:${port}`], JoinToken: json.JoinTokens.Worker }
  await engineCall(worker.socket, 'POST', '/swarm/join', join)
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

const tailOf = (file) =>
  `\n${fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').slice(-8).join('\n') : ''}`

async function until(what, timeout, check, more = () => '') {
  for (const end = Date.now() + timeout; Date.now() < end; await sleep(20)) {
    const answer = await check()
    if (answer) return answer
  }
  throw new Error(`${what} did not come up within ${timeout / 1000} s${more()}`)
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
