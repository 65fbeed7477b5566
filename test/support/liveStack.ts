// Stacks on a real swarm, deployed by the built action over real sshd, and looked at from behind through the engine's socket.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from '../../src/swarm/service.ts'
import type { Task } from '../../src/swarm/task.ts'
import type { Bed } from './bed.mjs'
import { engineCall } from './engineCall.mjs'
import { openRelay, type Relay } from './relay.ts'
import { type ActionOptions, type ActionResult, type RunningAction, runAction, startAction } from './runner.mjs'

type Inputs = Readonly<Record<string, string>>

export interface LiveStack {
  readonly name: string
  /** The checkout; the manifest lies there as stack.yml. */
  readonly workspace: string
  /** Deploys a manifest as a workflow would. */
  deploy(manifest: string, inputs?: Inputs, options?: Partial<ActionOptions>): Promise<ActionResult>
  /** The same, for tests that act while it runs. */
  start(manifest: string, inputs?: Inputs, options?: Partial<ActionOptions>): RunningAction
  /** `command: rollback`, with no file of the test written. */
  rollback(inputs?: Inputs, options?: Partial<ActionOptions>): Promise<ActionResult>
  /** `service shop_web` → id and version, which any write would change; of everything that carries the stack's label. */
  objects(): Promise<Readonly<Record<string, string>>>
  /** Sorted by name. */
  services(): Promise<readonly Service[]>
  /** All that Swarm remembers, sorted by creation. */
  tasks(): Promise<readonly Task[]>
  /** Those that run and are meant to. */
  running(): Promise<readonly Task[]>
}

/** What connects an action to the bed. */
export function reach(bed: Bed): Inputs {
  return {
    host: `ssh://${bed.user}@${bed.host}`,
    'ssh-key': fs.readFileSync(bed.keyFile, 'utf8'),
    'known-hosts': fs.readFileSync(bed.knownHostsFile, 'utf8'),
  }
}

/** The same through a relay, which can keep the answers back. */
export async function throughRelay(
  context: TestContext,
  bed: Bed,
): Promise<{ readonly relay: Relay; readonly inputs: Inputs }> {
  const relay = await openRelay(context, { host: bed.host, port: bed.sshPort })
  const [line = ''] = (reach(bed)['known-hosts'] ?? '').split('\n')
  const inputs = {
    host: `ssh://${bed.user}@127.0.0.1:${relay.port}`,
    'known-hosts': line.replace(/^\S+/, `[127.0.0.1]:${relay.port}`),
  }
  return { relay, inputs }
}

/** Makes stacks of the names `<prefix>-<label>`; when the test is over they are gone, with all they own. */
export function liveStacks(
  bed: Bed,
  prefix: string,
): (context: Pick<TestContext, 'after'>, label: string, files?: Inputs) => LiveStack {
  return (context, label, files = {}) => {
    const name = `${prefix}-${label}`
    const workspace = fs.mkdtempSync(path.join(os.tmpdir(), `${name}-`))
    context.after(async () => {
      fs.rmSync(workspace, { recursive: true })
      await removeStack(bed.socket, name)
    })
    for (const [file, text] of Object.entries(files)) fs.writeFileSync(path.join(workspace, file), text)
    return liveStack(bed, name, workspace)
  }
}

export interface ServiceEntry {
  readonly name: string
  readonly mode: string
  readonly image: string
  readonly running: number
  readonly desired: number
  readonly completed: number
  readonly state: string
  readonly reason: string
}

/** The output `services`. */
export function servicesOf({ outputs }: ActionResult): readonly ServiceEntry[] {
  return JSON.parse(outputs.services ?? '')
}

