/**
 * A float as it reads when the docker CLI turns it into text (environment, labels, options): Go's shortest digits, with
 * an exponent of two digits below 1e-4 and from 1e6 on. 1.10 → `1.1`, 1e3 → `1000`, 1234567.0 → `1.234567e+06`.
 */
export function goFloat(value: number): string {
  const [mantissa = '0', exponentText = '0'] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent >= -4 && exponent < 6) return Object.is(value, -0) ? '-0' : String(value)
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}
