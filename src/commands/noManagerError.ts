import { DeployError, type FailureCode } from '../errors.ts'

/** An endpoint that was tried, and why it was not used. */
export interface FailedEndpoint {
  /** Without secrets: `ssh://deploy@manager`. */
  readonly endpoint: string
  readonly error: DeployError
}

/** What asks for a person comes before what may pass by itself. */
const gravest: readonly FailureCode[] = ['host-key', 'authentication', 'not-a-manager', 'connection']

/** None of several endpoints could be used: all of them with their reasons and remedies. */
export function noManagerError(failed: readonly FailedEndpoint[]): DeployError {
  const code = gravest.find((one) => failed.some(({ error }) => error.code === one)) ?? 'connection'
  const list = failed.map(({ endpoint, error }, index) => `(${index + 1}) ${endpoint}: ${error.message}`).join(' ')
  return new DeployError(code, `None of the ${failed.length} managers in \`host\` could be used. ${list}`, {
    problems: failed.map(({ endpoint, error }) => ({
      severity: 'error',
      code: error.code,
      message: `${endpoint}: ${error.message}`,
      remedy: error.remedy,
    })),
  })
}
