// GitHub as a deployment sees it, in this process: holds every request against GitHub's own description of its API, keeps what it is
// told, and fails as it is told to.
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly codes: readonly string[]
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

export interface StoredStatus {
  readonly sha: string
  readonly context: string
  readonly state: string
  readonly description: string
  readonly target_url?: string
}

export interface StoredComment {
  readonly id: number
  readonly issue: number
  body: string
  readonly user: { readonly login: string }
}

/** A request as it came: `POST /repos/{owner}/{repo}/statuses/{sha}`. */
export interface SeenRequest {
  readonly route: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
}

/** What to answer instead: a status with headers and message, or no answer at all. */
export type Fault =
  | { readonly status: number; readonly message?: string; readonly headers?: Readonly<Record<string, string>> }
  | 'silence'
  | 'reset'

export interface GitHubServer {
  readonly url: string
  readonly requests: readonly SeenRequest[]
  readonly statuses: readonly StoredStatus[]
  readonly deployments: readonly Readonly<Record<string, unknown>>[]
  readonly deploymentStatuses: readonly Readonly<Record<string, unknown>>[]
  readonly comments: StoredComment[]
  /** What a request did that GitHub would not take: has to stay empty. */
  readonly violations: readonly string[]
  /** Decides by route and how often it was asked before; undefined lets it pass. */
  fault: (route: string, before: number) => Fault | undefined
  /** Whose token it is. An app, as the workflow's own token is one, may not ask `/user`. */
  viewer: { readonly login: string; readonly isApp: boolean }
  /** What REST paths begin with: `/api/v3` on GitHub Enterprise Server. */
  prefix: string
  close(): Promise<void>
}

const fixture = path.resolve(import.meta.dirname, '../fixtures/github/description.json')

/** Beyond the description: what GitHub refuses all the same, or ignores without a word. Source: GitHub's REST documentation. */
const LONGEST: Readonly<Record<string, number>> = { description: 140, body: 65_536, context: 255 }

export async function startGitHubServer(): Promise<GitHubServer> {
  const operations = operationsOf(JSON.parse(fs.readFileSync(fixture, 'utf8')) as Description)
  const requests: SeenRequest[] = []
  const statuses: StoredStatus[] = []
  const deployments: Readonly<Record<string, unknown>>[] = []
  const deploymentStatuses: Readonly<Record<string, unknown>>[] = []
  const comments: StoredComment[] = []
  const violations: string[] = []
  const asked = new Map<string, number>()

  const handle = (seen: SeenRequest, params: Readonly<Record<string, string>>, query: URLSearchParams) => {
    const { body } = seen
    switch (seen.route) {
      case 'POST /repos/{owner}/{repo}/statuses/{sha}':
        statuses.push({ ...(body as unknown as StoredStatus), sha: params.sha ?? '' })
        return { status: 201, json: { id: statuses.length } }
      case 'POST /repos/{owner}/{repo}/deployments':
        deployments.push(body)
        return { status: 201, json: { id: deployments.length } }
      case 'POST /repos/{owner}/{repo}/deployments/{deployment_id}/statuses':
        deploymentStatuses.push({ ...body, deployment_id: Number(params.deployment_id) })
        return { status: 201, json: { id: deploymentStatuses.length } }
      case 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': {
        const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 30)]
        const all = comments.filter(({ issue }) => issue === Number(params.issue_number))
        const next = page * size < all.length
        return {
          status: 200,
          json: all.slice((page - 1) * size, page * size),
          ...(next && { link: linkTo(params, page + 1, size) }),
        }
      }
      case 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments': {
        const comment = {
          id: 1000 + requests.length,
          issue: Number(params.issue_number),
          body: String(body.body),
          user: { login: server.viewer.login },
        }
        comments.push(comment)
        return { status: 201, json: comment }
      }
      case 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}': {
        const comment = comments.find(({ id }) => id === Number(params.comment_id))
        if (comment === undefined) return { status: 404, json: { message: 'Not Found' } }
        comment.body = String(body.body)
        return { status: 200, json: comment }
      }
      case 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}': {
        const at = comments.findIndex(({ id }) => id === Number(params.comment_id))
        if (at === -1) return { status: 404, json: { message: 'Not Found' } }
        comments.splice(at, 1)
        return { status: 204, json: undefined }
      }
      case 'GET /user':
        if (server.viewer.isApp) return { status: 403, json: { message: 'Resource not accessible by integration' } }
        return { status: 200, json: { login: server.viewer.login } }
      case 'POST /graphql':
        if (String(body.query).replace(/\s+/g, ' ') !== 'query { viewer { login } }')
          violations.push(`a query that is not known: ${String(body.query)}`)
        return { status: 200, json: { data: { viewer: { login: server.viewer.login } } } }
      default:
        return { status: 404, json: { message: 'Not Found' } }
    }
  }
  const linkTo = (params: Readonly<Record<string, string>>, page: number, size: number): string =>
    `<${server.url}${server.prefix}/repos/${params.owner}/${params.repo}/issues/${params.issue_number}/comments?per_page=${size}&page=${page}>; rel="next"`

  const listener = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const url = new URL(request.url ?? '/', 'http://github.test')
    // GitHub Enterprise has GraphQL beside its REST API, not below it.
    url.pathname = url.pathname.replace(server.prefix, '').replace(/^\/api\/graphql$/, '/graphql')
    const found = operations.find(({ method, pattern }) => method === request.method && pattern.test(url.pathname))
    const route = found?.route ?? `${request.method} ${url.pathname}`
    const text = Buffer.concat(chunks).toString()
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    const seen = { route, headers: request.headers, body }
    requests.push(seen)
    const before = asked.get(route) ?? 0
    asked.set(route, before + 1)
    violations.push(...(found === undefined ? [`no such request: ${route}`] : found.check(seen, url.searchParams)))
    const fault = server.fault(route, before)
    if (fault === 'silence') return
    if (fault === 'reset') {
      request.socket.destroy()
      return
    }
    const params = found?.pattern.exec(url.pathname)?.groups ?? {}
    const answer: { readonly status: number; readonly json: unknown; readonly link?: string } =
      fault === undefined
        ? handle(seen, params, url.searchParams)
        : { status: fault.status, json: { message: fault.message ?? 'no' } }
    response.writeHead(answer.status, {
      'content-type': 'application/json; charset=utf-8',
      ...(answer.link && { link: answer.link }),
      ...(fault?.headers ?? {}),
    })
    response.end(answer.json === undefined ? undefined : JSON.stringify(answer.json))
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const server: GitHubServer = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    requests,
    statuses,
    deployments,
    deploymentStatuses,
    comments,
    violations,
    fault: () => undefined,
    prefix: '',
    viewer: { login: 'github-actions[bot]', isApp: true },
    close: () =>
      new Promise((resolve) => {
        listener.closeAllConnections()
        listener.close(() => resolve())
      }),
  }
  return server
}

