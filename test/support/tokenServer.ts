// A server of tokens for a registry, as Docker's token authentication wants one: `node tokenServer.ts PORT FOLDER`. The folder holds
// key.pem, crt.pem and login.json. Says on its standard output who asked, in which way, and what for: `basic alice repository:shop/web:pull`.
// Source: distribution/distribution docs/spec/auth (token.md, oauth.md, jwt.md).
import crypto from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'

/** What registry and server have in common. */
export const TOKENS = { issuer: 'bed', service: 'bed-registry' }

/** Whoever has this identity token is the login's user. */
export function identityTokenOf(login: { readonly username: string; readonly password: string }): string {
  return `identity-of-${login.username}-${login.password}`
}

if (process.argv[1] === import.meta.filename) {
  const [, , port, folder = ''] = process.argv
  const read = (file: string): string => fs.readFileSync(path.join(folder, file), 'utf8')
  serve(Number(port), read('key.pem'), read('crt.pem'), JSON.parse(read('login.json')))
}

// --- Internal helpers ---

function serve(port: number, key: string, certificate: string, login: { username: string; password: string }): void {
  const x5c = [new crypto.X509Certificate(certificate).raw.toString('base64')]
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const tokenFor = (scopes: readonly string[]): string => {
    const now = Math.floor(Date.now() / 1000)
    const access = scopes.map((scope) => {
      const [type = '', name = '', actions = ''] = /^(\w+):(.+):([^:]*)$/.exec(scope)?.slice(1) ?? []
      return { type, name, actions: actions.split(',') }
    })
    const claims = {
      iss: TOKENS.issuer,
      aud: TOKENS.service,
      sub: login.username,
      nbf: now - 60,
      exp: now + 300,
      access,
    }
    const text = `${part({ typ: 'JWT', alg: 'RS256', x5c })}.${part({ ...claims, jti: crypto.randomUUID() })}`
    return `${text}.${crypto.sign('sha256', Buffer.from(text), key).toString('base64url')}`
  }
  const basic = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { searchParams } = new URL(request.url ?? '/', 'http://bed')
    const fields = request.method === 'POST' ? new URLSearchParams(body) : searchParams
    const grant = fields.get('grant_type') ?? 'basic'
    const allowed =
      grant === 'refresh_token'
        ? fields.get('refresh_token') === identityTokenOf(login)
        : request.headers.authorization === basic
    const scopes = fields.getAll('scope').flatMap((scope) => scope.split(' '))
    console.log(`${grant} ${allowed ? login.username : 'nobody'} ${scopes.join(' ')}`)
    const token = allowed ? tokenFor(scopes.filter((scope) => scope !== '')) : ''
    response.writeHead(allowed ? 200 : 401, { 'content-type': 'application/json' })
    const answer = { token, access_token: token, expires_in: 300, scope: scopes.join(' ') }
    response.end(JSON.stringify(allowed ? answer : { details: 'incorrect username or password' }))
  })
  server.listen(port, '127.0.0.1')
}
