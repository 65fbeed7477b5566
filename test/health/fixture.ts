import { readdirSync, readFileSync } from 'node:fs'
import type { Expectation, Snapshot } from '../../src/health/verdict.ts'
import type { Node } from '../../src/swarm/node.ts'
import type { Service } from '../../src/swarm/service.ts'
import type { Task } from '../../src/swarm/task.ts'

/** A state of one service as a real swarm showed it, and what is to be said of it. */
export interface Fixture {
  readonly name: string
  readonly description: string
  readonly expectation: Expectation
  readonly snapshot: Snapshot & { readonly upToDate: ReadonlySet<string> }
  readonly verdict: {
    readonly condition: string
    readonly code?: string
    readonly cause?: string
    readonly running: number
    readonly desired: number
    readonly completed: number
    readonly failures: number
    /** Milliseconds until the monitor window ends. */
    readonly settlesIn?: number
    readonly warning?: string
    readonly sentence: string
  }
}

const folder = new URL('../fixtures/health/', import.meta.url)

export function fixtures(): readonly Fixture[] {
  return readdirSync(folder)
    .sort()
    .map((file) => fixture(file.replace('.json', '')))
}

/** One by name; a new copy each time. */
export function fixture(name: string): Fixture {
  const { snapshot, ...rest } = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Omit<
    Fixture,
    'name' | 'snapshot'
  > & {
    readonly snapshot: {
      readonly now: string
      readonly services: readonly Service[]
      readonly tasks: readonly Task[]
      readonly upToDate: readonly string[]
      readonly nodes: readonly Node[]
    }
  }
  return {
    name,
    ...rest,
    snapshot: { ...snapshot, now: Date.parse(snapshot.now), upToDate: new Set(snapshot.upToDate) },
  }
}
