/** Names for stacks, `shop1`, `shop2` …, and which of them were given out since they were last asked for: those are to be removed. */
export function stackNames(prefix: string) {
  let count = 0
  const used: string[] = []
  return {
    fresh: (): string => {
      const namespace = `${prefix}${++count}`
      used.push(namespace)
      return namespace
    },
    takeUsed: (): readonly string[] => used.splice(0),
  }
}
