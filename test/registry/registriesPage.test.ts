// docs/registries.md: its examples are read, and the messages it shows are the ones that are said.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { Backend } from '../../src/backend/backend.ts'
import { loginRemedy, refusedLogin } from '../../src/backend/unresolved.ts'
import type { CommandContext } from '../../src/commands/context.ts'
import { credentialsOf, withHelperLogins } from '../../src/commands/credentials.ts'
import { DeployError, type Problem } from '../../src/errors.ts'
import { helperFor, parseDockerConfig } from '../../src/registry/dockerConfig.ts'
import { parseRegistryAuth } from '../../src/registry/parseRegistryAuth.ts'
import { shortLived } from '../../src/registry/shortLived.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'
import { aServiceObject, aStackSpec } from '../support/stackSpecs.ts'

const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/registries.md'), 'utf8')
const image = 'registry.example.com:5000/acme/shop:1'

function blocks(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text)
}

function assertShown({ message, remedy }: Pick<Problem, 'message' | 'remedy'>): void {
  assert.ok(page.includes(`${message}\n→ ${remedy}\n`), `${message}\n→ ${remedy}`)
}

describe('the page on registries', () => {
  test('shows logins that are read, each for images of its registry', () => {
    const steps = blocks('yaml').flatMap((text): readonly { with?: Record<string, string> }[] => parse(text))
    const inputs = steps.map((step) => step.with?.['registry-auth']).filter((input) => input !== undefined)
    assert.equal(inputs.length, 1)
    for (const input of inputs) {
      const text = input.replaceAll(/\$\{\{.*?\}\}/g, 'stand-in')
      const { auth, problems } = parseRegistryAuth(text, () => undefined)
      assert.deepEqual(problems, [])
      const registries = [...text.matchAll(/^([^#\s]+) /gm)].map(([, registry = '']) => registry)
      assert.ok(registries.length >= 6)
      for (const registry of registries) {
        const credential = auth.credentialFor(`${registry}/acme/shop:1`)
        assert.equal(credential?.password, 'stand-in', registry)
        assert.equal(shortLived(credential), undefined, `${registry} is shown as a login that lasts`)
      }
    }
  })

  test('shows a docker config with helpers', () => {
    const [text = ''] = blocks('json')
    const config = parseDockerConfig(text)
    assert.ok('helpers' in config)
    assert.equal(helperFor(config.helpers, '123456789012.dkr.ecr.eu-west-1.amazonaws.com'), 'ecr-login')
    assert.equal(helperFor(config.helpers, 'ghcr.io'), 'pass')
  })

  test('lists the logins that end', () => {
    for (const username of ['AWS', 'oauth2accesstoken', '00000000-0000-0000-0000-000000000000', 'gitlab-ci-token']) {
      assert.match(page, new RegExp(`^\\| .*\`${username}\``, 'm'))
      assert.ok(shortLived({ username, password: 'x' }) !== undefined, username)
    }
    assert.ok(shortLived({ username: 'octocat', password: 'ghs_x' }) !== undefined)
  })

  test('shows what is said of helpers and of logins that end', async () => {
    const said: Problem[] = []
    const context = (registryAuth: string | undefined): CommandContext =>
      ({
        env: { PATH: '' },
        workspace: '/nowhere',
        inputs: { registryAuth },
        mask: () => {},
        warn: (problem: Problem) => said.push(problem),
        cancelled: new AbortController().signal,
        deadline: { signal: new AbortController().signal },
        progress: {},
      }) as unknown as CommandContext
    const [config = ''] = blocks('json')
    const parsed = parseRegistryAuth(undefined, () => ({ path: 'config.json', text: config }))
    await withHelperLogins(context(undefined), parsed, { services: [aServiceObject('shop', 'web', { image })] })
    const short = context('ghcr.io octocat ghs_x')
    const services = [aServiceObject('shop', 'web', { image: 'ghcr.io/acme/shop:1' })]
    await withHelperLogins(short, credentialsOf(short), { services })
    assert.equal(said.length, 2)
    said.forEach(assertShown)
    const [refusal] = parseRegistryAuth('{"credsStore": "pass"}', () => undefined).problems
    assert.ok(refusal !== undefined)
    assertShown(refusal)
  })

  test('shows what is said of a registry that does not answer, and of a login that it refuses', async () => {
    const down = `The engine could not look up image ${image} (HTTP 500): Get "http://registry.example.com:5000/v2/": dial tcp 192.0.2.7:5000: connect: connection refused`
    const swarm = createMemorySwarm()
    const stack = aStackSpec('shop', { services: [aServiceObject('shop', 'web', { image })] })
    const said: Problem[] = []
    swarm.failNext('inspectDistribution', 'refused', { message: down })
    await new Backend(swarm.engine, { warn: (problem) => said.push(problem) }).deployStack(stack, 'always')
    assert.equal(said.length, 1)
    said.forEach(assertShown)
    swarm.failNext('inspectDistribution', 'refused', { message: down })
    await assert.rejects(new Backend(swarm.engine, { strictImages: true }).deployStack(stack, 'always'), DeployError)

    const refused = { reason: '', login: 'refused' } as const
    const missing = { reason: '', login: 'missing' } as const
    assert.ok(page.includes(refusedLogin(image, refused) ?? 'nothing'))
    assert.ok(page.includes(`→ ${loginRemedy(image, refused)}\n`))
    assert.ok(page.includes(refusedLogin(image, missing)?.replace('registry.example.com:5000', '…') ?? 'nothing'))
  })
})
