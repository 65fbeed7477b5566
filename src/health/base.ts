import type { FailureCode } from '../errors.ts'
import type { Expectation, Verdict } from './verdict.ts'

/** A verdict before it is one: who, and how many. */
export type Base = Omit<Verdict, 'condition' | 'sentence'>

/** Of a service of which nothing is known but what was expected. */
export function blank({ key, name }: Expectation): Base {
  return { key, name, mode: 'replicated', image: '', running: 0, desired: 0, completed: 0, failures: [] }
}

export function failed(base: Base, code: FailureCode, sentence: string, remedy?: string): Verdict {
  return { ...base, condition: 'failed', code, sentence, stage: sentence, remedy }
}
