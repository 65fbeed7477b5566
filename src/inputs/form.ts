// A value form turns an input's text into a value, or says what is wrong with the text.

/** One fault of a text. `what` is a clause about the text ("line 3 is no path"); it never quotes a secret. `remedy` says what to write. */
export interface Fault {
  readonly what: string
  readonly remedy: string
}

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly Fault[] }

export type Form<T> = (text: string) => Parsed<T>

export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value }
}

export function faulty(what: string, remedy: string): { readonly ok: false; readonly faults: readonly Fault[] } {
  return { ok: false, faults: [{ what, remedy }] }
}

/** The value, or all the faults where there is one. */
export function settled<T>(value: T, faults: readonly Fault[]): Parsed<T> {
  return faults.length === 0 ? { ok: true, value } : { ok: false, faults }
}

/** A value on one line for a message: quoted, bounded, control characters escaped. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)
}

/** The lines of an input. A YAML block on Windows has CRLF line ends, and a pasted key may have them anywhere. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/)
}
