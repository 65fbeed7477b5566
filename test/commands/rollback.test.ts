// What a rollback deploys, and when there is none: the choice of a release record, its files, its names.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { chooseRelease } from '../../src/commands/chooseRelease.ts'
import { keptManifest, requireKept } from '../../src/commands/keptManifest.ts'
import { pinned } from '../../src/commands/pinned.ts'
import { loadStack } from '../../src/compose/load.ts'
import { convertStack } from '../../src/convert/convertStack.ts'
import { lastGood } from '../../src/history/lastGood.ts'
import type { ReleaseRecord } from '../../src/history/record.ts'
import { releasesOf } from '../../src/history/releases.ts'
import { IMAGE_LABEL } from '../../src/swarm/names.ts'
import { recordConfig, recordOf } from '../support/releaseRecords.ts'
import { aFileObject, aServiceObject, aStackSpec, secretReference } from '../support/stackSpecs.ts'

const digest = `sha256:${'1'.repeat(64)}`

test('without a number it is the newest before the current one that went well', () => {
  const releases = (...statuses: readonly ('deployed' | 'failed' | 'pending-install')[]) =>
    releasesOf(
      'shop',
      statuses.map((status, index) => recordConfig(index + 1, status)),
      assert.fail,
    )
  for (const [statuses, revision, expected] of [
    [['deployed', 'deployed'], undefined, 1],
    [['deployed', 'deployed', 'failed'], undefined, 2],
    [['deployed', 'failed', 'failed'], undefined, 1],
    [['deployed', 'pending-install', 'deployed'], undefined, 1],
    [['deployed', 'failed', 'deployed'], 2, 2],
    [['deployed', 'deployed'], 2, 2],
  ] as const) {
    assert.equal(chooseRelease('shop', releases(...statuses), revision).record.revision, expected)
  }
  for (const [statuses, revision, message] of [
    [[], undefined, /no release record of a stack shop/],
    [
      ['deployed'],
      undefined,
      /no revision of shop before the current one that went well: the swarm has 1 \(deployed\)/,
    ],
    [['failed', 'failed'], undefined, /the swarm has 1 \(failed\), 2 \(failed\)/],
    [['deployed'], 7, /no revision 7 of shop: the swarm has 1 \(deployed\)/],
  ] as const) {
    assert.throws(() => chooseRelease('shop', releases(...statuses), revision), { code: 'missing-resource', message })
  }
  assert.equal(lastGood(releases('deployed', 'failed'))?.record.revision, 1)
})

/** Loads what a record holds, in a workspace with these files. */
function loaded(
  record: ReleaseRecord,
  files: Readonly<Record<string, string>>,
  variables: Record<string, string> = {},
) {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'kept-'))
  try {
    for (const [file, text] of Object.entries(files)) fs.writeFileSync(path.join(workspace, file), text)
    const kept = keptManifest(record, { workspace }, [])
    const get = (name: string): string | undefined => variables[name]
    const result = loadStack({
      files: record.values.manifests,
      variables: { get, isHidden: () => false },
      readFile: kept.readFile,
      secretsAreThere: true,
    })
    return { ...result, kept: kept.problemsWith({ get }) }
  } finally {
    fs.rmSync(workspace, { recursive: true })
  }
}

