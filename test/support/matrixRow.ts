import { setTimeout as sleep } from 'node:timers/promises'
import type { Service, ServiceSpec, UpdateState } from '../../src/swarm/service.ts'
import type { Task } from '../../src/swarm/task.ts'
import { engineCall } from './engineCall.mjs'
import type { LiveStack } from './liveStack.ts'

/** A small stack, what happens to it, and what has to be said of it. The same rows are tried with the action and with the docker CLI. */
export interface MatrixRow {
  /** The stack's name ends in it. */
  readonly label: string
  /** What it is, as a half-sentence for people. */
  readonly what: string
  /** Beside the manifest. */
  readonly files?: Readonly<Record<string, string>>
  /** What was there before; undone by what it gives back. */
  readonly before?: (scene: Scene) => Promise<undefined | (() => Promise<unknown>)>
  readonly manifest: string
  /** Inputs of the action. The docker CLI has no such things. */
  readonly inputs?: Readonly<Record<string, string>>
  /** What someone else does during the wait. */
  readonly meanwhile?: (scene: Scene) => Promise<void>
  readonly expected: Expected
}

export interface Expected {
  readonly status: 'converged' | 'unchanged' | 'failed' | 'timed-out' | 'refused'
  /** The output `failure-reason`. */
  readonly reason?: string
  /** In the manifest's order, as `web failed 0/1`; of a one-shot or job, as `job converged 2/2 completed`. */
  readonly services: readonly (string | RegExp)[]
  /** In the message of a failure. */
  readonly words?: RegExp
  /** Where in the manifest the failure is shown; 3 is the image of the first service. */
  readonly line?: number
  /** What the run wrote of services, as `retry web`. */
  readonly changes?: readonly string[]
  /** In a warning. */
  readonly warning?: RegExp
  /** In the log. */
  readonly log?: RegExp
  /** In the job summary. */
  readonly summary?: RegExp
  /** What containers and health checks say: in no output. */
  readonly kept?: RegExp
  readonly told: Told
}

/** When the verdict has to be there: so many seconds after a sign that Swarm shows, neither before nor much later. */
export interface Told {
  readonly after: number
  readonly sign: Sign
}

export interface Sign {
  /** Follows "5 s after". */
  readonly text: string
  /** Milliseconds since the epoch; of tasks and writes before `since`, the start of the run, it knows nothing. */
  readonly at: (look: Look, since: number) => number
}

/** What Swarm shows of a stack. */
export interface Look {
  readonly services: readonly Service[]
  readonly tasks: readonly Task[]
  /** When `meanwhile` was over, where there is one. */
  readonly disturbedAt?: number | undefined
}

export interface Scene {
  /** The stack's. */
  readonly name: string
  /** The manager's engine. */
  readonly socket: string
  /** Deploys a manifest as whoever is tried does, without a wait. */
  readonly write: (manifest: string) => Promise<void>
  readonly look: () => Promise<Look>
}

/** What Swarm shows of a stack now. */
export async function lookAt(stack: Pick<LiveStack, 'services' | 'tasks'>): Promise<Look> {
  const [services, tasks] = await Promise.all([stack.services(), stack.tasks()])
  // A job's tasks outlive their service.
  const ids = services.map(({ ID }) => ID)
  return { services, tasks: tasks.filter(({ ServiceID }) => ids.includes(ServiceID)) }
}

// --- What can be waited for ---

type Condition = (look: Look) => boolean

/** Waits until Swarm shows something. */
export async function until({ look, name }: Pick<Scene, 'look' | 'name'>, condition: Condition): Promise<void> {
  const end = Date.now() + 90_000
  while (!condition(await look())) {
    if (Date.now() > end) throw new Error(`stack ${name}: what the row waits for did not come about within 90 s`)
    await sleep(250)
  }
}

/** So many tasks run, of that image. */
export const running =
  (count: number, image?: string): Condition =>
  ({ tasks }) =>
    tasks.filter((task) => runs(task) && (image === undefined || task.Spec.ContainerSpec?.Image === image)).length ===
    count

/** So many tasks have failed. */
export const failing =
  (count: number): Condition =>
  ({ tasks }) =>
    tasks.filter(hasFailed).length >= count

/** So many tasks have ended well. */
export const completed =
  (count: number): Condition =>
  ({ tasks }) =>
    tasks.filter(({ Status }) => Status.State === 'complete').length >= count

/** What Swarm says of the update of one of the services. */
export const updateIs =
  (state: UpdateState): Condition =>
  ({ services }) =>
    services.some(({ UpdateStatus }) => UpdateStatus?.State === state)

// --- What can be done ---

/** Versions that were there before, one after the other, each written once Swarm showed what the one before it came to. */
export const having =
  (...versions: readonly (readonly [manifest: string, ...until: readonly Condition[]])[]) =>
  async (scene: Scene): Promise<undefined> => {
    for (const [manifest, ...conditions] of versions) {
      await scene.write(manifest)
      for (const condition of conditions) await until(scene, condition)
    }
  }

