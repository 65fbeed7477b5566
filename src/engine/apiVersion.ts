import { EngineError } from './engine.ts'

/** The newest API that this action knows, and the oldest that has what it needs (job status, `ServiceStatus`). */
const newest = '1.51'
const oldest = '1.41'

/** The version to speak with a daemon whose newest is `offered`; throws where that is too old. */
export function chooseApiVersion(offered: string | undefined): string {
  if (offered === undefined || !/^\d+\.\d+$/.test(offered)) {
    throw new EngineError('refused', 0, 'What answers is no Docker engine: it names no API version.')
  }
  if (compare(offered, oldest) < 0) {
    throw new EngineError(
      'refused',
      0,
      `The Docker engine is too old: it speaks API ${offered}, and this action needs ${oldest} (Docker 20.10) or newer. Update the engine on the managers.`,
    )
  }
  return compare(offered, newest) < 0 ? offered : newest
}

export function isAtLeast(version: string, wanted: string): boolean {
  return compare(version, wanted) >= 0
}

function compare(left: string, right: string): number {
  const [major = 0, minor = 0] = left.split('.').map(Number)
  const [otherMajor = 0, otherMinor = 0] = right.split('.').map(Number)
  return major - otherMajor || minor - otherMinor
}
