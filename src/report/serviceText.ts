// How single facts read, in the log and in the summary alike.

import type { ServiceOutcome } from './outcome.ts'

/** `42 s`, `2 min 5 s`, `0.8 s`. */
export function durationText(milliseconds: number): string {
  const seconds = milliseconds / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${rest} s`
}

/** `2/3` running of desired; jobs count what completed, and so does what may run only once. */
export function countText({ mode, running, completed, desired }: ServiceOutcome): string {
  if (mode.includes('job') || (completed > 0 && running === 0)) return `${completed}/${desired} completed`
  return completed > 0 ? `${running + completed}/${desired} running or completed` : `${running}/${desired}`
}

/** `1 service`, `3 services`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
