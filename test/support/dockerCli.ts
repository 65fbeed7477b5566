// Asks the docker CLI what it sends for a manifest. It talks to a stand-in for a manager that believes everything, so this
// shows how the CLI reads a manifest and nothing about the Engine.
import { execFile, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'

/** The bodies of the create calls, as parsed by `parseExactly`, by kind and name. */
export interface Sent {
  readonly networks: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, unknown>>
  readonly configs: Readonly<Record<string, unknown>>
  readonly services: Readonly<Record<string, unknown>>
}

/** Undefined where no docker CLI is installed. */
export function dockerVersion(): string | undefined {
  const { status, stdout } = spawnSync('docker', ['--version'], { encoding: 'utf8' })
  return status === 0 ? /\d+\.\d+\.\d+/.exec(stdout)?.[0] : undefined
}

/** JSON in which a whole number that a double cannot hold becomes a bigint. */
export function parseExactly(text: string): unknown {
  const reviver = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? '')
      : value
  return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1])
}

/** The other way round. */
export function printExactly(value: unknown, space?: number): string {
  const marked = JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? `bigint:${item}` : item), space)
  return marked.replace(/"bigint:(-?\d+)"/g, '$1')
}

/** The id that the stand-in gives to a secret or config. */
export function standInId(kind: 'secret' | 'config', name: string): string {
  return `id of ${kind} ${name}`
}

/**
 * `docker stack deploy` of the files (paths within `directory`) as the stack `namespace`. `environment` is all that it can
 * see of one. Gives what was sent, or the text of the refusal.
 */
export async function dockerDeploy(
  directory: string,
  files: readonly string[],
  namespace: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly sent: Sent } | { readonly refusal: string }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stand-in-'))
  const socket = path.join(folder, 'docker.sock')
  const bodies: { kind: keyof Sent; text: string }[] = []
  const server = http.createServer((request, response) => answer(request, response, bodies))
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  try {
    const refusal = await run(
      [
        'stack',
        'deploy',
        '--detach=true',
        '--resolve-image=never',
        ...files.flatMap((file) => ['-c', file]),
        namespace,
      ],
      directory,
      {
        PATH: process.env.PATH ?? '',
        HOME: '/home/user',
        ...environment,
        DOCKER_HOST: `unix://${socket}`,
        DOCKER_CONFIG: folder,
      },
    )
    return refusal === undefined ? { sent: collect(bodies) } : { refusal }
  } finally {
    server.closeAllConnections()
    server.close()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

// --- Internal helpers ---

function run(args: string[], cwd: string, env: Record<string, string>): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('docker', args, { cwd, env }, (error, _stdout, stderr) => resolve(error ? stderr.trim() : undefined))
  })
}

function collect(bodies: readonly { kind: keyof Sent; text: string }[]): Sent {
  const sent: Record<keyof Sent, Record<string, unknown>> = { networks: {}, secrets: {}, configs: {}, services: {} }
  // docker sends the objects of a kind in random order
  const named = bodies.map(({ kind, text }) => ({ kind, body: parseExactly(text) as { Name: string } }))
  named.sort((left, right) => (left.body.Name < right.body.Name ? -1 : 1))
  for (const { kind, body } of named) sent[kind][body.Name] = body
  return sent
}

function answer(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  bodies: { kind: keyof Sent; text: string }[],
): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const url = new URL(request.url ?? '/', 'http://stand-in')
    const target = url.pathname.replace(/^\/v[\d.]+/, '')
    const create = /^\/(networks|secrets|configs|services)\/create$/.exec(target)
    if (create) bodies.push({ kind: create[1] as keyof Sent, text: Buffer.concat(chunks).toString() })
    const [status, body] = create ? [201, { ID: 'new', Id: 'new' }] : read(target, url.searchParams.get('filters'))
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, {
      'Api-Version': '1.50',
      Ostype: 'linux',
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
    })
    response.end(request.method === 'HEAD' ? undefined : text)
  })
}

/** Nothing of the stack exists yet; whatever is external does. */
function read(target: string, filters: string | null): [status: number, body: unknown] {
  if (target === '/_ping') return [200, 'OK']
  if (target === '/info') return [200, { Swarm: { LocalNodeState: 'active', ControlAvailable: true } }]
  const network = /^\/networks\/(.+)$/.exec(target)
  if (network) return [200, { Name: decodeURIComponent(network[1] ?? ''), Id: 'net', Scope: 'swarm' }]
  const one = /^\/(secrets|configs)\/(.+)$/.exec(target)
  if (one) return [404, { message: 'not found' }]
  const names = Object.keys((JSON.parse(filters ?? '{}') as { name?: object }).name ?? {})
  if (target === '/secrets') return [200, names.map((name) => object('secret', name))]
  if (target === '/configs') return [200, names.map((name) => object('config', name))]
  return [200, []]
}

function object(kind: 'secret' | 'config', name: string) {
  return { ID: standInId(kind, name), Version: { Index: 1 }, Spec: { Name: name, Labels: {} } }
}
