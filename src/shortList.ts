/** The first `most` of the names with commas between them, and how many more there are: `a, b and 7 more`. */
export function shortList(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).join(', ')
  return names.length > most ? `${shown} and ${names.length - most} more` : shown
}
