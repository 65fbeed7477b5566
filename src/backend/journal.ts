/** What is known of the writes of one run at any moment: the answer to "what did you do?" after a failure or a cancellation. */
export class WriteJournal {
  #planned: string[] = []
  readonly #started = new Set<string>()
  readonly #done = new Set<string>()
  readonly #onFirstWrite: () => void

  constructor(onFirstWrite: () => void = () => {}) {
    this.#onFirstWrite = onFirstWrite
  }

  /** Names everything that is about to be written, such as `service shop_web`. */
  plan(names: readonly string[]): void {
    this.#planned = [...names]
  }

  /** Records that a write is about to be sent. Until `done` or `refused` its effect is unknown. */
  start(name: string): void {
    if (this.#started.size === 0) this.#onFirstWrite()
    this.#started.add(name)
  }

  done(name: string): void {
    this.#done.add(name)
  }

  /** The engine said no, so nothing happened. */
  refused(name: string): void {
    this.#started.delete(name)
  }

  get wroteAnything(): boolean {
    return this.#started.size > 0
  }

  report(): {
    readonly applied: readonly string[]
    readonly notApplied: readonly string[]
    readonly unknown: readonly string[]
  } {
    return {
      applied: [...this.#done],
      notApplied: this.#planned.filter((name) => !this.#started.has(name)),
      unknown: [...this.#started].filter((name) => !this.#done.has(name)),
    }
  }
}
