import { EngineError, type EngineErrorKind } from '../../src/engine/engine.ts'

export function fault(kind: EngineErrorKind, status: number, message: string): EngineError {
  return new EngineError(kind, status, message)
}

export function outOfSequence(): EngineError {
  return fault('version-conflict', 500, 'update out of sequence')
}

/** By id or exact name. */
export function known<T extends { readonly ID: string; readonly Spec: { readonly Name?: string } }>(
  store: ReadonlyMap<string, T>,
  idOrName: string,
  kind: string,
): T {
  const found = store.get(idOrName) ?? [...store.values()].find(({ Spec }) => Spec.Name === idOrName)
  if (found === undefined) throw fault('not-found', 404, `${kind} ${idOrName} not found`)
  return found
}
