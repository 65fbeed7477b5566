import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../errors.ts'
import { commentMarker, commentOf } from '../report/comment.ts'
import { endDescription, endState, pendingDescription, statusContext } from '../report/commitStatus.ts'
import type { Outcome } from '../report/outcome.ts'
import { type DeploymentStatus, type GitHub, GitHubError } from './gitHub.ts'
import type { GitHubSettings } from './settings.ts'
import { writeComment } from './writeComment.ts'

/** Tells GitHub how a run is going. Nothing of it ever fails the run, and only `end` is waited for. */
export interface Reporter {
  /**
   * @param stack the stack's name, as soon as it is known
   * @param doing as after "while": `connecting to the manager`
   */
  progress(stack: string | undefined, doing: string): void
  /** Ends status, deployment and comment. Answers a sentence for the one notice, if GitHub could not be told everything. */
  end(outcome: Outcome, giveUp: AbortSignal): Promise<string | undefined>
}

/** What GitHub is told, and the permission that it takes. */
type Part = 'status' | 'deployment' | 'comment'

const PARTS: Readonly<Record<Part, { readonly what: string; readonly permission: string }>> = {
  status: { what: 'the commit status', permission: 'statuses: write' },
  deployment: { what: 'the deployment', permission: 'deployments: write' },
  comment: { what: 'the comment', permission: 'pull-requests: write' },
}

/**
 * Between the first two pending statuses (ms), then twice as long each time, up to a minute: enough to see that it moves. GitHub takes
 * 1000 statuses of a context for a commit, and 1000 requests an hour with a workflow's token.
 */
const GAP = 3000
const LONGEST_GAP = 60_000

/** Between two tries (ms). */
const PAUSE = 500
const TRIES = 3

/**
 * One request is under way at a time, and none is overtaken by a later one: the last status that GitHub gets is the one that stays.
 * @param connect called once, and only if there is something to tell
 * @param pause resolves after so many milliseconds; may reject when the signal is aborted
 */
