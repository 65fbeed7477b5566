// Sizes such as `512m` or `1.5 GiB`: all units are powers of 1024. Source: docker/go-units RAMInBytes.
const factors: Readonly<Record<string, number>> = { b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40, p: 2 ** 50 }

/** Bytes; undefined where the text is no size. */
export function parseByteSize(text: string): bigint | undefined {
  const match = /^\+?([0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?|\.[0-9]+) ?([kmgtp](?:i?b)?|b)?$/i.exec(text)
  if (match === null) return undefined
  const [, number = '', unit = 'b'] = match
  const bytes = Number(number) * (factors[unit.slice(0, 1).toLowerCase()] ?? 1)
  return bytes < 2 ** 63 ? BigInt(Math.trunc(bytes)) : undefined
}
