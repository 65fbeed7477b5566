import type { FailureCode, Problem } from '../errors.ts'
import type { Parsed } from './form.ts'
import { INPUTS, type InputName, type InputValue, inputVariable } from './table.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads single inputs by the table and collects what is wrong with them. */
export interface Reader {
  readonly problems: Problem[]
  /** The text of an input that is given and not empty. */
  given(name: InputName): string | undefined
  /** Whether its text was given but faulty. */
  failed(name: InputName): boolean
  /** The value. Where it is faulty the problem is recorded, and the default stands in so that the rest is checked too. */
  value<N extends InputName>(name: N): InputValue<N>
  /** The value of a form's result; its faults are recorded as those of `source`. */
  settle<T>(source: string, result: Parsed<T>): T | undefined
  error(message: string, remedy: string, code?: FailureCode): void
  warning(message: string, remedy: string): void
}

export function createReader(env: Environment): Reader {
  const problems: Problem[] = []
  const failures = new Set<InputName>()
  const note =
    (severity: 'error' | 'warning') =>
    (message: string, remedy: string, code: FailureCode = 'input'): void => {
      problems.push({ severity, code, message, remedy })
    }
  const error = note('error')

  const given = (name: InputName): string | undefined => {
    const text = env[inputVariable(name)]
    return text === undefined || text.trim() === '' ? undefined : text
  }
  const settle = <T>(source: string, result: Parsed<T>): T | undefined => {
    if (result.ok) return result.value
    for (const fault of result.faults) error(`${source}: ${fault.what}`, fault.remedy)
    return undefined
  }
  const parse = <N extends InputName>(name: N, text: string): Parsed<InputValue<N>> =>
    INPUTS[name].form(text) as Parsed<InputValue<N>>

  const values = new Map<InputName, unknown>()
  /** Its faults are recorded once, however often it is asked for. */
  const value = <N extends InputName>(name: N): InputValue<N> => {
    if (!values.has(name)) values.set(name, read(name))
    return values.get(name) as InputValue<N>
  }
  const read = <N extends InputName>(name: N): InputValue<N> => {
    const row = INPUTS[name]
    const standard = row.default === '' ? undefined : parse(name, row.default)
    const byDefault = (standard?.ok ? standard.value : undefined) as InputValue<N>
    const text = given(name)
    if (text === undefined) return byDefault
    const result = parse(name, text)
    if (!result.ok) {
      settle(`the input \`${name}\``, result)
      failures.add(name)
      return byDefault
    }
    return result.value
  }

  return { problems, given, failed: (name) => failures.has(name), value, settle, error, warning: note('warning') }
}
