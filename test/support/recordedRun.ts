import { Backend } from '../../src/backend/backend.ts'
import { WriteJournal } from '../../src/backend/journal.ts'
import type { BackendOptions } from '../../src/backend/options.ts'
import type { CommandContext } from '../../src/commands/context.ts'
import { releaseKeeper } from '../../src/commands/release.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { Problem } from '../../src/errors.ts'
import { registryAuth } from '../../src/registry/registryAuth.ts'

const auth = registryAuth(new Map([['registry.test', { username: 'me', password: 'secret' }]]))

/** What a run wanted, said and did; `error` where it failed. */
export interface RecordedRun {
  readonly journal: WriteJournal
  readonly warnings: readonly Problem[]
  /** Services of which `onOutOfBandChange` was told. */
  readonly races: readonly string[]
  readonly changes: readonly string[]
  readonly revision: number | undefined
  readonly error: unknown
}

/**
 * One deployment with its release record, in the order of the command, but for the wait: it ends as if everything ran.
 * @param manifest what the record keeps
 * @param options.inTurns the first two services before the others, and the record between them
 */
export async function recordedRun(
  engine: Engine,
  spec: StackSpec,
  manifest: string,
  { inTurns = false, ...options }: BackendOptions & { readonly inTurns?: boolean } = {},
): Promise<RecordedRun> {
  const warnings: Problem[] = []
  const races: string[] = []
  const journal = new WriteJournal()
  const warn = (problem: Problem): void => {
    warnings.push(problem)
  }
  const context: Pick<CommandContext, 'env' | 'cancelled' | 'progress' | 'redact' | 'warn'> & {
    readonly inputs: Pick<CommandContext['inputs'], 'history' | 'wait'>
    readonly log: Pick<CommandContext['log'], 'info'>
    readonly deadline: Pick<CommandContext['deadline'], 'passed'>
  } = {
    inputs: { history: 10, wait: true },
    env: { GITHUB_SHA: 'c0ffee' },
    cancelled: new AbortController().signal,
    deadline: { passed: false },
    progress: { changes: [], services: [] },
    redact: (text) => text,
    warn,
    log: { info: () => {} },
  }
  const owner = 'gha/acme/shop'
  const source = { manifests: ['stack.yml'], files: new Map([['stack.yml', Buffer.from(manifest)]]), variables: [] }
  const release = releaseKeeper(
    context as CommandContext,
    { engine, now: Date.now, swarmId: 's1', prolong: () => {}, close: async () => {} },
    spec.namespace,
    source,
    owner,
  )
  const backend = new Backend(engine, {
    warn,
    onOutOfBandChange: (service) => races.push(service),
    journal,
    rotate: true,
    owner,
    ...options,
  }).withRegistryAuth(auth)
  let error: unknown
  try {
    const planned = await backend.planStack(spec, 'never', release.look)
    release.prepare(planned)
    const application = await backend.beginStack(planned)
    const first = inTurns ? planned.plan.services.slice(0, 2) : planned.plan.services
    await application.services(first)
    await release.store()
    await application.services(planned.plan.services.slice(first.length))
    await release.settle('converged')
  } catch (thrown) {
    error = thrown
  }
  const changes = journal.written().map(({ action, kind, name }) => `${action} ${kind} ${name}`)
  return { journal, warnings, races, changes, revision: context.progress.revision, error }
}
