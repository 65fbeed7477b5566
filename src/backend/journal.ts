import type { Change } from './change.ts'

/** What is known of the writes of one run at any moment: the answer to "what did you do?" after a failure or a cancellation. */
export class WriteJournal {
  readonly #planned = new Map<string, Change>()
  readonly #started = new Set<string>()
  readonly #done = new Set<string>()
  readonly #onFirstWrite: () => void
  #hasBegun = false

  constructor(onFirstWrite: () => void = () => {}) {
    this.#onFirstWrite = onFirstWrite
  }

  /** Names what is about to be written; what was named before stays. */
  plan(changes: readonly Change[]): void {
    for (const change of changes) this.#planned.set(`${change.kind} ${change.name}`, change)
  }

  /**
   * Records that a write is about to be sent. Until `done` or `refused` its effect is unknown.
   * @param name kind and name, such as `service shop_web`
   */
  start(name: string): void {
    if (!this.#hasBegun) this.#onFirstWrite()
    this.#hasBegun = true
    this.#started.add(name)
  }

  done(name: string): void {
    this.#done.add(name)
  }

  /** The engine said no, so nothing happened. */
  refused(name: string): void {
    this.#started.delete(name)
  }

  /** Not to be written after all. */
  dropped(name: string): void {
    this.#planned.delete(name)
  }

  /** Done, and then taken back: as if it had never been. */
  undone(name: string): void {
    this.#started.delete(name)
    this.#done.delete(name)
  }

  get wroteAnything(): boolean {
    return this.#started.size > 0
  }

  /** Those of the planned changes that are applied, or of which it is unknown, in the plan's order. */
  written(): readonly Change[] {
    return [...this.#planned].filter(([name]) => this.#started.has(name)).map(([, change]) => change)
  }

  report(): {
    readonly applied: readonly string[]
    readonly notApplied: readonly string[]
    readonly unknown: readonly string[]
  } {
    return {
      applied: [...this.#done],
      notApplied: [...this.#planned.keys()].filter((name) => !this.#started.has(name)),
      unknown: [...this.#started].filter((name) => !this.#done.has(name)),
    }
  }
}
