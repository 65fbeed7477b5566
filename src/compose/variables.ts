/** Where `${NAME}`, bare `KEY` lines and empty environment values take their text from. */
export interface Variables {
  get(name: string): string | undefined
  /** Names that no manifest may see (the runner's and the action's own): naming one is an error at its place. */
  isHidden(name: string): boolean
  /** Told of a text that variables have made out of what is written. */
  note?(text: string, written: string): void
}
