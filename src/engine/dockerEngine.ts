import type { Agent, IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import { chooseApiVersion, isAtLeast } from './apiVersion.ts'
import { type Engine, EngineError } from './engine.ts'
import { lostCall, refusedCall } from './engineErrors.ts'
import { toJson } from './json.ts'
import { createLimiter } from './limiter.ts'
import { engineOver, type Line } from './line.ts'
import { type EngineAnswer, type EngineRequest, wirePath } from './request.ts'

interface LineOptions {
  /** Bounds the calls under way at once: over SSH each may take a session of its own, and sshd allows ten (MaxSessions). */
  readonly concurrency?: number
}

/** The engine behind an agent. What is lost on the way there is not tried again: that takes a lastingLine. */
export function openEngine(agent: Agent, options?: LineOptions): Engine {
  return engineOver(openLine(agent, options))
}

/** Nothing is sent before the first call; that one asks for the daemon's API version as well. */
export function openLine(agent: Agent, { concurrency = 8 }: LineOptions = {}): Line {
  const modem = openModem(agent)
  const limiter = createLimiter(concurrency)
  let version: string | undefined
  let negotiation: Promise<string> | undefined

  const send = async (request: EngineRequest, over: string | undefined, tries = 1): Promise<EngineAnswer> => {
    try {
      if (request.isUrgent) return await transmit(modem, agent, request, over)
      return await limiter.run(async () => {
        try {
          return await transmit(modem, agent, request, over)
        } catch (error) {
          if (isFull(error)) limiter.shrink()
          throw error
        }
      })
    } catch (error) {
      if (!isFull(error) || request.isUrgent || tries === 20)
        throw request.signal?.aborted ? request.signal.reason : lostCall(request.doing, error)
      // The way in has room for fewer connections than we opened, and this call was not sent: it goes over one of those.
      await sleep(10 * tries)
      return send(request, over, tries + 1)
    }
  }
  const negotiate = async (): Promise<string> => {
    const doing = "ask for the engine's API version"
    const answer = await send({ doing, method: 'GET', path: '/_ping' }, undefined)
    if (answer.status !== 200) throw refusedCall(doing, answer.status, answer.body.toString('utf8'))
    return settle(answer)
  }
  // Every answer names the daemon's newest version.
  const settle = ({ headers }: EngineAnswer): string => {
    const offered = headers['api-version']
    version ??= chooseApiVersion(typeof offered === 'string' ? offered : undefined)
    return version
  }
  const agreed = async (): Promise<string> => {
    if (version !== undefined) return version
    negotiation ??= negotiate().catch((error: unknown) => {
      negotiation = undefined
      throw error
    })
    return negotiation
  }
  const exchange = async (request: EngineRequest): Promise<Buffer> => {
    const answer = await send(request, request.anyVersion ? undefined : await agreed())
    const { status, body } = answer
    if (request.anyVersion) settle(answer)
    if (status >= 200 && status < 300) return body
    throw refusedCall(request.doing, status, body.toString('utf8'))
  }

  return {
    get apiVersion() {
      return version
    },
    call: (request) => orAborted(exchange(request), request.signal),
    speaks: async (wanted) => isAtLeast(await agreed(), wanted),
  }
}

/** The one method of docker-modem that this action uses; its types keep it to themselves. */
interface Modem {
  buildRequest(
    options: Readonly<Record<string, unknown>>,
    context: { readonly isStream: true; readonly statusCodes: Readonly<Record<number, true>> },
    body: Buffer | undefined,
    callback: (error: Error | null, response?: IncomingMessage) => void,
  ): void
}

/** docker-modem reads DOCKER_HOST whatever it is told, and stumbles over ours, which may have several lines. */
function openModem(agent: Agent): Modem {
  const { DOCKER_HOST } = process.env
  delete process.env.DOCKER_HOST
  try {
    const options: Docker.DockerOptions & { readonly agent: Agent } = { protocol: 'http', host: 'docker', agent }
    // Its types hide the method, hence the detour.
    const modem: unknown = new Docker(options).modem
    return modem as Modem
  } finally {
    if (DOCKER_HOST !== undefined) process.env.DOCKER_HOST = DOCKER_HOST
  }
}

/** Every status is welcome here: what it means is for engineErrors.ts to say, with the whole body at hand. */
const everyStatus = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [index + 100, true as const]))

/**
 * Goes below docker-modem's `dial`, which takes strings for file names, loses bigints, cuts the last character off some paths and
 * calls the deprecated url.parse.
 */
function transmit(
  modem: Modem,
  agent: Agent,
  request: EngineRequest,
  version: string | undefined,
): Promise<EngineAnswer> {
  const body = request.body === undefined ? undefined : Buffer.from(toJson(request.body))
  return new Promise((resolve, reject) => {
    request.signal?.throwIfAborted()
    const options = {
      agent,
      hostname: 'docker',
      method: request.method,
      path: wirePath(version, request),
      headers: {
        ...(body && { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }),
        ...(request.registryAuth !== undefined && { 'X-Registry-Auth': request.registryAuth }),
      },
      ...(request.signal && { signal: request.signal }),
    }
    modem.buildRequest(options, { isStream: true, statusCodes: everyStatus }, body, (error, response) => {
      if (error || response === undefined) {
        reject(error ?? new Error('no answer'))
        return
      }
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
  })
}

/** Node's http lets go of an aborted request only when its connection has closed, which may take long on a bad link. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const abandon = (): void => reject(signal.reason)
    if (signal.aborted) abandon()
    signal.addEventListener('abort', abandon, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon))
  })
}

function isFull(error: unknown): boolean {
  return error instanceof Error && !(error instanceof EngineError) && 'code' in error && error.code === 'EMFILE'
}