/** A first version, of which so many tasks run. */
export const first = (manifest: string, count: number) => having([manifest, running(count)])

/** Does something as soon as so many tasks run, of that image. */
export const onceRunning =
  (count: number, act: (scene: Scene) => Promise<unknown>, image?: string) =>
  async (scene: Scene): Promise<void> => {
    await until(scene, running(count, image))
    await act(scene)
  }

/** Writes the service `web` behind everyone's back. */
export const changing =
  (change: (spec: ServiceSpec) => ServiceSpec, query = '') =>
  async ({ name, socket, look }: Scene): Promise<void> => {
    const service = (await look()).services.find(({ Spec }) => Spec.Name === `${name}_web`)
    if (service === undefined) throw new Error(`no service web in ${name}`)
    const path = `/services/${service.ID}/update?version=${service.Version.Index}${query}`
    await engineCall(socket, 'POST', path, change(service.Spec))
  }

export const withImage =
  (image: string) =>
  (spec: ServiceSpec): ServiceSpec => ({
    ...spec,
    TaskTemplate: { ...spec.TaskTemplate, ContainerSpec: { ...spec.TaskTemplate.ContainerSpec, Image: image } },
  })

export const withReplicas =
  (replicas: number) =>
  (spec: ServiceSpec): ServiceSpec => ({ ...spec, Mode: { Replicated: { Replicas: replicas } } })

/** Removes the service `web`. */
export const removing = ({ name, socket }: Scene): Promise<unknown> =>
  engineCall(socket, 'DELETE', `/services/${name}_web`)

/** Once the containers that mount it are gone. */
export async function removeVolume(socket: string, name: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await engineCall(socket, 'DELETE', `/volumes/${name}`)
      return
    } catch (error) {
      if (tries === 150) throw error
      await sleep(200)
    }
  }
}

// --- What shows that a verdict is due ---

const ofRun = (tasks: readonly Task[], since: number): readonly Task[] =>
  tasks.filter(({ CreatedAt }) => Date.parse(CreatedAt) >= since)

const entered = (tasks: readonly Task[]): readonly number[] =>
  tasks.map(({ Status }) => Date.parse(Status.Timestamp)).sort((one, other) => one - other)

const ordinals = ['first', 'second', 'third']

/** After the nth failed task of the run, `web.1` and `web.2` counted together. */
export function failure(count: number, after = 0): Told {
  const at: Sign['at'] = ({ tasks }, since) =>
    entered(ofRun(tasks, since).filter((task) => hasFailed(task) || ended(task)))[count - 1] ?? Number.NaN
  return { after, sign: { text: `its ${ordinals[count - 1]} failed task`, at } }
}

/** After the last wanted task came to run. */
export function started(after: number): Told {
  const at: Sign['at'] = ({ tasks }) => Math.max(...entered(tasks.filter(runs)))
  return { after, sign: { text: 'its last task began to run', at } }
}

/** After the last task completed. */
export function ending(after = 0): Told {
  const at: Sign['at'] = ({ tasks }) => Math.max(...entered(tasks.filter(({ Status }) => Status.State === 'complete')))
  return { after, sign: { text: 'its last task completed', at } }
}

/** After the scheduler found no node. */
export function unplaced(after: number): Told {
  const at: Sign['at'] = ({ tasks }) => {
    const without = tasks.filter(({ Status }) => Status.State === 'pending' && Status.Err?.startsWith('no suitable'))
    return Math.max(...entered(without))
  }
  return { after, sign: { text: 'Swarm found no node', at } }
}

/** After this run's own start. */
export const begun = (after = 0): Told => ({ after, sign: { text: 'the start', at: (_look, since) => since } })

/** After what someone did meanwhile. */
export const disturbed: Told = {
  after: 0,
  sign: { text: 'it happened', at: ({ disturbedAt }) => disturbedAt ?? Number.NaN },
}

// --- What is expected of several rows ---

/** Whether a row comes to run as written. */
export function isFine({ expected: { status } }: MatrixRow): boolean {
  return status === 'converged' || status === 'unchanged'
}

/** What Swarm had given up is started again, and fails once more: for Swarm that is an update by now, which it pauses. */
export function failsAgain(change: string): Expected {
  return {
    status: 'failed',
    reason: 'paused',
    services: ['web failed 0/1'],
    words: /task: non-zero exit \(3\)/,
    changes: [change],
    told: failure(1),
  }
}

// --- Internal helpers ---

function hasFailed({ Status: { State: state } }: Task): boolean {
  return state === 'failed' || state === 'rejected'
}

/** What ends with exit code 0 although it must not. */
function ended({ Status: { State: state }, Spec: { RestartPolicy: policy } }: Task): boolean {
  return state === 'complete' && (policy?.Condition ?? 'any') === 'any'
}

/** A task that runs and is meant to. */
export function runs({ DesiredState: desired, Status: { State: state } }: Task): boolean {
  return desired === 'running' && state === 'running'
}
