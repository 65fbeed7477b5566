import { isSameOwner, ownerIn, refuseForeign } from '../backend/ownership.ts'
import { isReleaseRecord } from '../backend/releaseRecords.ts'
import type { Engine } from '../engine/engine.ts'
import { DeployError, type Problem } from '../errors.ts'
import type { ReleaseRecord } from '../history/record.ts'
import { releasesOf } from '../history/releases.ts'
import { NAMESPACE_LABEL, RELEASE_LABEL } from '../swarm/names.ts'
import { ownerOf } from './backendOf.ts'
import { chooseRelease } from './chooseRelease.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { withHelperLogins } from './credentials.ts'
import { deployStack } from './deploy.ts'
import { keptManifest, requireKept } from './keptManifest.ts'
import { checkOffline, offlineLogin, problemsFoundBy } from './offline.ts'
import { onManager } from './onManager.ts'
import { pinned } from './pinned.ts'
import { tellRevisions } from './tellRevisions.ts'

/**
 * Deploys what a release record holds, as a new revision: its manifest with this run's variables, its images by their digests, its secrets
 * by their names. Everything that stands in the way is said at once, before any write.
 */
export async function rollback(context: CommandContext): Promise<CommandResult> {
  const { inputs, log, progress, warn } = context
  const { stackName: name } = inputs
  if (name === undefined) throw new Error('readInputs answers a name for this command')
  progress.stackName = name
  offlineLogin(context)

  return onManager(context, async (connection, signal) => {
    log.group('Release record')
    progress.doing = 'reading the release records'
    const { records, services, secretNames } = await readStack(connection.engine, name, signal)
    const releases = releasesOf(name, records, (config, reason) =>
      log.info(`The release record ${config} can not be read: ${reason}`),
    )
    tellRevisions(progress, releases)
    const { record, status } = chooseRelease(name, releases, inputs.revision)
    const { revision, created, chart, values } = record
    log.info(`Going back to revision ${revision} of ${name}, of ${created}, commit ${chart.version}`)
    if (status === 'failed') warn(failedBefore(revision))

    const owner = ownerOf(context)
    const problems = [
      ...problemsFoundBy(() => refuseForeign(name, services, records, { owner, adopt: inputs.adopt }), context),
      ...problemsOfRecord(record, secretNames),
      ...foreignRecord(record, owner, inputs.adopt),
    ]
    const then: CommandContext = { ...context, inputs: { ...inputs, manifest: values.manifests, services: undefined } }
    const files = { workspace: context.workspace, temporary: context.env.RUNNER_TEMP }
    const { parsed, ...manifest } = checkOffline(then, keptManifest(record, files, problems))
    requireKept(record, manifest)
    const { spec, hasDigests, problems: found } = pinned(manifest.spec, record)
    found.filter(({ severity }) => severity === 'warning').forEach(warn)
    refuse(found.filter(({ severity }) => severity === 'error'))
    const auth = await withHelperLogins(then, parsed, spec)

    const resolveImage = hasDigests ? 'never' : inputs.resolveImage
    const source = { ...manifest.source, commit: chart.version }
    return deployStack({ ...then, inputs: { ...then.inputs, resolveImage } }, connection, signal, {
      ...manifest,
      declared: manifest.spec,
      spec,
      source,
      auth,
    })
  })
}

// --- Internal helpers ---

async function readStack(engine: Engine, name: string, signal: AbortSignal) {
  const [records, services, secrets] = await Promise.all([
    engine.listConfigs({ label: [`${RELEASE_LABEL}=${name}`] }, { signal }),
    engine.listServices({ label: [`${NAMESPACE_LABEL}=${name}`] }, { signal }),
    engine.listSecrets(undefined, { signal }),
  ])
  return {
    records: records.filter(isReleaseRecord),
    services,
    secretNames: new Set(secrets.map(({ Spec }) => Spec.Name ?? '')),
  }
}

function problemsOfRecord({ revision, values }: ReleaseRecord, secretNames: ReadonlySet<string>): readonly Problem[] {
  const { manifests, omitted, secrets } = values
  const another = 'Choose another `revision`, or deploy the manifest.'
  const gone = [...secrets].filter(([, secret]) => !secretNames.has(secret))
  return [
    ...(manifests.length === 0 ? [error(`revision ${revision} was not written by this action`, another)] : []),
    ...(omitted.length > 0
      ? [error(`the release record of revision ${revision} lacks ${omitted.join(', ')}`, another)]
      : []),
    ...gone.map(([key, secret]) =>
      error(
        `the secret ${secret}, which ${key} was in revision ${revision}, is no longer in the swarm`,
        `Create it again with the content that it had: docker secret create ${secret} FILE`,
      ),
    ),
  ]
}

/** Whoever may write configs may write what looks like a record. */
function foreignRecord(
  { release, revision, owner: stamp }: ReleaseRecord,
  owner: string | undefined,
  adopt: boolean,
): readonly Problem[] {
  const theirs = ownerIn(stamp, release)
  const isOurs = theirs === undefined ? stamp === undefined && owner === undefined : isSameOwner(theirs, owner)
  if (adopt || isOurs) return []
  const whose = stamp === undefined ? 'nobody' : stamp
  return [
    {
      ...error(
        `revision ${revision} was deployed by ${whose}, and this run is of ${owner ?? 'nobody'}`,
        'Choose another `revision`, or set `adopt: true` to take it over.',
      ),
      code: 'conflict',
    },
  ]
}

function refuse(problems: readonly Problem[]): void {
  const [first] = problems
  if (first === undefined) return
  throw new DeployError(first.code, 'The rollback is refused: nothing was written.', { problems })
}

function error(message: string, remedy: string): Problem {
  return { severity: 'error', code: 'missing-resource', message, remedy }
}

function failedBefore(revision: number): Problem {
  return {
    severity: 'warning',
    code: 'conflict',
    message: `revision ${revision} failed when it was deployed`,
    remedy:
      'If that is not what you want, choose another `revision`; without one the newest is taken that did not fail.',
  }
}
