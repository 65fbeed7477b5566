// A real registry inside a bed, on an address of its loopback network: engines trust those without TLS.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bed } from './bed.mjs'
import { ensurePackages, findProgram } from './packages.mjs'
import { TOKENS } from './tokenServer.ts'

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
  /** Who asked its token server to pull from a repository, and how: `refresh_token alice`. */
  pullers(repository: string): readonly string[]
  /** Takes it down; what was pushed stays. */
  stop(): Promise<void>
  start(): Promise<void>
}

/**
 * @param login with it, the registry lets nobody else in
 * @param tokenPort where a token server of its own takes the login, instead of the registry itself
 */
export async function startRegistry(bed: Bed, port: number, login?: Login, tokenPort?: number): Promise<Registry> {
  const byTokens = login !== undefined && tokenPort !== undefined
  ensurePackages(['docker-registry', ...(login === undefined ? [] : [byTokens ? 'openssl' : 'apache2-utils'])])
  const folder = path.join(bed.dir, `registry-${port}`)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(path.join(folder, 'data'), { recursive: true })
  const address = `127.0.0.1:${port}`
  const config = [
    'version: 0.1',
    `storage: { filesystem: { rootdirectory: ${folder}/data } }`,
    `http: { addr: '${address}' }`,
    ...(login === undefined ? [] : [`auth: ${byTokens ? tokenAuth(folder, tokenPort) : htpasswdAuth(folder)}`]),
  ]
  fs.writeFileSync(path.join(folder, 'config.yml'), config.join('\n'))
  const log = path.join(folder, 'log')
  if (byTokens) {
    const files = ['-keyout', path.join(folder, 'key.pem'), '-out', path.join(folder, 'crt.pem')]
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=bed', ...files]
    execFileSync('openssl', request, { stdio: 'ignore' })
    fs.writeFileSync(path.join(folder, 'login.json'), JSON.stringify(login))
  } else if (login !== undefined) {
    const htpasswd = findProgram('htpasswd') ?? 'htpasswd'
    const line = execFileSync(htpasswd, ['-Bin', login.username], { input: login.password, encoding: 'utf8' })
    fs.writeFileSync(path.join(folder, 'htpasswd'), line)
  }

  const inside = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await bed.shell(args)
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
    return stdout
  }
  const pids: string[] = []
  let read = 0
  const launch = async (command: string, at: number, output: string): Promise<void> => {
    pids.push((await inside('sh', '-c', `setsid ${command} >>${output} 2>&1 </dev/null & echo $!`)).trim())
    const probe = `exec 3<>/dev/tcp/127.0.0.1/${at}`
    for (let tries = 0; (await bed.shell(['bash', '-c', probe])).code !== 0; tries++) {
      if (tries === 100) throw new Error(`${command} did not start:\n${fs.readFileSync(output, 'utf8')}`)
      await sleep(100)
    }
  }
  const start = async (): Promise<void> => {
    if (byTokens) await launch(`${process.execPath} ${tokenServer} ${tokenPort} ${folder}`, tokenPort, `${log}.tokens`)
    await launch(`${findProgram('docker-registry')} serve ${folder}/config.yml`, port, log)
  }
  await start()
  return {
    address,
    start,
    async stop() {
      for (const pid of pids.splice(0)) {
        await inside('kill', pid)
        while ((await bed.shell(['kill', '-0', pid])).code === 0) await sleep(50)
      }
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
    pullers(repository) {
      const asked = fs
        .readFileSync(`${log}.tokens`, 'utf8')
        .split('\n')
        .map((line) => line.split(' '))
      // A push asks for more than that at once.
      const pulls = asked.filter(([, , ...scopes]) => scopes.join(' ') === `repository:${repository}:pull`)
      return pulls.map(([grant, user]) => `${grant} ${user}`)
    },
  }
}

// --- Internal helpers ---

const tokenServer = path.join(import.meta.dirname, 'tokenServer.ts')

function htpasswdAuth(folder: string): string {
  return `{ htpasswd: { realm: bed, path: ${folder}/htpasswd } }`
}

function tokenAuth(folder: string, port: number): string {
  const { issuer, service } = TOKENS
  const where = `realm: 'http://127.0.0.1:${port}/token', rootcertbundle: ${folder}/crt.pem`
  return `{ token: { ${where}, service: ${service}, issuer: ${issuer} } }`
}
