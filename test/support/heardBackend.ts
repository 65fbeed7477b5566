import { Backend } from '../../src/backend/backend.ts'
import { WriteJournal } from '../../src/backend/journal.ts'
import type { BackendOptions } from '../../src/backend/options.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { Problem } from '../../src/errors.ts'

/** The backend of one run: what it said, and what it wrote. */
export function heardBackend(on: Engine, options: BackendOptions = {}) {
  const log: string[] = []
  const warnings: Problem[] = []
  const races: string[] = []
  const journal = new WriteJournal()
  const backend = new Backend(on, {
    log: (line) => log.push(line),
    warn: (problem) => warnings.push(problem),
    onOutOfBandChange: (service) => races.push(service),
    journal,
    ...options,
  })
  return { backend, log, warnings, races, journal }
}
