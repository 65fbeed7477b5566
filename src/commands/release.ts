import type { PlannedStack } from '../backend/applyPlan.ts'
import { markRecord } from '../backend/markRecord.ts'
import type { Observation } from '../backend/observe.ts'
import type { Plan } from '../backend/plan.ts'
import { FORCED } from '../backend/planServices.ts'
import { storeRecord } from '../backend/storeRecord.ts'
import { superfluous, trimRecords } from '../backend/trimRecords.ts'
import { messageOf, type Problem } from '../errors.ts'
import { lastGood } from '../history/lastGood.ts'
import { type RecordValues, type ReleaseRecord, recordName } from '../history/record.ts'
import type { ReleaseSource } from '../history/recordContent.ts'
import type { ReleaseStatus } from '../history/recordLabels.ts'
import { type Release, releasesOf } from '../history/releases.ts'
import { namesOthers, sameRelease } from '../history/sameRelease.ts'
import type { Status } from '../report/outcome.ts'
import { isDeployed } from '../report/status.ts'
import { scopedName } from '../swarm/names.ts'
import type { Config } from '../swarm/secret.ts'
import type { Connection } from './connection.ts'
import type { CommandContext } from './context.ts'
import { draftRecord } from './draftRecord.ts'
import { tellRevisions } from './tellRevisions.ts'

/** As long (ms) may each step that concerns only the record take: a silent link is noticed, and replaced by another, within less. */
const PATIENCE = 60_000

/** And once the run's own time is up. */
const HURRIED = 10_000

/** What the swarm remembers of this run. Nothing of it fails the run: what goes wrong is a warning. */
export interface ReleaseKeeper {
  /** Before the plan is made, which may be refused: which revisions there are. */
  look(observation: Pick<Observation, 'records'>): void
  /** Before the first write: what a record will hold, and whether it fits. */
  prepare(planned: PlannedStack): void
  /** The ids of the release records that are to be removed after a good end. */
  dropped(): ReadonlySet<string>
  /** After the first services are written, where a verdict will follow. */
  store(): Promise<void>
  /**
   * With the verdict: says on the record how the deployment ended; where nothing was judged, writes it after a good end. After such the
   * oldest ones are removed.
   */
  settle(status: Status): Promise<void>
}

