import type { PlannedStack } from '../backend/applyPlan.ts'
import { markRecord } from '../backend/markRecord.ts'
import { stampOf } from '../backend/ownership.ts'
import type { Plan } from '../backend/plan.ts'
import { nextRevision, storeRecord } from '../backend/storeRecord.ts'
import { trimRecords } from '../backend/trimRecords.ts'
import { messageOf, type Problem } from '../errors.ts'
import { fitRecord } from '../history/fitRecord.ts'
import { type ReleaseRecord, recordName } from '../history/record.ts'
import { type ReleaseSource, recordContent } from '../history/recordContent.ts'
import { type Release, releasesOf } from '../history/releases.ts'
import type { Status } from '../report/outcome.ts'
import type { Config } from '../swarm/secret.ts'
import type { Connection } from './connection.ts'
import type { CommandContext } from './context.ts'

/** As long (ms) may each step that concerns only the record take: the deployment is worth more. */
const PATIENCE = 10_000

/** What the swarm remembers of this run. Nothing of it fails the run: what goes wrong is a warning. */
export interface ReleaseKeeper {
  /** Before the first write: what a record will hold, whether it fits, and which revision there is. */
  prepare(planned: PlannedStack): void
  /** After the last write. */
  store(): Promise<void>
  /** With the verdict: says on the record how the deployment ended, and after a good end removes the oldest ones. */
  settle(status: Status): Promise<void>
}

export function releaseKeeper(
  context: CommandContext,
  { engine, now }: Connection,
  source: ReleaseSource,
  owner: string | undefined,
): ReleaseKeeper {
  const { inputs, env, cancelled, progress, redact, warn, log } = context
  let read: readonly Config[] = []
  let earlier: readonly Release[] = []
  let record: ReleaseRecord | undefined
  let stored: { readonly id: string } | undefined

  const attempt = async (doing: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    try {
      await work(AbortSignal.any([cancelled, AbortSignal.timeout(PATIENCE)]))
    } catch (error) {
      warn({ severity: 'warning', code: 'engine', message: `${doing}: ${messageOf(error)}` })
    }
  }

  return {
    prepare({ plan, observation }) {
      const { namespace } = plan
      earlier = releasesOf(namespace, observation.records, (name, reason) => warn(unreadable(name, reason)))
      read = observation.records
      tell()
      if (inputs.history === 0 || !isRelease(plan)) return
      const { content, warnings } = recordContent(source, (text) => redact(text) !== text)
      warnings.forEach(warn)
      if (content === undefined) return
      const visible = (pairs: readonly (readonly [string, string])[]) =>
        new Map(pairs.filter(([, text]) => text !== '' && redact(text) === text))
      const named = (kind: 'secret' | 'config') =>
        visible(plan.objects.filter((object) => object.kind === kind).map(({ key, name }) => [key, name]))
      const fitted = fitRecord({
        release: namespace,
        revision: nextRevision(namespace, observation.records),
        status: 'deployed',
        chart: { name: namespace, version: env.GITHUB_SHA || 'unknown' },
        values: {
          manifests: source.manifests,
          variables: source.variables,
          images: visible(plan.services.map(({ key, spec }) => [key, spec.TaskTemplate.ContainerSpec?.Image ?? ''])),
          secrets: named('secret'),
          configs: named('config'),
          omitted: content.omitted,
        },
        manifest: content.manifest,
        created: new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z'),
        owner: owner === undefined ? undefined : stampOf(owner, namespace),
        files: content.files,
      })
      if (fitted.warning !== undefined) warn(fitted.warning)
      record = fitted.record
    },

    async store() {
      if (record === undefined) return
      const wanted = record
      await attempt('The release record could not be written, and what is deployed stays', async (signal) => {
        const status = inputs.wait ? 'pending-install' : 'deployed'
        const { id, revision, earlier: others } = await storeRecord(engine, wanted, read, status, now(), signal)
        stored = { id }
        // Another run may have written one meanwhile.
        if (others !== read) earlier = releasesOf(wanted.release, others, () => {})
        log.info(`Wrote release record ${recordName(wanted.release, revision)}`)
        tell(revision)
      })
    },

    async settle(status) {
      if (stored === undefined) return
      const { id } = stored
      const isGood = status === 'converged' || status === 'deployed'
      if (inputs.wait) {
        await attempt('The release record does not say how the deployment ended', (signal) =>
          markRecord(engine, id, isGood ? 'deployed' : 'failed', signal),
        )
      }
      if (!isGood) return
      await attempt('Old release records could not be removed', async (signal) => {
        const failures = await trimRecords(engine, earlier, inputs.history, signal)
        if (failures.length > 0) throw new Error(failures.join('; '))
      })
    },
  }

  function tell(written?: number): void {
    const revisions = earlier.map((release) => release.record.revision)
    const all = written === undefined ? revisions : [...revisions.filter((one) => one < written), written]
    progress.revision = all.at(-1)
    progress.previousRevision = all.at(-2)
  }
}

// --- Internal helpers ---

/** Whether the plan changes what the stack is. Starting something again, or a new credential, leaves it the same. */
function isRelease({ changes }: Plan): boolean {
  return changes.some(({ action }) => action !== 'retry' && action !== 'credentials')
}

function unreadable(name: string, reason: string): Problem {
  return {
    severity: 'warning',
    code: 'engine',
    message: `the release record ${name} can not be read and is passed over: ${reason}`,
    remedy: `If you do not need it, remove it: docker config rm ${name}`,
  }
}
