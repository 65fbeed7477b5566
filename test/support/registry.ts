// A real registry inside a bed, on an address of its loopback network: engines trust those without TLS.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bed } from './bed.mjs'
import { ensurePackages, findProgram } from './packages.mjs'

export interface Login {
  readonly username: string
  readonly password: string
}

export interface Registry {
  /** `127.0.0.1:18510`, as images name it. */
  readonly address: string
  /** Pushes one of the bed's images under another name, and answers its digest. The engine forgets the name again. */
  push(image: string, as: string): Promise<string>
  /** The requests since the last call, such as `HEAD /v2/shop/web/manifests/1 200`. */
  requests(): readonly string[]
  /** Takes it down; what was pushed stays. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** @param login with it, the registry lets nobody else in */
export async function startRegistry(bed: Bed, port: number, login?: Login): Promise<Registry> {
  ensurePackages(['docker-registry', ...(login === undefined ? [] : ['apache2-utils'])])
  const folder = path.join(bed.dir, `registry-${port}`)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(path.join(folder, 'data'), { recursive: true })
  const address = `127.0.0.1:${port}`
  const config = [
    'version: 0.1',
    `storage: { filesystem: { rootdirectory: ${folder}/data } }`,
    `http: { addr: '${address}' }`,
    ...(login === undefined ? [] : [`auth: { htpasswd: { realm: bed, path: ${folder}/htpasswd } }`]),
  ]
  fs.writeFileSync(path.join(folder, 'config.yml'), config.join('\n'))
  const log = path.join(folder, 'log')
  if (login !== undefined) {
    const htpasswd = findProgram('htpasswd') ?? 'htpasswd'
    const line = execFileSync(htpasswd, ['-Bin', login.username], { input: login.password, encoding: 'utf8' })
    fs.writeFileSync(path.join(folder, 'htpasswd'), line)
  }

  const inside = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await bed.shell(args)
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
    return stdout
  }
  let pid = ''
  let read = 0
  const start = async (): Promise<void> => {
    const serve = `setsid ${findProgram('docker-registry')} serve ${folder}/config.yml >>${log} 2>&1 </dev/null & echo $!`
    pid = (await inside('sh', '-c', serve)).trim()
    const probe = `exec 3<>/dev/tcp/127.0.0.1/${port}`
    for (let tries = 0; (await bed.shell(['bash', '-c', probe])).code !== 0; tries++) {
      if (tries === 100) throw new Error(`the registry at ${address} did not start:\n${fs.readFileSync(log, 'utf8')}`)
      await sleep(100)
    }
  }
  await start()
  return {
    address,
    start,
    async stop() {
      await inside('kill', pid)
      while ((await bed.shell(['kill', '-0', pid])).code === 0) await sleep(50)
    },
    async push(image, as) {
      const name = `${address}/${as}`
      const docker = (...args: readonly string[]) => inside('docker', '--config', folder, ...args)
      if (login !== undefined) {
        const auth = Buffer.from(`${login.username}:${login.password}`).toString('base64')
        fs.writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ auths: { [address]: { auth } } }))
      }
      await docker('tag', image, name)
      const [, digest = ''] = /digest: (sha256:[0-9a-f]{64})/.exec(await docker('push', name)) ?? []
      await docker('rmi', name)
      return digest
    },
    requests() {
      const text = fs.readFileSync(log, 'utf8')
      const fresh = text.slice(read)
      read = text.length
      const lines = [...fresh.matchAll(/^\S+ - \S+ \[[^\]]+\] "(\w+) (\S+) HTTP\/1\.1" (\d+)/gm)]
      return lines.map(([, method, uri, status]) => `${method} ${uri} ${status}`)
    },
  }
}
