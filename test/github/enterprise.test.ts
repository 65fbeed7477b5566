// The ways to GitHub that are not api.github.com straight away: GitHub Enterprise, and a proxy.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { connectGitHub } from '../../src/github/gitHub.ts'
import { startGitHubServer } from '../support/gitHubServer.ts'

test('GitHub Enterprise has its REST API below /api/v3, page by page, and GraphQL beside it', async (t) => {
  const server = await startGitHubServer()
  t.after(() => server.close())
  server.prefix = '/api/v3'
  // A slash too many must not matter.
  const api = await connectGitHub({ token: 'x', apiUrl: `${server.url}/api/v3/`, owner: 'acme', repo: 'shop' })
  for (let id = 0; id < 120; id++) server.comments.push({ id, issue: 5, body: 'nice', user: { login: 'octocat' } })
  assert.equal((await api.comments(5)).length, 120)
  assert.equal(await api.login(), 'github-actions[bot]')
  await api.setCommitStatus('a'.repeat(40), { context: 'c', state: 'success', description: 'd', targetUrl: undefined })
  assert.equal(server.statuses.length, 1)
  assert.deepEqual(server.violations, [])
})

test('behind a proxy GitHub is reached through it, and no_proxy goes straight', async (t) => {
  const server = await startGitHubServer()
  t.after(() => server.close())
  const tunnelled: string[] = []
  const proxy = http.createServer((_request, response) => response.writeHead(400).end())
  proxy.on('connect', ({ url = '' }, socket: net.Socket) => {
    tunnelled.push(url)
    const far = net.connect(Number(new URL(server.url).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      far.pipe(socket).pipe(far)
    })
    for (const end of [far, socket]) end.on('error', () => {})
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const setStatus = (env: Readonly<Record<string, string>>) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: { PATH: process.env.PATH, MODULE: new URL('../../src/github/gitHub.ts', import.meta.url).href, ...env },
    })
  const script = `
    const { connectGitHub } = await import(process.env.MODULE)
    const api = await connectGitHub({ token: 'x', apiUrl: process.env.GITHUB_API_URL, owner: 'acme', repo: 'shop' })
    await api.setCommitStatus('${'a'.repeat(40)}', { context: 'c', state: 'success', description: 'd' })`
  // A name that nobody can resolve: only the proxy knows the way.
  await setStatus({ GITHUB_API_URL: 'http://github.invalid', http_proxy: address })
  assert.deepEqual(tunnelled, ['github.invalid:80'])
  assert.equal(server.statuses.length, 1)
  await setStatus({ GITHUB_API_URL: server.url, http_proxy: address, no_proxy: '127.0.0.1' })
  assert.equal(tunnelled.length, 1)
  assert.equal(server.statuses.length, 2)
})
