// Finding and ending what belongs to a bed. All of it is synchronous: it also runs while a process is exiting.
import fs from 'node:fs'
import path from 'node:path'

const read = (file) => {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** When a process started, in the kernel's ticks: together with its number, this names it for good. */
export const started = (pid) =>
  read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')[19] ?? ''

const parentOf = (pid) =>
  Number(
    read(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, '')
      .split(' ')[1],
  )

const allProcesses = () =>
  fs
    .readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)

/** The first child of a process, by the number it has here. */
export const childOf = (pid) => allProcesses().find((other) => parentOf(other) === pid)

/** The first process of a bed's node (each node is its own pid namespace, where that process is number 1). */
export function bedProcesses(dir, node) {
  return allProcesses().filter((pid) => {
    const args = read(`/proc/${pid}/cmdline`).split('\0')
    if (args[0] !== 'bash' || args[2] !== node || args[4] !== dir || !args[1]?.endsWith('bedNode.sh')) return false
    return /^NSpid:.*\t1$/m.test(read(`/proc/${pid}/status`))
  })
}

function keeperOf(dir) {
  const [pid, birth] = read(path.join(dir, 'pid')).split(' ')
  return pid && birth && started(pid) === birth ? Number(pid) : undefined
}

export const isAlive = (dir) => keeperOf(dir) !== undefined

/**
 * Ends a bed, whatever state it is in, and waits until nothing of it is left: killing its first process takes the
 * processes, mounts, namespaces and network links along; cgroups and the folder stay behind and are removed here.
 */
export function removeBed(dir) {
  const keeper = keeperOf(dir)
  const doomed = keeper
    ? [keeper, childOf(keeper), ...bedProcesses(dir, 'manager'), ...bedProcesses(dir, 'worker')]
    : []
  if (keeper) process.kill(keeper, 'SIGKILL')
  waitFor(() => doomed.every((pid) => pid === undefined || !started(pid) || isZombie(pid)))
  if (!fs.existsSync(dir)) return
  const link = read(path.join(dir, 'link'))
  if (link) waitFor(() => !fs.existsSync(`/sys/class/net/${link}`))
  const prefix = `swarm-bed-${path.basename(dir)}-`
  waitFor(() => cgroupsOf(prefix).map(removeTree).every(Boolean))
  fs.rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

const isZombie = (pid) => /^State:\tZ/m.test(read(`/proc/${pid}/status`))

/** The bed's cgroups: one in the unified tree, or one in each controller's. */
function cgroupsOf(prefix) {
  const root = '/sys/fs/cgroup'
  const trees = [root, ...list(root).map((name) => path.join(root, name))]
  return trees.flatMap((tree) =>
    list(tree)
      .filter((name) => name === `${prefix}manager` || name === `${prefix}worker`)
      .map((name) => path.join(tree, name)),
  )
}

function list(folder) {
  try {
    return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch {
    return []
  }
}

/** A cgroup is removed by rmdir, from the leaves up; its files cannot be, and go along. False while one is still in use. */
function removeTree(folder) {
  const emptied = list(folder).map((name) => removeTree(path.join(folder, name)))
  try {
    fs.rmdirSync(folder)
  } catch (error) {
    if (error.code !== 'ENOENT') return false
  }
  return emptied.every(Boolean)
}

/** Blocks until the check holds, at most 10 s: what then is left is left to `down`. */
function waitFor(check) {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (const end = Date.now() + 10_000; Date.now() < end && !check(); ) Atomics.wait(pause, 0, 0, 20)
}
