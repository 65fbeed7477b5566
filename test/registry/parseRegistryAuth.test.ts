import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { helperFor } from '../../src/registry/dockerConfig.ts'
import { defaultConfigPath, parseRegistryAuth } from '../../src/registry/parseRegistryAuth.ts'
import { type RegistryAuth, secretsOf } from '../../src/registry/registryAuth.ts'

const pair = (text: string) => Buffer.from(text).toString('base64')
const noFile = () => undefined

function authOf(input: string): RegistryAuth {
  const { auth, problems } = parseRegistryAuth(input, noFile)
  assert.deepEqual(problems, [])
  return auth
}

/** What the engine will read out of a header. */
function sent(auth: RegistryAuth, image: string): string | undefined {
  const header = auth.headerFor(image)
  assert.ok(header === undefined || /^[A-Za-z0-9_-]+=*$/.test(header))
  assert.equal((header ?? '').length % 4, 0)
  return header && Buffer.from(header, 'base64url').toString()
}

const config = JSON.stringify({
  auths: {
    'https://index.docker.io/v1/': { auth: pair('hub:pass:with colon') },
    'ghcr.io': { username: 'octocat', password: 'tokén?>~' },
    'registry.example:5000': { auth: pair('u:p') },
    'https://scheme.example/v2/': { auth: pair('s:t'), username: 'ignored', password: 'ignored' },
    'token.example': { auth: pair('bot:'), identitytoken: 'id-token' },
    'bearer.example': { registrytoken: 'bearer-token' },
    'empty.example': {},
  },
})

describe('which credentials go with an image', () => {
  const cases: readonly (readonly [image: string, expected: string | undefined])[] = [
    ['nginx', '{"username":"hub","password":"pass:with colon","serveraddress":"https://index.docker.io/v1/"}'],
    ['acme/shop:1', '{"username":"hub","password":"pass:with colon","serveraddress":"https://index.docker.io/v1/"}'],
    [
      `docker.io/library/nginx@sha256:${'a'.repeat(64)}`,
      '{"username":"hub","password":"pass:with colon","serveraddress":"https://index.docker.io/v1/"}',
    ],
    ['ghcr.io/acme/shop', '{"username":"octocat","password":"tokén?>~","serveraddress":"ghcr.io"}'],
    ['registry.example:5000/x', '{"username":"u","password":"p","serveraddress":"registry.example:5000"}'],
    ['registry.example/x', undefined],
    ['registry.example:5001/x', undefined],
    ['scheme.example/x', '{"username":"s","password":"t","serveraddress":"https://scheme.example/v2/"}'],
    ['token.example/x', '{"username":"bot","serveraddress":"token.example","identitytoken":"id-token"}'],
    ['bearer.example/x', '{"serveraddress":"bearer.example","registrytoken":"bearer-token"}'],
    ['empty.example/x', undefined],
    ['quay.io/x', undefined],
    ['', undefined],
    ['NOT AN IMAGE', undefined],
  ]
  for (const [image, expected] of cases) {
    test(image || 'no image', () => assert.equal(sent(authOf(config), image), expected))
  }

  test('the header is base64url with padding', () => {
    assert.match(authOf('a.example u ???>>>~~~').headerFor('a.example/x') ?? '', /_/)
    assert.match(authOf('a.example u ppp').headerFor('a.example/x') ?? '', /=$/)
  })
})

describe('lines', () => {
  test('registry, username and a password that may have blanks; comments and blanks around', () => {
    const auth = authOf(
      '# logins\r\n\r\n  docker.io  hub  pass word \nghcr.io octocat token\nhttps://url.example/v2/ u p\n',
    )
    assert.equal(
      sent(auth, 'nginx'),
      '{"username":"hub","password":"pass word","serveraddress":"https://index.docker.io/v1/"}',
    )
    assert.equal(sent(auth, 'ghcr.io/a/b'), '{"username":"octocat","password":"token","serveraddress":"ghcr.io"}')
    assert.match(sent(auth, 'url.example/a') ?? '', /"username":"u"/)
  })

  test('a line in another form is named by its number, and never shown', () => {
    const { problems } = parseRegistryAuth('ghcr.io mona hunter1\nhunter2\n\nghcr.io other hunter3\n', noFile)
    assert.deepEqual(
      problems.map(({ severity, message }) => [severity, message]),
      [
        ['error', 'line 2 of "registry-auth" is not "registry username password"'],
        ['error', 'line 4 of "registry-auth" names a registry that an earlier line names too'],
      ],
    )
    assert.equal(/hunter|mona/.test(JSON.stringify(problems)), false)
  })
})

