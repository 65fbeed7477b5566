// Writes test/fixtures/github/description.json: GitHub's own OpenAPI description, cut to the requests that the action makes, without
// prose and examples. Fetches the package that carries the whole description (some 400 MB unpacked, so no dependency) by npm.
//
//     node scripts/gitHubDescription.mjs
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE = '@octokit/openapi@23.0.2'
const REQUESTS = [
  ['/repos/{owner}/{repo}/statuses/{sha}', 'post'],
  ['/repos/{owner}/{repo}/deployments', 'post'],
  ['/repos/{owner}/{repo}/deployments/{deployment_id}/statuses', 'post'],
  ['/repos/{owner}/{repo}/issues/{issue_number}/comments', 'get'],
  ['/repos/{owner}/{repo}/issues/{issue_number}/comments', 'post'],
  ['/repos/{owner}/{repo}/issues/comments/{comment_id}', 'patch'],
  ['/repos/{owner}/{repo}/issues/comments/{comment_id}', 'delete'],
  ['/user', 'get'],
]

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'github-description-'))
execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, PACKAGE], { cwd: folder })
const [archive] = fs.readdirSync(folder)
execFileSync('tar', ['-xzf', archive, 'package/generated/api.github.com.deref.json'], { cwd: folder })
const whole = JSON.parse(fs.readFileSync(path.join(folder, 'package/generated/api.github.com.deref.json'), 'utf8'))
fs.rmSync(folder, { recursive: true })

/** The schema without prose. A property may be called `description`: what `properties` holds are names, not keywords. */
function bare(value, isMap = false) {
  if (Array.isArray(value)) return value.map((one) => bare(one))
  if (typeof value !== 'object' || value === null) return value
  const prose = ['description', 'summary', 'example', 'examples', 'externalDocs', 'title', 'tags', 'operationId']
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isMap || (!prose.includes(key) && !key.startsWith('x-')))
      .map(([key, one]) => [key, bare(one, !isMap && (key === 'properties' || key === 'responses'))]),
  )
}

const paths = {}
for (const [route, method] of REQUESTS) {
  const { parameters, requestBody, responses } = whole.paths[route][method]
  // What GitHub answers is long and read only in a few places: the codes are enough.
  const codes = Object.keys(responses)
  paths[route] = {
    ...paths[route],
    [method]: { parameters: bare(parameters ?? []), requestBody: bare(requestBody), codes },
  }
}
const target = path.join(root, 'test/fixtures/github/description.json')
fs.mkdirSync(path.dirname(target), { recursive: true })
fs.writeFileSync(target, `${JSON.stringify({ source: PACKAGE, version: whole.info.version, paths }, null, 2)}\n`)
