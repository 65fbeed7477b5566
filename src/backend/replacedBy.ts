/** Nothing of it is in a task's own specification. Source: moby/swarmkit manager/orchestrator/task.go, IsTaskDirty. */
const ABOUT_SERVICE =
  /^(?:labels\[|(?:updateConfig|rollbackConfig)(?:\.|$)|(?:replicas|maxConcurrent|totalCompletions|credentials)$)/
/** A task stays where its node still fits. */
const ABOUT_PLACE = /^(?:constraints$|placement\.)/

/** Whether a write of these fields replaces tasks: all of them, those whose node fits no more, or none. */
export function replacedBy(fields: readonly string[]): 'all' | 'some' | 'none' {
  const others = fields.filter((field) => !ABOUT_SERVICE.test(field))
  if (others.some((field) => !ABOUT_PLACE.test(field))) return 'all'
  return others.length > 0 ? 'some' : 'none'
}
