import { DeployError } from '../errors.ts'

/** The DeployError that something thrown is, or that an agent's mark of an unsent request is about. */
export function deployErrorOf(error: unknown): DeployError | undefined {
  if (error instanceof DeployError) return error
  return error instanceof Error && error.cause instanceof DeployError ? error.cause : undefined
}