/** The output `changes`, as `create service shop_web`. */
export function changesOf({ outputs }: ActionResult): readonly string[] {
  const changes: readonly Readonly<Record<'action' | 'kind' | 'name', string>>[] = JSON.parse(outputs.changes ?? '')
  return changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`)
}

/** The annotations of a severity, as `stack.yml:3: text`. */
export function annotations({ commands }: ActionResult, severity: 'error' | 'warning' | 'notice'): readonly string[] {
  return commands
    .filter(({ name }) => name === severity)
    .map(({ properties: { file, line }, text }) => (file === undefined ? text : `${file}:${line}: ${text}`))
}

// --- Internal helpers ---

function liveStack(bed: Bed, name: string, workspace: string): LiveStack {
  const start: LiveStack['start'] = (manifest, inputs = {}, options = {}) => {
    fs.writeFileSync(path.join(workspace, 'stack.yml'), manifest)
    return startAction({
      workspace,
      ...options,
      // The bed's images are in no registry.
      inputs: { ...reach(bed), 'resolve-image': 'never', 'stack-name': name, ...inputs },
    })
  }
  const tasks: LiveStack['tasks'] = async () => {
    const found = await list<Task>(bed.socket, '/tasks', name)
    return found.sort((a, b) => a.CreatedAt.localeCompare(b.CreatedAt))
  }
  return {
    name,
    workspace,
    start,
    deploy: (...args) => start(...args).done,
    rollback: (inputs = {}, options = {}) =>
      runAction({
        workspace,
        ...options,
        inputs: { ...reach(bed), 'resolve-image': 'never', 'stack-name': name, command: 'rollback', ...inputs },
      }),
    tasks,
    objects: async () => Object.fromEntries(await owned(bed.socket, name)),
    async services() {
      const found = await list<Service>(bed.socket, '/services', name)
      return found.sort((a, b) => (a.Spec.Name ?? '').localeCompare(b.Spec.Name ?? ''))
    },
    async running() {
      return (await tasks()).filter((task) => task.DesiredState === 'running' && task.Status.State === 'running')
    },
  }
}

interface Owned {
  readonly ID?: string
  readonly Id?: string
  readonly Name?: string
  readonly Spec?: { readonly Name?: string }
  readonly Version?: { readonly Index: number }
}

const kinds = ['service', 'secret', 'config', 'network']

async function owned(socket: string, name: string): Promise<readonly (readonly [string, string])[]> {
  const lists = await Promise.all(kinds.map((kind) => list<Owned>(socket, `/${kind}s`, name)))
  return lists.flatMap((objects, index) =>
    objects
      .map(({ ID, Id, Name, Spec, Version }): [string, string] => [
        `${kinds[index]} ${Spec?.Name ?? Name}`,
        `${ID ?? Id} ${Version?.Index ?? ''}`,
      ])
      .sort(([a], [b]) => a.localeCompare(b)),
  )
}

async function list<T>(socket: string, what: string, name: string): Promise<T[]> {
  const filters = JSON.stringify({ label: [`com.docker.stack.namespace=${name}`] })
  // `all` is for containers, stopped ones too; nothing else asks for it.
  const { json } = await engineCall(socket, 'GET', `${what}?all=true&filters=${encodeURIComponent(filters)}`)
  return json as T[]
}

async function removeRecords(socket: string, name: string): Promise<void> {
  const filters = JSON.stringify({ label: [`com.swarmcli.release=${name}`] })
  const { json } = await engineCall(socket, 'GET', `/configs?filters=${encodeURIComponent(filters)}`)
  for (const { ID } of json as Owned[]) await engineCall(socket, 'DELETE', `/configs/${ID}`)
}

async function removeStack(socket: string, name: string): Promise<void> {
  // An engine may list a network that Swarm has removed until it is restarted.
  const forgotten = new Set<string>()
  const refusals = new Map<string, string>()
  for (let tries = 0; ; tries++) {
    const left = (await owned(socket, name)).filter(([object]) => !forgotten.has(object))
    if (left.length === 0) return removeRecords(socket, name)
    if (tries === 150)
      throw new Error(
        `could not be removed within 30 s: ${left.map(([object]) => `${object} (${refusals.get(object) ?? 'its containers have not ended'})`).join(', ')}`,
      )
    // A node holds on to a network's subnet while it has a container of it, and engine 28 gives the subnet of a removed network away
    // at once: tasks of the next test's stack would be rejected.
    const containers = await list<{ State: string }>(socket, '/containers/json', name)
    // Those of a job that has ended stay.
    const isHeld = containers.some(({ State }) => State !== 'exited')
    const removable = left.filter(([object]) => !(isHeld && object.startsWith('network ')))
    await Promise.all(
      removable.map(async ([object, idAndVersion]) => {
        const [id] = idAndVersion.split(' ')
        // What a task still uses goes at a later try.
        await engineCall(socket, 'DELETE', `/${object.split(' ')[0]}s/${id}`).catch((error: unknown) => {
          refusals.set(object, String(error))
          if (object.startsWith('network ') && /not found/.test(String(error))) forgotten.add(object)
        })
      }),
    )
    await sleep(200)
  }
}
