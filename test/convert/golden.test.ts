// What our conversion makes of the manifests in test/fixtures/convert, held against what the docker CLI 28.2.2 sent for them
// to a stand-in manager: `node test/support/captureGoldens.ts` writes the goldens anew.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadStack } from '../../src/compose/load.ts'
import { workspaceFiles } from '../../src/compose/workspaceFiles.ts'
import { convertStack } from '../../src/convert/convertStack.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { type GoldenFixture, goldenFixtures, goldenOf } from '../support/convertFixtures.ts'
import { printExactly, type Sent } from '../support/dockerCli.ts'
import { sentFor } from '../support/sentFor.ts'

/** Where the docker CLI loses what the manifest says, and we do not: what we send instead. */
const kept: Readonly<Record<string, (sent: Sent) => void>> = {
  // docker's decoder has no name for oom_score_adj.
  everything: (sent) => Object.assign(containerOf(sent, 'shop_full'), { OomScoreAdj: -500 }),
}

function containerOf({ services }: Sent, name: string): object {
  const service = services[name] as { TaskTemplate: { ContainerSpec: object } } | undefined
  assert.ok(service)
  return service.TaskTemplate.ContainerSpec
}

function convert({ directory, files, environment }: GoldenFixture): StackSpec {
  const { stack, problems } = loadStack({
    files,
    folder: directory,
    readFile: workspaceFiles({ workspace: directory }),
    variables: { get: (name) => environment[name], isHidden: () => false },
    home: environment.HOME,
  })
  assert.ok(stack, problems.map(({ message }) => message).join('\n'))
  const converted = convertStack(stack, 'shop')
  assert.ok(converted.spec, converted.problems.map(({ message }) => message).join('\n'))
  return converted.spec
}

for (const fixture of goldenFixtures()) {
  test(`${fixture.name}: what docker stack deploy sends`, () => {
    const { networks, secrets, configs, services } = goldenOf(fixture)
    const golden: Sent = { networks, secrets, configs, services }
    kept[fixture.name]?.(golden)
    const ours = sentFor(convert(fixture))
    assert.deepEqual(ours, golden)
    // Not only the same values: the same bytes, where docker has an order.
    if (kept[fixture.name] === undefined) {
      for (const kind of ['networks', 'secrets', 'configs', 'services'] as const) {
        for (const [name, body] of Object.entries(golden[kind])) {
          assert.equal(printExactly(ours[kind][name]), printExactly(body), name)
        }
      }
    }
  })
}
