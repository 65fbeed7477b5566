import type { Prompt } from 'ssh2'
import type { Credentials } from './credentials.ts'

/**
 * The ways to log in that this action knows (RFC 4252; keyboard-interactive: RFC 4256). `rsa-sha2-512` is publickey once more, for
 * an RSA key whose other signature was refused.
 */
export type Method = 'none' | 'publickey' | 'rsa-sha2-512' | 'password' | 'keyboard-interactive'

/**
 * What to try next. `left` are the methods that the server would go on with, null before it said so. A password is sent once, one
 * way or the other: what asks for more after that is a second factor.
 */
export function nextMethod(
  credentials: Credentials,
  left: readonly string[] | null,
  tried: ReadonlySet<Method>,
): Method | undefined {
  // `none` never succeeds, but its refusal lists what would: a round trip that a key does without.
  if (tried.size === 0) return credentials.key === undefined ? 'none' : 'publickey'
  const passwordUsed = tried.has('password') || tried.has('keyboard-interactive')
  const ours: readonly Method[] = [
    ...(credentials.key !== undefined || credentials.agent !== undefined ? (['publickey'] as const) : []),
    ...(credentials.key?.type === 'ssh-rsa' ? (['rsa-sha2-512'] as const) : []),
    ...(credentials.password !== undefined && !passwordUsed ? (['password', 'keyboard-interactive'] as const) : []),
  ]
  const named = (method: Method): string => (method === 'rsa-sha2-512' ? 'publickey' : method)
  return ours.find((method) => !tried.has(method) && (left === null || left.includes(named(method))))
}

/** Answers the first hidden question with the password, and reports every other one: nobody is there to answer it. */
export function createAnswers(password: string, onUnanswered: (question: string) => void) {
  let answered = false
  return (prompts: readonly Prompt[]): string[] =>
    prompts.map(({ prompt, echo }) => {
      if (!answered && echo !== true) {
        answered = true
        return password
      }
      onUnanswered(prompt)
      return ''
    })
}
