// Processors as a fraction: `0.5`, `1/2`, `1e-3`. Source: docker/cli opts.ParseCPUs, Go's big.Rat.

/** Billionths of a processor, exactly; a text says what is wrong. */
export function parseNanoCpus(text: string): bigint | string {
  const fraction = /^([-+]?[0-9]{1,40})\/([0-9]{1,40})$/.exec(text)
  const decimal = /^([-+]?)([0-9]{0,40})(?:\.([0-9]{0,40}))?(?:e([-+]?[0-9]{1,2}))?$/i.exec(text)
  let numerator: bigint
  let denominator: bigint
  if (fraction !== null) {
    numerator = BigInt((fraction[1] ?? '0').replace('+', ''))
    denominator = BigInt(fraction[2] ?? '1')
  } else if (decimal !== null && /[0-9]/.test(text) && ((decimal[2] ?? '') !== '' || (decimal[3] ?? '') !== '')) {
    const [, sign, whole = '', after = '', exponentText = '0'] = decimal
    const exponent = Number(exponentText) - after.length
    numerator = BigInt(whole + after) * (sign === '-' ? -1n : 1n) * 10n ** BigInt(Math.max(exponent, 0))
    denominator = 10n ** BigInt(Math.max(-exponent, 0))
  } else return 'is not a number of processors'
  if (denominator === 0n) return 'is not a number of processors'
  const nano = numerator * 1_000_000_000n
  if (nano % denominator !== 0n) return 'is finer than a billionth of a processor'
  const result = nano / denominator
  return BigInt.asIntN(64, result) === result ? result : 'is too large'
}
