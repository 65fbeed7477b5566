import type { Engine } from '../engine/engine.ts'
import { removeObject } from './removeObject.ts'
import type { Writing } from './writing.ts'

/** The driver is `overlay` where none is given. Without labels: it belongs to no stack, and outlives all. */
export async function createOverlayNetwork(
  engine: Engine,
  name: string,
  driver: string,
  attachable: boolean,
): Promise<void> {
  await engine.createNetwork({ Name: name, Driver: driver || 'overlay', Attachable: attachable })
}

/** By exact name; one that is not there is gone already. */
export async function removeOverlayNetwork(name: string, writing: Writing): Promise<void> {
  const { engine, settings } = writing
  // The filter matches prefixes.
  const networks = await engine.listNetworks({ name: [name] }, { signal: settings.signal })
  const found = networks.find((network) => network.Name === name)
  if (found !== undefined) await removeObject({ kind: 'network', id: found.Id, name }, writing)
}