/** @param stack its name */
export function releaseKeeper(
  context: CommandContext,
  { engine, now }: Connection,
  stack: string,
  source: ReleaseSource,
  owner: string | undefined,
): ReleaseKeeper {
  const { inputs, cancelled, deadline, progress, warn, log } = context
  let draft: { readonly record: ReleaseRecord; readonly known: readonly Config[] } | undefined
  let hasVerdict = false
  /** A part that goes well says nothing of services that it leaves alone, and that the run before left failed or unjudged. */
  let leavesDoubt = false
  /** The record that this run's verdict is about, and those before it. */
  let judged: { readonly id: string; readonly before: readonly Release[] } | undefined
  let releases: readonly Release[] = []

  const attempt = async (doing: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    try {
      await work(AbortSignal.any([cancelled, AbortSignal.timeout(deadline.passed ? HURRIED : PATIENCE)]))
    } catch (error) {
      const remedy = 'What is deployed is not affected. `command: rollback` goes by the records that are there.'
      warn({ severity: 'warning', code: 'engine', message: `${doing}: ${messageOf(error)}`, remedy })
    }
  }

  const write = async (status: ReleaseStatus): Promise<void> => {
    if (draft === undefined) return
    const { record, known } = draft
    await attempt('The release record could not be written, and what is deployed stays', async (signal) => {
      const { id, revision, earlier } = await storeRecord(engine, record, known, status, now(), signal)
      const before = releasesOf(record.release, earlier, () => {}).filter((one) => one.record.revision < revision)
      judged = { id, before }
      log.info(`Wrote release record ${recordName(record.release, revision)}`)
      progress.revision = revision
      progress.previousRevision = before.at(-1)?.record.revision
    })
  }

  return {
    look({ records }) {
      releases = releasesOf(stack, records, (...broken) => warn(unreadable(...broken)))
      tellRevisions(progress, releases)
      const good = lastGood(releases)?.record
      progress.wayBack = good && good.values.omitted.length === 0 ? good.revision : undefined
    },

    prepare(planned) {
      const { plan, observation } = planned
      const [current, before] = [releases.at(-1), releases.slice(0, -1)]
      if (inputs.history === 0) return
      const known = inputs.services === undefined || current === undefined ? undefined : leftAlone(current, planned)
      const isLeftAlone = (key: string): boolean => !plan.services.some((service) => service.key === key)
      leavesDoubt = known !== undefined && current?.status !== 'deployed' && [...known.images.keys()].some(isLeftAlone)
      const { record, warnings } = draftRecord(context, source, planned, owner, now(), known)
      if (isRelease(plan)) {
        warnings.forEach(warn)
        if (record && current?.status === 'pending-install' && sameRelease(record, current.record)) {
          // An earlier run broke off between its turns: this one is the rest of it.
          judged = { id: current.id, before }
          return
        }
        draft = record && { record, known: observation.records }
        return
      }
      if (record === undefined) return
      if (current !== undefined && sameRelease(record, current.record)) {
        // An earlier run wrote it, and failed or was cancelled: this one may bring the same thing to its end.
        if (current.status !== 'deployed') judged = { id: current.id, before }
      } else if (
        current === undefined ||
        namesOthers(record, current.record) ||
        // What only the last record names is about to be removed.
        (inputs.prune && namesOthers(current.record, record))
      ) {
        // An earlier run wrote the services and broke off before it could write this.
        draft = { record, known: observation.records }
      }
    },

    dropped() {
      const before = judged?.before ?? (draft === undefined ? [] : releases)
      return new Set(superfluous(before, inputs.history).map(({ id }) => id))
    },

    async store() {
      hasVerdict = true
      await write('pending-install')
    },

    async settle(status) {
      const isGood = isDeployed(status)
      if (isGood && !hasVerdict) await write(leavesDoubt ? 'pending-install' : 'deployed')
      if (judged === undefined) return
      const { id, before } = judged
      if (isGood && leavesDoubt) {
        log.info(
          'The release record is not called deployed: `services` leaves services alone that the deployment before did not bring to a good end',
        )
      } else if (hasVerdict) {
        await attempt('The release record does not say how the deployment ended', (signal) =>
          markRecord(engine, id, isGood ? 'deployed' : 'failed', signal),
        )
      }
      if (!isGood) return
      await attempt('Old release records could not be removed', async (signal) => {
        const failures = await trimRecords(engine, superfluous(before, inputs.history), signal)
        if (failures.length > 0) throw new Error(failures.join('; '))
      })
    },
  }
}

// --- Internal helpers ---

/**
 * What holds for the services that a part leaves alone: what the last record says, but for their images, which may be others since, as where
 * a failed deployment was put back.
 */
function leftAlone({ record: { values } }: Release, { plan, observation }: PlannedStack): RecordValues {
  const live = (key: string): string | undefined =>
    observation.services.get(scopedName(plan.namespace, key))?.Spec.TaskTemplate.ContainerSpec?.Image
  return { ...values, images: new Map([...values.images].map(([key, image]) => [key, live(key) ?? image])) }
}

/** Whether the plan changes what the stack is. Starting something again, or a new credential, leaves it the same. */
function isRelease({ changes }: Plan): boolean {
  return changes.some(
    ({ action, fields }) =>
      action !== 'retry' &&
      action !== 'credentials' &&
      !(fields.includes(FORCED) && fields.every((field) => field === FORCED || field === 'credentials')),
  )
}

function unreadable(name: string, reason: string): Problem {
  return {
    severity: 'warning',
    code: 'engine',
    message: `the release record ${name} can not be read and is passed over: ${reason}`,
    remedy: `If you do not need it, remove it: docker config rm ${name}`,
  }
}
