import type { PlannedStack } from '../backend/applyPlan.ts'
import { stampOf } from '../backend/ownership.ts'
import { nextRevision } from '../backend/storeRecord.ts'
import { byteOrder } from '../convert/wire.ts'
import type { Problem } from '../errors.ts'
import { fitRecord } from '../history/fitRecord.ts'
import type { RecordValues, ReleaseRecord } from '../history/record.ts'
import { type ReleaseSource, recordContent } from '../history/recordContent.ts'
import type { CommandContext } from './context.ts'

/**
 * The record of what a plan makes of a stack, as far as it may be kept; the warnings say what is missing, or why there is none.
 * @param known the images and names that hold for what the plan says nothing of, since it is of a part of the stack
 */
export function draftRecord(
  { env, redact }: Pick<CommandContext, 'env' | 'redact'>,
  source: ReleaseSource,
  { plan: { namespace, services, objects }, observation: { records } }: PlannedStack,
  owner: string | undefined,
  now: number,
  known?: Pick<RecordValues, 'images' | 'secrets' | 'configs'>,
): { readonly record: ReleaseRecord | undefined; readonly warnings: readonly Problem[] } {
  const isShown = (text: string): boolean => redact(text) === text
  const { content, warnings } = recordContent(source, (text) => !isShown(text))
  if (content === undefined) return { record: undefined, warnings }
  // A name may have been made of a secret variable.
  const shown = (
    pairs: readonly (readonly [key: string, text: string])[],
    others: ReadonlyMap<string, string> = new Map(),
  ): ReadonlyMap<string, string> =>
    new Map([...new Map([...others, ...pairs])].filter(([, text]) => text !== '' && isShown(text)).sort(byKey))
  const named = (kind: 'secret' | 'config', others?: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
    shown(
      objects.filter((object) => object.kind === kind).map(({ key, name }) => [key, name]),
      others,
    )
  const { record, warning } = fitRecord({
    release: namespace,
    revision: nextRevision(namespace, records),
    status: 'deployed',
    chart: { name: namespace, version: source.commit || env.GITHUB_SHA || 'unknown' },
    values: {
      manifests: source.manifests,
      variables: source.variables,
      images: shown(
        services.map(({ key, spec }) => [key, spec.TaskTemplate.ContainerSpec?.Image ?? '']),
        known?.images,
      ),
      secrets: named('secret', known?.secrets),
      configs: named('config', known?.configs),
      omitted: content.omitted,
    },
    manifest: content.manifest,
    created: new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'),
    owner: owner === undefined ? undefined : stampOf(owner, namespace),
    files: content.files,
  })
  return { record, warnings: warning === undefined ? warnings : [...warnings, warning] }
}

// --- Internal helpers ---

/** The order of a stack's services and objects. */
function byKey([left]: readonly [key: string, text: string], [right]: readonly [key: string, text: string]): number {
  return byteOrder(left, right)
}
