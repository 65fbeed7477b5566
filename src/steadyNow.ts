/**
 * Milliseconds since 1970 as the runner's clock had it when this process began, and as long as it has lasted since: a clock that is put
 * right in the middle of a run, as on a machine that has just been started, makes no time-out late and no failure early.
 */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}
