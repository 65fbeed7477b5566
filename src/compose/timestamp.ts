// Timestamps of YAML, which docker reads and then prints in Go's form. Source: go-yaml v3 resolve.go, Go's time.Parse.

const format =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:([Tt ])(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})?)?$/

/** The text that a label or variable gets (`2001-12-14 21:59:43.1 -0500 -0500`); undefined where it is no timestamp. */
export function timestampText(source: string): string | undefined {
  const match = format.exec(source)
  if (match === null) return undefined
  const [, year = '', month = '', day = '', separator, hour = '0', minute = '0', second = '0', fraction = '', zone] =
    match
  // With a T a zone is required, after a space none is allowed.
  if (separator !== undefined && (separator === ' ') !== (zone === undefined)) return undefined
  if (!isDate(Number(year), Number(month), Number(day))) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const offset = zoneText(zone)
  if (offset === undefined) return undefined
  const two = (text: string): string => text.padStart(2, '0')
  const digits = fraction.slice(0, 9).replace(/0+$/, '')
  const clock = `${two(hour)}:${two(minute)}:${two(second)}${digits === '' ? '' : `.${digits}`}`
  return `${year}-${two(month)}-${two(day)} ${clock} ${offset}`
}

function isDate(year: number, month: number, day: number): boolean {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return days !== undefined && day >= 1 && day <= days
}

/** Zones have no names here except UTC: Go prints the offset twice. */
function zoneText(zone: string | undefined): string | undefined {
  if (zone === undefined || zone === 'Z' || zone === '+00:00' || zone === '-00:00') return '+0000 UTC'
  const [hours = '', minutes = ''] = zone.slice(1).split(':')
  if (Number(hours) > 24 || Number(minutes) > 59) return undefined
  const offset = `${zone.slice(0, 1)}${hours}${minutes}`
  return `${offset} ${offset}`
}
