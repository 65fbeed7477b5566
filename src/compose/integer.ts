import type { Integer } from './stack.ts'

/** The number where a double holds it exactly, the bigint elsewhere. */
export function exact(value: bigint): Integer {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
