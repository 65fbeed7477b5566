/**
 * Works on all items, begun in their order, at most `limit` at once. After a failure nothing more is begun, what is under way is
 * awaited, and the first failure is thrown.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  const failures: unknown[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const index = next++
      try {
        results[index] = await work(items[index] as T)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
  return results
}
