// The promise of the test bed and of the demo: whatever happens to who started it, nothing of it stays on the machine.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startBed } from '../support/bed.mjs'

const bedModule = new URL('../support/bed.mjs', import.meta.url)

/** Processes, mounts, links and cgroups by which a bed of this name would show. */
function traces(name: string): string[] {
  const read = (file: string): string => {
    try {
      return fs.readFileSync(file, 'utf8')
    } catch {
      return ''
    }
  }
  const here = `/swarm-beds/${name}/`
  const pids = fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && pid !== String(process.pid))
  const processes = pids
    .filter((pid) => `${read(`/proc/${pid}/cmdline`)}/`.includes(here))
    .map((pid) => `process ${pid}`)
  const mounts = read('/proc/mounts')
    .split('\n')
    .filter((line) => line.includes(here))
  const folders = ['/sys/fs/cgroup', ...fs.readdirSync('/sys/fs/cgroup').map((entry) => `/sys/fs/cgroup/${entry}`)]
  const cgroups = folders
    .filter((folder) => fs.statSync(folder).isDirectory())
    .flatMap((folder) => fs.readdirSync(folder).map((entry) => path.join(folder, entry)))
    .filter((folder) => path.basename(folder).startsWith(`swarm-bed-${name}-`))
  return [...processes, ...mounts, ...cgroups]
}

const removeLeftovers = (name: string): void => {
  after(async () => {
    const down = spawn(process.execPath, [fileURLToPath(bedModule), 'down', name], { stdio: 'inherit' })
    await once(down, 'close')
  })
}

test('a bed with a worker: two nodes, and nothing is left after stop', async () => {
  const name = `bed-stop-${process.pid}`
  removeLeftovers(name)
  const bed = await startBed({ name, withWorker: true })
  const nodes = await bed.shell(['docker', 'node', 'ls', '--format', '{{.Hostname}} {{.Status}} {{.ManagerStatus}}'])
  const lines = nodes.stdout.split('\n').map((line) => line.trim())
  assert.deepEqual(lines.filter(Boolean).sort(), ['manager Ready Leader', 'worker Ready'])
  assert.notEqual(bed.worker?.host, bed.host)
  await bed.shell(['docker', 'service', 'create', '--detach', '--mode', 'global', '--name', 'web', 'tb/ok:1'])
  assert.notDeepEqual(traces(name), [])
  await bed.stop()
  await bed.stop()
  assert.deepEqual(traces(name), [])
  assert.equal(fs.existsSync(bed.dir), false)
})

test('a bed does not outlive a process that is killed, and `down` removes the folder that is left', async () => {
  const name = `bed-kill-${process.pid}`
  removeLeftovers(name)
  const script = `const { startBed } = await import(${JSON.stringify(bedModule.href)})
    const bed = await startBed({ name: ${JSON.stringify(name)} })
    await bed.shell(['docker', 'service', 'create', '--detach', '--name', 'web', 'tb/ok:1'])
    console.log(bed.dir)
    setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [dir] = (await once(owner.stdout, 'data')) as [Buffer]
  owner.kill('SIGKILL')
  const isRunning = (): boolean => traces(name).some((trace) => trace.startsWith('process'))
  for (const end = Date.now() + 20_000; isRunning() && Date.now() < end; ) await sleep(100)
  assert.equal(isRunning(), false)
  const down = spawn(process.execPath, [fileURLToPath(bedModule), 'down', name], { stdio: 'inherit' })
  await once(down, 'close')
  assert.deepEqual(traces(name), [])
  assert.equal(fs.existsSync(String(dir).trim()), false)
})
