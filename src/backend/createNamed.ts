import { ATTEMPTS, isKind, isUnclear, mayHaveGotThrough, pause, type Writing, write } from './writing.ts'

/**
 * Creates something whose name is unique in the swarm, so that trying again can't make two. Where the name is taken, or the call's
 * fate is unknown, `find` is asked for what is there: what is as wanted will do, whoever made it.
 * @param find answers undefined if there is nothing of that name, `other` if it is not what is wanted; it is told whether a call of
 * ours may have made what is there
 */
export async function createNamed<T extends object>(
  writing: Writing,
  name: string,
  create: () => Promise<T>,
  find: (mayBeOurs: boolean) => Promise<T | 'other' | undefined>,
): Promise<T> {
  const { journal, signal } = writing.settings
  let mayBeOurs = false
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(writing, name, create)
    } catch (error) {
      if (!isKind(error, 'already-exists') && !isUnclear(error)) throw error
      mayBeOurs ||= mayHaveGotThrough(error)
      const found = await find(mayBeOurs)
      if (found === 'other') throw error
      if (found !== undefined) {
        journal.start(name)
        journal.done(name)
        return found
      }
      if (attempt === ATTEMPTS) throw error
      await pause(attempt, signal)
    }
  }
}
