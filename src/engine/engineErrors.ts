import { messageOf } from '../errors.ts'
import { EngineError, type EngineErrorKind } from './engine.ts'

/** An answer that is no success: its status and its body, as text. `doing` is what was asked, such as `create service shop_web`. */
export function refusedCall(doing: string, status: number, body: string): EngineError {
  const text = daemonText(body)
  const why = text === '' ? 'without a word' : text
  const kind = kindOf(status, text, doing, passingCode.test(body))
  return new EngineError(kind, status, `The engine could not ${doing} (HTTP ${status}): ${why}`)
}

/** A call without an answer. What came of a write that was under way is then unknown. */
export function lostCall(doing: string, error: unknown): EngineError {
  return new EngineError('connection', 0, `Lost the engine while trying to ${doing}: ${messageOf(error)}`, {
    cause: error,
  })
}

/** The daemon wraps its words into `{"message": …}`, and Swarm's into a gRPC preamble that says nothing. */
function daemonText(body: string): string {
  let text = body
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null && 'message' in parsed) text = String(parsed.message)
  } catch {
    // Not JSON: then the body is the message.
  }
  return text.trim().replace(/^(?:Error response from daemon: )?rpc error: code = \w+ desc = /, '')
}

const phrases: readonly (readonly [pattern: RegExp, kind: EngineErrorKind])[] = [
  // moby answers a stale version with 500 or, where Swarm's code came through, with another; only the text is reliable.
  [/update out of sequence/i, 'version-conflict'],
  [/already exists|name conflicts with an existing object/i, 'already-exists'],
  // What an engine without a swarm says, and one that has just been started and has not read its own yet: whoever asks has seen a manager.
  [/not a swarm manager\. Use "docker swarm init"/i, 'passing'],
  [/not a swarm manager|swarm is encrypted and needs to be unlocked/i, 'refused'],
  [
    /no basic auth credentials|unauthorized|authentication required|incorrect username or password|requested access to the resource is denied/i,
    'unauthorized',
  ],
  [
    /deadline exceeded|does not have a leader|no leader|lost leader|lost quorum|without quorum|context canceled|raft: stopped/i,
    'passing',
  ],
  [/transport is closing|connection reset by peer|error reading from server|i\/o timeout/i, 'passing'],
]

/** What gRPC says when a manager can't reach the leader, or the leader steps down. Source: grpc's codes. */
const passingCode = /rpc error: code = (?:Unavailable|DeadlineExceeded|Canceled|Aborted) /

function kindOf(status: number, text: string, doing: string, mayPass: boolean): EngineErrorKind {
  const spoken = phrases.find(([pattern]) => pattern.test(text))?.[1]
  if (spoken !== undefined) return spoken
  if (mayPass) return 'passing'
  if (status === 404) return 'not-found'
  if (status === 401 || (status === 403 && doing.startsWith('look up image'))) return 'unauthorized'
  if (status === 409) return /in use|active endpoints/i.test(text) ? 'refused' : 'version-conflict'
  return status === 502 || status === 503 || status === 504 ? 'passing' : 'refused'
}
