// The network of a test bed, and waiting for what comes up in it.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { childOf, started } from './bedCleanup.mjs'

/**
 * The network between the nodes: a bridge in a namespace of its own (in the machine's, a firewall of docker's would drop
 * what crosses it). Its first process is the parent of everything in the bed, so that ending it ends the bed.
 */
export async function startLan(dir, name, keep) {
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
export function joinLan(keeper, dir) {
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

/** Runs a command in the network of the bridge. */
export const inLan = (keeper, command) => execFileSync('nsenter', ['-t', `${keeper}`, '-n', '--', ...command])

/** The last lines of a log, for an error. */
export const tailOf = (file) =>
  `\n${fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').slice(-8).join('\n') : ''}`

/** Polls until the check gives something true, and answers that; `more` adds to the error of a time-out. */
export async function until(what, timeout, check, more = () => '') {
  for (const end = Date.now() + timeout; Date.now() < end; await sleep(20)) {
    const answer = await check()
    if (answer) return answer
  }
  throw new Error(`${what} did not come up within ${timeout / 1000} s${more()}`)
}
