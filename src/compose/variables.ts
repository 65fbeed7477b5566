/** Where `${NAME}`, bare `KEY` lines and empty environment values take their text from. */
export interface Variables {
  get(name: string): string | undefined
  /** Names that no manifest may see (the runner's and the action's own): naming one is an error at its place. */
  isHidden(name: string): boolean
}
