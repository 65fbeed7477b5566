import { TYPE_LABEL } from '../swarm/names.ts'
import type { Config } from '../swarm/secret.ts'

/** Whether a config is a release record, and so no part of a stack, whatever else its labels say. */
export function isReleaseRecord({ Spec: spec }: Config): boolean {
  return spec.Labels?.[TYPE_LABEL] === 'release'
}