// --- Internal helpers ---

interface KnownOperation {
  readonly method: string
  readonly route: string
  readonly pattern: RegExp
  readonly check: (seen: SeenRequest, query: URLSearchParams) => readonly string[]
}

function operationsOf({ paths }: Description): readonly KnownOperation[] {
  const ajv = addFormats.default(new Ajv({ strict: false, allErrors: true, coerceTypes: false }))
  const described = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody }]): KnownOperation => {
      const route = `${method.toUpperCase()} ${template}`
      const schema = requestBody?.content['application/json']?.schema
      const body = schema && ajv.compile(closed(schema))
      const known = new Set(parameters.filter((one) => one.in === 'query').map(({ name }) => name))
      return {
        method: method.toUpperCase(),
        route,
        pattern: new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
        check: (seen, query) => [
          ...headerFaults(seen),
          ...(body === undefined ? [] : bodyFaults(seen, body)),
          ...[...query.keys()].filter((name) => !known.has(name)).map((name) => `${route}: no parameter ${name}`),
        ],
      }
    }),
  )
  // The REST description has no GraphQL.
  return [...described, { method: 'POST', route: 'POST /graphql', pattern: /^\/graphql$/, check: headerFaults }]
}

/** GitHub ignores what it does not know, and then something that was meant to be said is not. */
function closed(schema: object): object {
  return 'properties' in schema ? { ...schema, additionalProperties: false } : schema
}

function bodyFaults({ route, body }: SeenRequest, validate: ValidateFunction): readonly string[] {
  const faults = validate(body)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${route}: ${instancePath} ${message}`)
  const long = Object.entries(body).filter(
    ([key, value]) => String(value).length > (LONGEST[key] ?? Number.POSITIVE_INFINITY),
  )
  return [...faults, ...long.map(([key]) => `${route}: ${key} is too long`)]
}

function headerFaults({ route, headers }: SeenRequest): readonly string[] {
  return [
    /^(token|bearer) \S+$/i.test(headers.authorization ?? '') ? '' : `${route}: no token`,
    (headers['user-agent'] ?? '') === '' ? `${route}: GitHub refuses a request without a user agent` : '',
    /json/.test(headers.accept ?? '') ? '' : `${route}: asks for no JSON`,
  ].filter((fault) => fault !== '')
}
