import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { helperFor } from '../../src/registry/dockerConfig.ts'
import { defaultConfigPath, parseRegistryAuth } from '../../src/registry/parseRegistryAuth.ts'
import type { RegistryAuth } from '../../src/registry/registryAuth.ts'

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
    [
      'is no JSON',
      '\n{"auths":\n{"ghcr.io": hunter2',
      /begins with "\{", but it is not a JSON object: line 3, column 13 should have a value/,
    ],
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

describe('the mistakes of a docker config in the input', () => {
  const cases: readonly (readonly [what: string, config: unknown, ...messages: readonly RegExp[]])[] = [
    [
      'are told all in one go',
      {
        auths: {
          'a.example': { auth: '!' },
          'b.example': { auth: pair('hunter2') },
          'c.example': { auth: pair('u:p') },
        },
        credsStore: 'x',
        credHelpers: { y: 'z' },
      },
      /"auth" of "a\.example"/,
      /"auth" of "b\.example"/,
      /"credsStore" and "credHelpers"/,
    ],
    ['auths that are a list', { auths: [{ auth: pair('u:hunter2') }] }, /"auths" is not a JSON object/],
    ['an entry that is a text', { auths: { 'a.example': 'u:hunter2' } }, /the entry of "a\.example" is not/],
    [
      'a password that is a number',
      { auths: { 'a.example': { password: 17 } } },
      /"password" of "a\.example" is not a text/,
    ],
    [
      'a login beside auths',
      { auths: {}, 'ghcr.io': { auth: pair('u:hunter2') } },
      /login of "ghcr\.io" stands beside "auths"/,
    ],
    [
      'a secret in place of a name',
      { auths: { 'u hunter2': { auth: '!' } } },
      /"auth" of a registry whose name is none/,
    ],
  ]
  for (const [what, value, ...messages] of cases) {
    test(what, () => {
      const { problems } = parseRegistryAuth(JSON.stringify(value), noFile)
      assert.equal(problems.length, messages.length, JSON.stringify(problems))
      for (const [index, message] of messages.entries()) assert.match(problems[index]?.message ?? '', message)
      assert.ok(problems.every(({ severity, remedy }) => severity === 'error' && remedy !== undefined))
      assert.doesNotMatch(JSON.stringify(problems), /hunter2/)
    })
  }

  test('what docker itself takes is none', () => {
    for (const text of ['{}', '{"auths":null,"credsStore":""}', '{"auths":{"a.example":{"auth":null}},"psFormat":"x"}'])
      assert.deepEqual(parseRegistryAuth(text, noFile).problems, [], text)
  })
})

describe('a registry', () => {
  test('is the same in any spelling of its name, and the Hub by any of its names', () => {
    const found: readonly (readonly [input: string, image: string])[] = [
      [JSON.stringify({ auths: { 'docker.io': { auth: pair('u:p') } } }), 'nginx'],
      [JSON.stringify({ auths: { 'https://registry-1.docker.io': { auth: pair('u:p') } } }), 'docker.io/acme/shop'],
      ['https://index.docker.io/v1/ u p', 'acme/shop'],
      ['GHCR.IO u p', 'ghcr.io/acme/shop'],
      ['localhost u p', 'localhost/shop'],
      ['[::1]:5000 u p', '[::1]:5000/shop'],
    ]
    for (const [input, image] of found) assert.match(sent(authOf(input), image) ?? '', /"username":"u"/, input)
    for (const twice of ['docker.io u p\nindex.docker.io u q', 'ghcr.io u p\nhttps://GHCR.io u q']) {
      assert.match(parseRegistryAuth(twice, noFile).problems[0]?.message ?? '', /^line 2 .* an earlier line names too/)
    }
  })

  test('that no image could name is a mistake, and nothing of its line is shown', () => {
    for (const text of [
      '- ghcr.io hunter2 x',
      'docker login -u hunter2',
      'ghcr.io: u hunter2',
      'dockerhub u hunter2',
    ]) {
      const { problems } = parseRegistryAuth(text, noFile)
      assert.match(problems[0]?.message ?? '', /^line 1 of "registry-auth" does not begin with a registry/, text)
      assert.doesNotMatch(JSON.stringify(problems), /hunter2/)
    }
  })
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
    const twice = JSON.stringify({ auths: { 'a.example': { auth: '!' }, 'b.example': 1 } })
    assert.match(
      parseRegistryAuth(undefined, file(twice)).problems[0]?.message ?? '',
      /is not used: the "auth" of "a\.example" .*; the entry of "b\.example"/,
    )
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
    [
      ...new Set(
        authOf(config)
          .secrets()
          .map(([, secret]) => secret),
      ),
    ].sort(),
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
