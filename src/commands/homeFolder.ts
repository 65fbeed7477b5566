import os from 'node:os'
import path from 'node:path'

/**
 * `$HOME`, or the user's home folder where that says nothing: an empty or relative one would make what the user trusts out of what the
 * checkout holds.
 */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  const { HOME = '' } = env
  if (path.isAbsolute(HOME)) return HOME
  try {
    return os.userInfo().homedir
  } catch {
    // A user without an entry in the user database, as containers have them.
    return '/'
  }
}