export function createReporter(
  settings: GitHubSettings,
  connect: () => Promise<GitHub>,
  pause: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) =>
    sleep(ms, undefined, { signal, ref: false }),
): Reporter {
  const failures = new Map<Part, GitHubError>()
  let gitHub: Promise<GitHub> | undefined
  let waiting: (() => Promise<void>) | undefined
  let working: Promise<void> | undefined
  let deployment: number | undefined
  let isDeployed = false
  let name: string | undefined
  let last = ''
  const over = new AbortController()

  /** Whether it is done with: told, or refused for good. */
  const attempt = async (part: Part, request: (api: GitHub) => Promise<void>): Promise<boolean> => {
    if (failures.has(part)) return true
    try {
      gitHub ??= connect()
      await request(await gitHub)
      return true
    } catch (error) {
      const failure = error instanceof GitHubError ? error : new GitHubError('network', messageOf(error), error)
      failures.set(part, failure)
      return !mayHelp(failure)
    }
  }
  /** What only waits for its turn is replaced by what is newer. */
  const work = async (): Promise<void> => {
    let gap = GAP
    for (let next = waiting; next !== undefined; next = waiting) {
      waiting = undefined
      await next()
      await pause(gap, over.signal).catch(() => {})
      gap = Math.min(gap * 2, LONGEST_GAP)
    }
    working = undefined
  }

  const begin = async (stack: string, description: string): Promise<void> => {
    const { sha, environment } = settings
    if (sha === undefined) return
    if (settings.statusCheck !== false) {
      await attempt('status', (api) =>
        api.setCommitStatus(sha, {
          context: statusContext(stack, environment, settings.isPlan),
          state: 'pending',
          description,
          targetUrl: settings.runUrl,
        }),
      )
    }
    if (!settings.deployment || environment === undefined || isDeployed) return
    isDeployed = true
    await attempt('deployment', deploymentStatus(stack, sha, environment, 'in_progress', description))
  }

  const deploymentStatus =
    (stack: string, ref: string, environment: string, state: DeploymentStatus['state'], description: string) =>
    async (api: GitHub): Promise<void> => {
      deployment ??= await api.createDeployment({ ref, environment, description: `Stack ${stack}` })
      const { runUrl: logUrl, environmentUrl } = settings
      await api.setDeploymentStatus(deployment, { state, description, logUrl, environmentUrl })
    }

  /** What is left to be told when a run ends. */
  const endingOf = (stack: string, outcome: Outcome): ReadonlyMap<Part, (api: GitHub) => Promise<void>> => {
    const { sha, environment, runUrl, pullRequest } = settings
    const [state, description] = [endState(outcome), endDescription(outcome)]
    const ending = new Map<Part, (api: GitHub) => Promise<void>>()
    if (sha !== undefined && settings.statusCheck !== false) {
      const context = statusContext(stack, environment, settings.isPlan)
      ending.set('status', (api) => api.setCommitStatus(sha, { context, state, description, targetUrl: runUrl }))
    }
    // Where GitHub could not make it at the beginning, it can now.
    if (isDeployed && sha !== undefined && environment !== undefined)
      ending.set('deployment', deploymentStatus(stack, sha, environment, state, description))
    if (settings.comment && pullRequest !== undefined) {
      const marker = commentMarker(stack, environment)
      ending.set('comment', (api) => writeComment(api, pullRequest, marker, commentOf(outcome, marker, runUrl)))
    }
    return ending
  }

  return {
    progress(stack, doing) {
      const description = pendingDescription(doing)
      if (stack === undefined || !settings.tells || description === last) return
      name = stack
      last = description
      waiting = () => begin(stack, description)
      working ??= work()
    },
    async end(outcome, giveUp) {
      // The name that the pending status has: in the outcome a secret may have hidden part of it.
      const stack = name ?? outcome.stackName
      if (stack === undefined || !settings.tells) return undefined
      const given = new Promise<void>((resolve) => {
        giveUp.addEventListener('abort', () => resolve(), { once: true })
        if (giveUp.aborted) resolve()
      })
      waiting = undefined
      over.abort()
      await Promise.race([working, given])
      // A limit that was reached at the beginning may be over.
      for (const [part, { kind }] of failures) if (kind !== 'permission' && kind !== 'token') failures.delete(part)
      const left = new Map(endingOf(stack, outcome))
      for (let turn = 1; ; turn++) {
        for (const [part, failure] of failures) if (mayHelp(failure)) failures.delete(part)
        const tries = [...left].map(async ([part, request]) => {
          if (await attempt(part, request)) left.delete(part)
        })
        await Promise.race([Promise.all(tries), given])
        if (left.size === 0 || turn === TRIES || giveUp.aborted) break
        await sleep(PAUSE * turn, undefined, { signal: giveUp }).catch(() => {})
      }
      for (const part of left.keys()) {
        if (!failures.has(part)) failures.set(part, new GitHubError('network', 'GitHub did not answer in time'))
      }
      return complaint(failures, settings)
    },
  }
}

// --- Internal helpers ---

/** Trying again: the server, or the way to it, had a bad moment. */
function mayHelp({ kind }: GitHubError): boolean {
  return kind === 'server' || kind === 'network'
}

function complaint(failures: ReadonlyMap<Part, GitHubError>, settings: GitHubSettings): string | undefined {
  const told = [...failures].filter(
    ([part, { kind }]) => !(part === 'status' && settings.statusCheck === 'auto' && kind === 'permission'),
  )
  if (told.length === 0) return undefined
  const what = told.map(([part, { message }]) => `${PARTS[part].what} (${message})`).join(' and ')
  const missing = told.filter(([, { kind }]) => kind === 'permission').map(([part]) => PARTS[part].permission)
  const advice =
    missing.length === 0
      ? 'The deployment is not affected.'
      : `The deployment is not affected. Add to the job, below \`permissions:\`, ${missing.map((line) => `\`${line}\``).join(' and ')}; a pull request from a fork never has them.`
  return `GitHub was not told ${what}. ${advice}`
}
