// A run that tells GitHub nothing does not pay for the client.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

test('the client of GitHub is loaded with the first thing that is to be told, and not before', () => {
  // Whether a module was loaded shows in what Node has looked up: every load passes the hook.
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    const isLoaded = () => loaded.some((url) => /@octokit|@actions\\/github/.test(url))
    const { connectGitHub } = await import(process.env.GITHUB_MODULE)
    await import(process.env.RUN_MODULE)
    const before = isLoaded()
    await connectGitHub({ token: 'x', apiUrl: undefined, owner: 'acme', repo: 'shop' })
    console.log(JSON.stringify([before, isLoaded()]))`
  const answer = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: {
      PATH: process.env.PATH,
      GITHUB_MODULE: new URL('../../src/github/gitHub.ts', import.meta.url).href,
      RUN_MODULE: new URL('../../src/run.ts', import.meta.url).href,
    },
    encoding: 'utf8',
  })
  assert.deepEqual(JSON.parse(answer), [false, true])
})
