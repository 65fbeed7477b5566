import type { FailureCode } from '../errors.ts'
import type { Verdict } from './verdict.ts'

/** A verdict before it is one: who, and how many. */
export type Base = Omit<Verdict, 'condition' | 'sentence'>

export function failed(base: Base, code: FailureCode, sentence: string, remedy?: string): Verdict {
  return { ...base, condition: 'failed', code, sentence, stage: sentence, remedy }
}
