import type { Variables } from '../compose/variables.ts'
import type { Inputs } from '../inputs.ts'

const HIDDEN_PREFIXES = ['INPUT_', 'ACTIONS_', 'STATE_']
const HIDDEN_NAMES: ReadonlySet<string> = new Set(['GITHUB_TOKEN', 'GH_TOKEN', 'SSH_AUTH_SOCK', 'DOCKER_AUTH_CONFIG'])

/** What the runner hands to actions, tokens and keys among it, is no manifest's business (behaviour 8 of the contract). */
export function isHiddenName(name: string): boolean {
  return HIDDEN_NAMES.has(name) || HIDDEN_PREFIXES.some((prefix) => name.startsWith(prefix))
}

/** `secrets` before `variables` before `env-file` before the step's environment. */
export function variablesOf(
  inputs: Pick<Inputs, 'secrets' | 'variables' | 'inheritEnvironment'>,
  env: Readonly<Record<string, string | undefined>>,
  envFileVariables: ReadonlyMap<string, string>,
): Variables {
  const sources = [inputs.secrets, inputs.variables, envFileVariables]
  return {
    isHidden: isHiddenName,
    get(name) {
      if (isHiddenName(name)) return undefined
      const source = sources.find((one) => one.has(name))
      if (source !== undefined) return source.get(name)
      // Own properties only: a variable may be called `constructor`.
      return inputs.inheritEnvironment && Object.hasOwn(env, name) ? env[name] : undefined
    },
  }
}
