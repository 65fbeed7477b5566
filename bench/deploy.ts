// How long a deployment takes over a slow line, and how long until running services are declared converged, beside the
// docker CLI in the same run. Quote the ratios: machines differ and are noisy.   npm run bench [-- RUNS]
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startBed } from '../test/support/bed.mjs'
import { runAction } from '../test/support/runner.mjs'
import { startDelayProxy } from './delayProxy.ts'

const ROUND_TRIP_MS = 50
const runs = Number(process.argv[2] ?? 3)

if (!execFileSync('docker', ['stack', 'deploy', '--help'], { encoding: 'utf8' }).includes('--detach')) {
  const version = execFileSync('docker', ['--version'], { encoding: 'utf8' }).trim()
  console.error(
    `The times are compared with those of a docker CLI of 26 or newer: this one (${version}) does not know "stack deploy --detach", and never waits. Put a newer one first on PATH.`,
  )
  process.exit(1)
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'swarm-bench-'))
const bed = await startBed({ name: 'bench' })
const proxy = await startDelayProxy({ host: bed.host, port: bed.sshPort }, ROUND_TRIP_MS)
const host = `ssh://${bed.user}@127.0.0.1:${proxy.port}`
const knownHosts = path.join(folder, 'known_hosts')
fs.writeFileSync(knownHosts, fs.readFileSync(bed.knownHostsFile, 'utf8').replace(/^\S+/gm, `[127.0.0.1]:${proxy.port}`))

// The docker CLI calls whatever `ssh` the PATH has: this one brings the throw-away key.
fs.mkdirSync(path.join(folder, 'bin'))
fs.writeFileSync(
  path.join(folder, 'bin', 'ssh'),
  `#!/bin/sh\nexec /usr/bin/ssh -F none -i '${bed.keyFile}' -o IdentitiesOnly=yes -o UserKnownHostsFile='${knownHosts}' "$@"\n`,
  { mode: 0o755 },
)

function manifest(services: number): string {
  const file = path.join(folder, `stack-${services}.yml`)
  const one = (number: number): string => `  s${number}:\n    image: tb/ok:1\n    stop_grace_period: 1s\n`
  fs.writeFileSync(file, `services:\n${Array.from({ length: services }, (_, number) => one(number + 1)).join('')}`)
  return file
}

async function withDocker(args: readonly string[]): Promise<number> {
  const started = performance.now()
  const child = spawn('docker', ['-H', host, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PATH: `${path.join(folder, 'bin')}:${process.env.PATH}` },
  })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += String(chunk)
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`docker ${args.join(' ')} ended with ${code}: ${errors}`)
  return performance.now() - started
}

async function withAction(file: string, wait: boolean): Promise<number> {
  const started = performance.now()
  const { code, log } = await runAction({
    workspace: folder,
    inputs: {
      host,
      'ssh-key': fs.readFileSync(bed.keyFile, 'utf8'),
      'known-hosts': fs.readFileSync(knownHosts, 'utf8'),
      'stack-name': 'bench',
      manifest: file,
      'resolve-image': 'never',
      wait: String(wait),
    },
  })
  if (code !== 0) throw new Error(`the action ended with ${code}:\n${log}`)
  return performance.now() - started
}

const removeStack = async (): Promise<void> => {
  await bed.shell(['docker', 'stack', 'rm', 'bench'])
  for (let left = 'x'; left !== ''; await new Promise((resolve) => setTimeout(resolve, 300))) {
    const filter = ['--filter', 'label=com.docker.stack.namespace=bench', '-q']
    const [containers, networks] = await Promise.all([
      bed.shell(['docker', 'ps', '-a', ...filter]),
      bed.shell(['docker', 'network', 'ls', ...filter]),
    ])
    left = containers.stdout + networks.stdout
  }
}

async function untilRunning(services: number): Promise<void> {
  for (let running = 0; running < services; await new Promise((resolve) => setTimeout(resolve, 500))) {
    running = (await bed.shell(['docker', 'ps', '-q'])).stdout.split('\n').filter(Boolean).length
  }
  await new Promise((resolve) => setTimeout(resolve, 6000))
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

function report(what: string, services: number, ours: readonly number[], theirs: readonly number[]): void {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`
  const ratio = median(theirs.map((time, index) => time / (ours[index] ?? time)))
  console.log(
    `${what.padEnd(28)} ${String(services).padStart(3)}   ${seconds(median(ours)).padStart(9)}   ${seconds(median(theirs)).padStart(9)}   ${ratio.toFixed(1)}x`,
  )
}

try {
  const version = (await bed.shell(['docker', 'version', '--format', '{{.Server.Version}}'])).stdout.trim()
  console.log(
    `engine ${version}, ${ROUND_TRIP_MS} ms of round trip, medians of ${runs}; the action's times include its start-up`,
  )
  console.log(`${'what'.padEnd(28)} services    action      docker   docker / action`)
  for (const services of [1, 10, 50]) {
    const file = manifest(services)
    const ours: number[] = []
    const theirs: number[] = []
    for (let run = 0; run < runs; run++) {
      theirs.push(
        await withDocker(['stack', 'deploy', '--detach=true', '--resolve-image', 'never', '-c', file, 'bench']),
      )
      await removeStack()
      ours.push(await withAction(file, false))
      await removeStack()
    }
    report('first deployment, no wait', services, ours, theirs)
  }
  for (const services of [1, 5, 10]) {
    const file = manifest(services)
    await withAction(file, false)
    await untilRunning(services)
    const ours: number[] = []
    const theirs: number[] = []
    for (let run = 0; run < runs; run++) {
      ours.push(await withAction(file, true))
      theirs.push(
        await withDocker(['stack', 'deploy', '--detach=false', '--resolve-image', 'never', '-c', file, 'bench']),
      )
    }
    report('running, declared converged', services, ours, theirs)
    await removeStack()
  }
} finally {
  await proxy.stop()
  await bed.stop()
  fs.rmSync(folder, { recursive: true, force: true })
}
