import { withReferenceIds } from '../../src/convert/references.ts'
import type { StackSpec } from '../../src/convert/stackSpec.ts'
import { type Sent, standInId } from './dockerCli.ts'

/** What a client without own labels sends for a spec to a swarm that has all it references. */
export function sentFor({ networks, secrets, configs, services }: StackSpec): Sent {
  const created = (objects: StackSpec['networks'] | StackSpec['secrets'] | StackSpec['configs']) =>
    Object.fromEntries(objects.flatMap((object) => (object.external ? [] : [[object.name, object.spec]])))
  const ids = {
    secrets: new Map(secrets.map(({ name }) => [name, standInId('secret', name)])),
    configs: new Map(configs.map(({ name }) => [name, standInId('config', name)])),
  }
  return {
    networks: created(networks),
    secrets: created(secrets),
    configs: created(configs),
    services: Object.fromEntries(services.map(({ name, spec }) => [name, withReferenceIds(spec, ids)])),
  }
}
