import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../errors.ts'
import { commentMarker, commentOf } from '../report/comment.ts'
import { endDescription, endState, pendingDescription, statusContext } from '../report/commitStatus.ts'
import type { Outcome } from '../report/outcome.ts'
import { type GitHub, GitHubError } from './gitHub.ts'
import type { GitHubSettings } from './settings.ts'

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

/** Between two pending statuses (ms): enough to see that it moves, and GitHub takes 1000 of a context for a commit. */
const GAP = 3000

/** Between two tries (ms). */
const PAUSE = 500
const TRIES = 3

/**
 * One request is under way at a time, and none is overtaken by a later one: the last status that GitHub gets is the one that stays.
 * @param connect called once, and only if there is something to tell
 */
export function createReporter(settings: GitHubSettings, connect: () => Promise<GitHub>): Reporter {
  const failures = new Map<Part, GitHubError>()
  let gitHub: Promise<GitHub> | undefined
  let waiting: (() => Promise<void>) | undefined
  let working: Promise<void> | undefined
  let deployment: number | undefined
  let isDeployed = false
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
    for (let next = waiting; next !== undefined; next = waiting) {
      waiting = undefined
      await next()
      await sleep(GAP, undefined, { signal: over.signal, ref: false }).catch(() => {})
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
    await attempt('deployment', async (api) => {
      deployment = await api.createDeployment({ ref: sha, environment, description: `Stack ${stack}` })
      await api.setDeploymentStatus(deployment, {
        state: 'in_progress',
        description,
        logUrl: settings.runUrl,
        environmentUrl: settings.environmentUrl,
      })
    })
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
    const id = deployment
    if (id !== undefined) {
      const urls = { logUrl: runUrl, environmentUrl: settings.environmentUrl }
      ending.set('deployment', (api) => api.setDeploymentStatus(id, { state, description, ...urls }))
    }
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
      last = description
      waiting = () => begin(stack, description)
      working ??= work()
    },
    async end(outcome, giveUp) {
      const stack = outcome.stackName
      if (stack === undefined || !settings.tells) return undefined
      const given = new Promise<void>((resolve) => {
        giveUp.addEventListener('abort', () => resolve(), { once: true })
        if (giveUp.aborted) resolve()
      })
      waiting = undefined
      over.abort()
      await Promise.race([working, given])
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
        if (!failures.has(part))
          failures.set(part, new GitHubError('network', 'GitHub did not answer in time', undefined))
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

/** The stack's comment anew, or in place where this token's own user wrote it. */
async function writeComment(api: GitHub, pullRequest: number, marker: string, body: string): Promise<void> {
  const marked = (await api.comments(pullRequest)).filter((comment) => comment.body.startsWith(marker))
  const me = marked.length === 0 ? '' : await api.login()
  const own = marked.find(({ author }) => author.toLowerCase() === me.toLowerCase())
  if (own === undefined) await api.createComment(pullRequest, body)
  else if (own.body !== body) await api.updateComment(own.id, body)
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
