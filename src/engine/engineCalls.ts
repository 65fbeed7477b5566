// The Engine API's calls, one a method. Source: the Engine API's swagger.yaml.
import type { CallOptions, Engine, Filters, WriteOptions } from './engine.ts'
import { EngineError } from './engine.ts'
import { fromJson } from './json.ts'
import { readLog } from './logStream.ts'
import type { EngineRequest } from './request.ts'

/** Makes a call and answers the body of its success; rejects with an EngineError otherwise. */
export type Call = (request: EngineRequest) => Promise<Buffer>

/** @param speaks whether the version agreed on with the daemon is that one or a newer */
export function engineCalls(call: Call, speaks: (version: string) => Promise<boolean>): Omit<Engine, 'apiVersion'> {
  const read = async <T>(request: Omit<EngineRequest, 'method'>): Promise<T> =>
    answer<T>(request.doing, await call({ method: 'GET', ...request }))
  const write = async <T>(request: Omit<EngineRequest, 'method'>): Promise<T> =>
    answer<T>(request.doing, await call({ method: 'POST', ...request }))
  const remove = async (what: string, path: string, options?: CallOptions): Promise<void> => {
    await call({ doing: `remove ${what}`, method: 'DELETE', path, ...bySignal(options) })
  }
  const list = async <T>(what: string, path: string, filters?: Filters, options?: CallOptions): Promise<readonly T[]> =>
    (await read<readonly T[] | null>({
      doing: `list ${what}`,
      path,
      query: { filters: filters && JSON.stringify(filters) },
      ...bySignal(options),
    })) ?? []
  const create = async (what: string, path: string, body: unknown, options?: CallOptions): Promise<string> => {
    const doing = `create ${what}`
    return idOf(doing, (await write<{ ID?: string }>({ doing, path, body, ...bySignal(options) })).ID)
  }
  const update = async (
    what: string,
    path: string,
    version: number,
    body: unknown,
    options?: CallOptions,
  ): Promise<void> => {
    await call({
      doing: `update ${what}`,
      method: 'POST',
      path,
      query: { version: String(version) },
      body,
      ...bySignal(options),
    })
  }

  return {
    info: (options) => read({ doing: 'read the engine info', path: '/info', anyVersion: true, ...bySignal(options) }),

    listNetworks: (filters, options) => list('networks', '/networks', filters, options),
    inspectNetwork: (id, options) =>
      read({ doing: `read network ${id}`, path: `/networks/${segment(id)}`, ...bySignal(options) }),
    async createNetwork(request, options) {
      const doing = `create network ${request.Name}`
      // An engine before API 1.44 makes a second network of the same name unless told to look; docker's CLI tells only those.
      const body = (await speaks('1.44')) ? request : { CheckDuplicate: true, ...request }
      const made = await write<{ Id?: string; Warning?: string }>({
        doing,
        path: '/networks/create',
        body,
        ...bySignal(options),
      })
      return { id: idOf(doing, made.Id), warning: made.Warning ?? '' }
    },
    removeNetwork: (id, options) => remove(`network ${id}`, `/networks/${segment(id)}`, options),

    listSecrets: (filters, options) => list('secrets', '/secrets', filters, options),
    createSecret: (spec, options) => create(`secret ${spec.Name}`, '/secrets/create', spec, options),
    updateSecret: (id, version, spec, options) =>
      update(`secret ${spec.Name ?? id}`, `/secrets/${segment(id)}/update`, version, spec, options),
    removeSecret: (id, options) => remove(`secret ${id}`, `/secrets/${segment(id)}`, options),

    listConfigs: (filters, options) => list('configs', '/configs', filters, options),
    inspectConfig: (id, options) =>
      read({ doing: `read config ${id}`, path: `/configs/${segment(id)}`, ...bySignal(options) }),
    createConfig: (spec, options) => create(`config ${spec.Name}`, '/configs/create', spec, options),
    updateConfig: (id, version, spec, options) =>
      update(`config ${spec.Name ?? id}`, `/configs/${segment(id)}/update`, version, spec, options),
    removeConfig: (id, options) => remove(`config ${id}`, `/configs/${segment(id)}`, options),

    listServices: (filters, options) =>
      read({
        doing: 'list services',
        path: '/services',
        query: { filters: filters && JSON.stringify(filters), status: 'true' },
        ...bySignal(options),
      }),
    inspectService: (id, options) =>
      read({ doing: `read service ${id}`, path: `/services/${segment(id)}`, ...bySignal(options) }),
    async createService(spec, options) {
      const doing = `create service ${spec.Name}`
      const made = await write<{ ID?: string } & Warnings>({
        doing,
        path: '/services/create',
        body: spec,
        ...byWrite(options),
      })
      return { id: idOf(doing, made.ID), warnings: warningsOf(made) }
    },
    async updateService(id, version, spec, options) {
      const made = await write<Warnings>({
        doing: `update service ${spec.Name ?? id}`,
        path: `/services/${segment(id)}/update`,
        query: { version: String(version), registryAuthFrom: options?.registryAuthFrom },
        body: spec,
        ...byWrite(options),
      })
      return { warnings: warningsOf(made) }
    },
    removeService: (id, options) => remove(`service ${id}`, `/services/${segment(id)}`, options),

    listTasks: (filters, options) => list('tasks', '/tasks', filters, options),
    listNodes: (filters, options) => list('nodes', '/nodes', filters, options),

    async listVolumes(filters, options) {
      const { Volumes } = await read<{ Volumes?: readonly { readonly Name: string }[] | null }>({
        doing: 'list volumes',
        path: '/volumes',
        query: { filters: filters && JSON.stringify(filters) },
        ...bySignal(options),
      })
      return Volumes ?? []
    },
    removeVolume: (name, options) => remove(`volume ${name}`, `/volumes/${segment(name)}`, options),

    async inspectDistribution(image, options) {
      const doing = `look up image ${image}`
      const found = await read<Distribution>({
        doing,
        path: `/distribution/${image.split('/').map(segment).join('/')}/json`,
        passedOnTo: 'its registry',
        ...byWrite(options),
      })
      return {
        digest: idOf(doing, found.Descriptor?.digest),
        // The registry's platforms are cased as OCI writes them, Swarm's as Go does.
        platforms: (found.Platforms ?? []).map(({ architecture = '', os = '' }) => ({
          Architecture: architecture,
          OS: os,
        })),
      }
    },

    async taskLogs(taskId, tail, options) {
      const doing = `read the log of task ${taskId}`
      const body = await call({
        doing,
        method: 'GET',
        path: `/tasks/${segment(taskId)}/logs`,
        query: { stdout: '1', stderr: '1', timestamps: '1', tail: String(tail) },
        passedOnTo: 'its node',
        ...bySignal(options),
      })
      const { lines, trouble } = readLog(body)
      if (lines.length === 0 && trouble !== undefined) {
        throw new EngineError('refused', 200, `The engine could not ${doing}: ${trouble}`)
      }
      return lines.slice(-tail)
    },
    inspectContainer: (id, options) =>
      read({ doing: `read container ${id}`, path: `/containers/${segment(id)}/json`, ...bySignal(options) }),
  }
}

interface Warnings {
  readonly Warnings?: readonly string[] | null
}

interface Distribution {
  readonly Descriptor?: { readonly digest?: string }
  readonly Platforms?: readonly { readonly architecture?: string; readonly os?: string }[] | null
}

const warningsOf = ({ Warnings }: Warnings): readonly string[] => Warnings ?? []

const segment = (id: string): string => encodeURIComponent(id)

const bySignal = (options: CallOptions | undefined) => ({ signal: options?.signal })

const byWrite = (options: WriteOptions | undefined) => ({
  signal: options?.signal,
  registryAuth: options?.registryAuth,
})

function answer<T>(doing: string, body: Buffer): T {
  const text = body.toString('utf8')
  try {
    return fromJson(text) as T
  } catch (error) {
    throw new EngineError('refused', 200, `The engine's answer to ${doing} is no JSON: ${text.slice(0, 80)}`, {
      cause: error,
    })
  }
}

function idOf(doing: string, id: string | undefined): string {
  if (id) return id
  throw new EngineError('refused', 200, `The engine's answer to ${doing} has no id.`)
}
