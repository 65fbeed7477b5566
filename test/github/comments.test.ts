// The comment on a pull request while others comment too, and at the same moment.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connectGitHub, type GitHub } from '../../src/github/gitHub.ts'
import { writeComment } from '../../src/github/writeComment.ts'
import { startGitHubServer } from '../support/gitHubServer.ts'

const MARKER = '<!-- marker -->'
const ME = 'github-actions[bot]'

async function started(t: TestContext) {
  const server = await startGitHubServer()
  t.after(() => server.close())
  const api = await connectGitHub({ token: 'ghs_secret', apiUrl: server.url, owner: 'acme', repo: 'shop' })
  const told = () => server.comments.map(({ user, body }) => `${user.login}: ${body.replace(`${MARKER}\n`, '')}`)
  return { server, api, told }
}

/** Does something between what the action read and what it does with it. */
function interrupted(api: GitHub, between: () => Promise<unknown>): GitHub {
  let isFirst = true
  return {
    ...api,
    async comments(pullRequest) {
      const found = await api.comments(pullRequest)
      if (isFirst) await between()
      isFirst = false
      return found
    },
  }
}

test('a comment that was deleted since it was read is written anew', async (t) => {
  const { server, api, told } = await started(t)
  await writeComment(api, 5, MARKER, `${MARKER}\nfirst`)
  const meanwhile = interrupted(api, async () => server.comments.splice(0))
  await writeComment(meanwhile, 5, MARKER, `${MARKER}\nsecond`)
  assert.deepEqual(told(), [`${ME}: second`])
  assert.deepEqual(server.violations, [])
})

test('two runs that both find none leave one comment, and another user theirs', async (t) => {
  const { server, api, told } = await started(t)
  server.comments.push({ id: 1, issue: 5, body: `${MARKER}\ntheirs`, user: { login: 'mallory' } })
  const other = interrupted(api, () => api.createComment(5, `${MARKER}\nfirst`))
  await writeComment(other, 5, MARKER, `${MARKER}\nsecond`)
  assert.deepEqual(told(), ['mallory: theirs', `${ME}: second`])
  await writeComment(api, 5, MARKER, `${MARKER}\nthird`)
  assert.deepEqual(told(), ['mallory: theirs', `${ME}: third`])
  assert.deepEqual(server.violations, [])
})

test('two runs at once on one pull request leave one comment', async (t) => {
  const { api, told } = await started(t)
  await Promise.all(['one', 'two'].map((text) => writeComment(api, 5, MARKER, `${MARKER}\n${text}`)))
  assert.equal(told().length, 1, told().join('\n'))
  assert.match(told()[0] ?? '', /: (one|two)$/)
})
