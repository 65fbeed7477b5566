import { ATTEMPTS, isKind, isUnclear, pause, type Writing, write } from './writing.ts'

/**
 * Creates something whose name is unique in the swarm, so that trying again can't make two. Where the name is taken, or the call's
 * fate is unknown, `find` is asked for what is there: what is as wanted will do, whoever made it.
 * @param find answers undefined if there is nothing of that name, `other` if it is not what is wanted
 */
export async function createNamed<T extends object>(
  writing: Writing,
  name: string,
  create: () => Promise<T>,
  find: () => Promise<T | 'other' | undefined>,
): Promise<T> {
  const { journal, signal } = writing.settings
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(writing, name, create)
    } catch (error) {
      if (!isKind(error, 'already-exists') && !isUnclear(error)) throw error
      const found = await find()
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
