import { messageOf } from '../errors.ts'
import { RELEASE_LABEL, STATUS_LABEL } from '../swarm/names.ts'
import type { Config } from '../swarm/secret.ts'
import { decodeRecord } from './decodeRecord.ts'
import { type ReleaseRecord, recordName } from './record.ts'

/** A deployment that the swarm remembers. */
export interface Release {
  /** Of the config. */
  readonly id: string
  readonly name: string
  /** `pending-install`, `deployed`, `failed`; a deployed one that another came after is `superseded`. */
  readonly status: string
  readonly record: ReleaseRecord
}

/**
 * A stack's releases by revision, the current one last.
 * @param records configs that say that they are release records, in any order
 * @param onBroken told the name of one that can't be read, and why; it is left out
 */
export function releasesOf(
  namespace: string,
  records: readonly Config[],
  onBroken: (name: string, reason: string) => void,
): readonly Release[] {
  const releases = records
    .filter(({ Spec }) => Spec.Labels?.[RELEASE_LABEL] === namespace)
    .flatMap((config): Release[] => {
      const { Name: name = '', Labels: labels, Data: data = '' } = config.Spec
      try {
        const record = decodeRecord(Buffer.from(data, 'base64'))
        if (record.release !== namespace || name !== recordName(namespace, record.revision)) {
          throw new Error(`it says that it is revision ${record.revision} of ${record.release}`)
        }
        return [{ id: config.ID, name, status: labels?.[STATUS_LABEL] ?? record.status, record }]
      } catch (error) {
        onBroken(name, messageOf(error))
        return []
      }
    })
    .sort((left, right) => left.record.revision - right.record.revision)
  const current = releases.at(-1)
  return releases.map((release) =>
    release !== current && release.status === 'deployed' ? { ...release, status: 'superseded' } : release,
  )
}