test('the files of a record take the place of the workspace, but for env files', () => {
  const record = recordOf(3, {
    manifest: `services:
  web: { image: "web:\${TAG}", env_file: web.env, configs: [motd], secrets: [token, word] }
configs: { motd: { file: motd.txt } }
secrets: { token: { file: token.txt }, word: { environment: WORD } }
`,
    files: new Map([['motd.txt', Buffer.from('of then')]]),
    values: { ...recordOf(3).values, variables: ['TAG', 'WORD'] },
  })
  const { stack, problems, kept } = loaded(
    record,
    { 'stack.yml': 'services: {}', 'motd.txt': 'of now', 'web.env': 'A=b' },
    { TAG: '2' },
  )
  assert.deepEqual(
    problems.filter(({ severity }) => severity === 'error'),
    [],
  )
  assert.equal(Buffer.from(stack?.configs.get('motd')?.data ?? []).toString(), 'of then')
  assert.deepEqual(stack?.services[0]?.image, 'web:2')
  assert.deepEqual(
    kept.map(({ message }) => message),
    ['the variable WORD, of which revision 3 had a value, is not set'],
  )
  const { spec } = stack ? convertStack(stack, 'shop', { forbid: new Set() }) : assert.fail('no stack')
  assert.deepEqual(
    spec?.secrets.map((secret) => !secret.external && secret.spec.Data),
    [undefined, undefined],
  )

  const bare = loaded(record, {}, { TAG: '2', WORD: 'x' })
  const errors = bare.problems.filter(({ severity }) => severity === 'error')
  assert.deepEqual(
    errors.map(({ position, message }) => [position?.file, position?.line, /web\.env.*does not exist/.test(message)]),
    [['stack.yml', 2, true]],
  )
})

test('of several manifests each is in the record, and a variable that leads elsewhere is refused', () => {
  const record = recordOf(1, {
    manifest: 'include: [{ path: [a.yml, b.yml] }]\n',
    files: new Map([
      ['a.yml', Buffer.from('services: { web: { image: web } }\n')],
      ['b.yml', Buffer.from(`configs: { c: { file: "\${FILE}" } }\n`)],
      ['then.txt', Buffer.from('then')],
    ]),
    values: { ...recordOf(1).values, manifests: ['a.yml', 'b.yml'] },
  })
  const source = (FILE: string) => ({
    manifests: [],
    variables: [],
    files: loaded(record, { 'now.txt': 'now' }, { FILE }).files,
  })
  requireKept(record, { source: source('then.txt') })
  assert.throws(() => requireKept(record, { source: source('now.txt') }), /revision 1 does not hold now\.txt/)
})

test('images come by their digests and secrets by their names of then', () => {
  const spec = aStackSpec('shop', {
    secrets: [aFileObject('shop', 'token', 'anything')],
    services: [
      aServiceObject('shop', 'api', { image: 'api:9' }),
      aServiceObject('shop', 'web', { image: 'web', container: { Secrets: [secretReference('shop', 'token')] } }),
    ],
  })
  const values = {
    ...recordOf(2).values,
    images: new Map([
      ['api', `api:1@${digest}`],
      ['web', `web:latest@${digest}`],
    ]),
    secrets: new Map([['token', 'shop_token-0a1b2c3d']]),
  }
  const result = pinned(spec, recordOf(2, { values }))
  assert.deepEqual(result.problems, [])
  assert.ok(result.hasDigests)
  const [api, web] = result.spec.services
  assert.equal(api?.spec.TaskTemplate.ContainerSpec?.Image, `api:1@${digest}`)
  assert.deepEqual([api?.image, api?.spec.Labels?.[IMAGE_LABEL]], [`api:1@${digest}`, 'api:1'])
  assert.equal(web?.spec.Labels?.[IMAGE_LABEL], 'web')
  assert.equal(web?.spec.TaskTemplate.ContainerSpec?.Secrets?.[0]?.SecretName, 'shop_token-0a1b2c3d')
  assert.deepEqual(
    result.spec.secrets.map(({ name, external }) => [name, external]),
    [['shop_token-0a1b2c3d', true]],
  )

  const bare = pinned(spec, recordOf(2))
  assert.equal(bare.hasDigests, false)
  assert.deepEqual(
    bare.problems.map(({ severity, message }) => [severity, message]),
    [
      ['error', 'the release record of revision 2 does not say which secret of the swarm token was'],
      [
        'warning',
        'revision 2 knows no digest of the images of api (api:9), web (web): what their tags mean may have changed since',
      ],
    ],
  )
})
