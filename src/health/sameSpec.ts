/**
 * Whether two parts of specs mean the same to the Engine: what is absent, null, empty, zero or false is one and the same, and 64-bit
 * numbers are compared by value. For engines that cannot list up-to-date tasks.
 */
export function sameSpec(left: unknown, right: unknown): boolean {
  if (isNothing(left) || isNothing(right)) return isNothing(left) && isNothing(right)
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameSpec(item, right[index]))
  }
  if (isRecord(left) && isRecord(right)) {
    const keys = new Set([...Object.keys(left), ...Object.keys(right)])
    return [...keys].every((key) => sameSpec(left[key], right[key]))
  }
  if (isNumber(left) && isNumber(right)) return BigInt(left) === BigInt(right)
  return left === right
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true
  if (value === 0 || value === 0n) return true
  if (Array.isArray(value)) return value.length === 0
  return isRecord(value) && Object.values(value).every(isNothing)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))
}