describe('a docker config in the input', () => {
  const broken: readonly (readonly [what: string, input: string, message: RegExp])[] = [
    ['is no JSON', '{"auths": {"ghcr.io": hunter2', /begins with "\{", but it is not a JSON object/],
    [
      'has an auth that is no pair',
      JSON.stringify({ auths: { 'ghcr.io': { auth: pair('hunter2') } } }),
      /the "auth" of "ghcr.io" is not/,
    ],
    [
      'has an auth without a user',
      JSON.stringify({ auths: { 'ghcr.io': { auth: pair(':hunter2') } } }),
      /the "auth" of "ghcr.io" is not/,
    ],
    ['names a store', '{"credsStore": "pass"}', /has "credsStore", and only the runner's own/],
    ['names helpers', '{"credHelpers": {"gcr.io": "gcloud"}}', /has "credHelpers"/],
  ]
  for (const [what, input, message] of broken) {
    test(`is refused if it ${what}`, () => {
      const { auth, problems } = parseRegistryAuth(input, noFile)
      assert.equal(problems.length, 1)
      assert.equal(problems[0]?.severity, 'error')
      assert.match(problems[0]?.message ?? '', message)
      assert.equal(JSON.stringify(problems).includes('hunter2'), false)
      assert.equal(auth.headerFor('ghcr.io/a/b'), undefined)
    })
  }
})

describe('the default', () => {
  const file = (text: string | undefined) => () => ({ path: '/home/me/.docker/config.json', text })

  test("is the runner's docker config, unless the input is given", () => {
    assert.match(sent(parseRegistryAuth(undefined, file(config)).auth, 'ghcr.io/a/b') ?? '', /octocat/)
    assert.match(sent(parseRegistryAuth(' ', file(config)).auth, 'ghcr.io/a/b') ?? '', /octocat/)
    assert.equal(parseRegistryAuth('none', file(config)).auth.headerFor('ghcr.io/a/b'), undefined)
    assert.equal(parseRegistryAuth('quay.io u p', file(config)).auth.headerFor('ghcr.io/a/b'), undefined)
    assert.equal(parseRegistryAuth(undefined, file(undefined)).auth.headerFor('ghcr.io/a/b'), undefined)
    assert.equal(parseRegistryAuth(undefined, noFile).auth.headerFor('ghcr.io/a/b'), undefined)
  })

  test('that can not be read is a warning with its path', () => {
    const { problems } = parseRegistryAuth(undefined, file('{'))
    assert.deepEqual(
      problems.map(({ severity }) => severity),
      ['warning'],
    )
    assert.match(problems[0]?.message ?? '', /\/home\/me\/.docker\/config.json is not used/)
  })

  test('tells which helper keeps the login for a registry', () => {
    const text = JSON.stringify({
      auths: { 'https://index.docker.io/v1/': {}, 'ghcr.io': { auth: pair('u:p') } },
      credsStore: 'desktop',
      credHelpers: { 'eu.gcr.io': 'gcloud' },
    })
    const { helpers, problems } = parseRegistryAuth(undefined, file(text))
    assert.deepEqual(problems, [])
    assert.equal(helperFor(helpers, 'eu.gcr.io'), 'gcloud')
    for (const key of ['https://index.docker.io/v1/', 'ghcr.io', 'quay.io'])
      assert.equal(helperFor(helpers, key), 'desktop')
    const without = parseRegistryAuth(undefined, file('{"credHelpers": {"https://index.docker.io/v1/": "hub"}}'))
    assert.equal(helperFor(without.helpers, 'https://index.docker.io/v1/'), 'hub')
    assert.equal(helperFor(without.helpers, 'ghcr.io'), undefined)
  })

  test('lies where docker has it', () => {
    assert.equal(defaultConfigPath({}, '/home/me'), '/home/me/.docker/config.json')
    assert.equal(defaultConfigPath({ DOCKER_CONFIG: '/tmp/d' }, '/home/me'), '/tmp/d/config.json')
  })
})

test('everything secret is known, to be masked', () => {
  assert.deepEqual(
    [...secretsOf(authOf(config))].sort(),
    [
      'bearer-token',
      'id-token',
      'p',
      'pass:with colon',
      't',
      'tokén?>~',
      pair('hub:pass:with colon'),
      pair('octocat:tokén?>~'),
      pair('s:t'),
      pair('u:p'),
    ].sort(),
  )
})
