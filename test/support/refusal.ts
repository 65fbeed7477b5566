import assert from 'node:assert/strict'
import { DeployError } from '../../src/errors.ts'

/** What a run was refused with. */
export async function refusal(promise: Promise<unknown>): Promise<DeployError> {
  const error = await promise.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof DeployError, String(error))
  return error
}
