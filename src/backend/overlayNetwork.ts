import { type Engine, EngineError } from '../engine/engine.ts'

/** The driver is `overlay` where none is given. Without labels: it belongs to no stack, and outlives all. */
export async function createOverlayNetwork(
  engine: Engine,
  name: string,
  driver: string,
  attachable: boolean,
): Promise<void> {
  await engine.createNetwork({ Name: name, Driver: driver || 'overlay', Attachable: attachable })
}

/** One that is not there is gone already. */
export async function removeOverlayNetwork(engine: Engine, name: string): Promise<void> {
  const found = (await engine.listNetworks({ name: [name] })).find((network) => network.Name === name)
  if (found !== undefined) await ignoringAbsence(engine.removeNetwork(found.Id))
}

/** One that is not there is gone already. */
export async function removeVolume(engine: Engine, name: string): Promise<void> {
  await ignoringAbsence(engine.removeVolume(name))
}

async function ignoringAbsence(call: Promise<void>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof EngineError) || error.kind !== 'not-found') throw error
  })
}
