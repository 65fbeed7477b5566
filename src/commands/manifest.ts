import path from 'node:path'
import type { ManifestText } from '../backend/fieldText.ts'
import { parseDotenv } from '../compose/dotenv.ts'
import { loadStack } from '../compose/load.ts'
import { manifestText } from '../compose/manifestText.ts'
import type { Stack } from '../compose/stack.ts'
import { workspaceFiles } from '../compose/workspaceFiles.ts'
import { convertStack } from '../convert/convertStack.ts'
import { partOf } from '../convert/partOf.ts'
import type { ServiceObject, StackSpec } from '../convert/stackSpec.ts'
import { DeployError, type Position, type Problem } from '../errors.ts'
import type { ReleaseSource } from '../history/recordContent.ts'
import { stackNameProblem, standInName } from '../inputs/stackName.ts'
import { isHiddenName, variablesOf } from '../inputs/variables.ts'
import { unknownServices } from './chosenServices.ts'
import type { CommandContext } from './context.ts'
import type { KeptManifest } from './keptManifest.ts'

/** What is to be deployed, all of it or the part that `services` names, and what a release record may hold of where that came from. */
export interface Manifest {
  readonly spec: StackSpec
  readonly source: ReleaseSource
  /** How the manifest writes a value; undefined for one that its files do not hold in plain text. */
  readonly manifestText: ManifestText
}

/**
 * The manifest as specs. Says warnings, and throws a DeployError with all errors, those found before among them. Touches nothing but
 * files.
 * @param kept what a release record holds, in place of the workspace's manifest
 */
export function specOf(context: CommandContext, before: readonly Problem[], kept?: KeptManifest): Manifest {
  const { inputs, env, log, progress } = context
  const readFile = workspaceFiles({ workspace: context.workspace, temporary: env.RUNNER_TEMP })
  const fromFiles = new Map<string, string>()
  const problems: Problem[] = [...before]
  for (const file of inputs.envFiles) {
    const { variables, problems: found } = parseDotenv(file, readFile, isHiddenName)
    for (const [name, value] of variables) fromFiles.set(name, value)
    problems.push(...found)
  }
  const variables = variablesOf(inputs, env, fromFiles)
  problems.push(...(kept?.problemsWith(variables) ?? []))
  const used = new Set<string>()
  const loaded = loadStack({
    files: inputs.manifest,
    variables: {
      isHidden: variables.isHidden,
      get: (name) => {
        const value = variables.get(name)
        if (value !== undefined) used.add(name)
        return value
      },
    },
    readFile: kept?.readFile ?? readFile,
    home: env.HOME,
    secretsAreThere: kept !== undefined,
  })
  maskSecrets(context, loaded)
  const withExcerpt = (problem: Problem): Problem => ({
    ...problem,
    excerpt: problem.position && loaded.excerptAt(problem.position),
  })
  const { stack, named = stack } = loaded
  const { name, source, problem } = stackName(context, named)
  // Also where there are mistakes: they are told in its name.
  if (name !== undefined && problem === undefined) progress.stackName = name
  if (problem !== undefined) problems.push(withExcerpt(problem))
  problems.push(...loaded.problems)
  if (stack === undefined) return settled<Manifest>(context, undefined, problems)
  problems.push(...unknownServices(inputs, stack))
  const { bindRoot, forbid } = inputs
  // Whatever the stack will be called, the rest can be checked.
  const namespace = name === undefined || problem !== undefined ? standInName(name) : name
  const { spec, problems: found } = convertStack(stack, namespace, { bindRoot, forbid })
  const converted = settled(context, spec, [...problems, ...found.map(withExcerpt)])
  const { length } = stack.services
  log.info(
    `Stack ${name} (${source}): ${length} ${length === 1 ? 'service' : 'services'} from ${inputs.manifest.join(', ')}`,
  )
  const part = inputs.services && partOf(converted, inputs.services)
  if (part !== undefined)
    log.info(`Only ${part.services.map(({ key }) => key).join(', ')}: \`services\` leaves the others alone`)
  const { manifests, files } = loaded
  const written = stack.written ?? { values: new Map(), texts: new Map() }
  return {
    spec: part ?? converted,
    source: { manifests, files, variables: [...used].sort() },
    manifestText: manifestText(written, files.values()),
  }
}

/** Compares services by where the manifest has them: file by file, from top to bottom; included files come last. */
export function inManifestOrder({
  inputs,
  workspace,
}: {
  readonly inputs: Pick<CommandContext['inputs'], 'manifest'>
  readonly workspace: string
}): (left: Pick<ServiceObject, 'position'>, right: Pick<ServiceObject, 'position'>) => number {
  const files = inputs.manifest.map((file) => path.relative(workspace, path.resolve(workspace, file)))
  const order = ({ file }: Position): number => (files.includes(file) ? files.indexOf(file) : files.length)
  return ({ position: left }, { position: right }) =>
    order(left) - order(right) || compare(left.file, right.file) || left.line - right.line || left.column - right.column
}

function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1
}

function settled<T>(context: CommandContext, value: T | undefined, problems: readonly Problem[]): T {
  for (const problem of problems) if (problem.severity === 'warning') context.warn(problem)
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (errors.length === 0 && value !== undefined) return value
  const [first] = errors
  // One that is about no line of the manifest says it all itself.
  if (first !== undefined && errors.length === 1 && first.position === undefined) {
    throw new DeployError(first.code, first.message, { remedy: first.remedy })
  }
  throw new DeployError(
    first?.code ?? 'manifest',
    `${errors.length === 1 ? 'A mistake' : `${errors.length} mistakes`} in what is to be deployed: nothing was ${context.inputs.command === 'rollback' ? 'written' : 'sent anywhere'}.`,
    {
      problems: errors,
      position: first?.position,
    },
  )
}

/**
 * The name of the input, else of the manifest, else of the repository; never altered.
 * @param named undefined where the manifest's cannot be read: that it has no name is not known then
 */
function stackName(
  { inputs }: CommandContext,
  named: Pick<Stack, 'name' | 'namePosition'> | undefined,
): { readonly name?: string | undefined; readonly source: string; readonly problem?: Problem | undefined } {
  if (inputs.stackName !== undefined) return checked(inputs.stackName, 'the input `stack-name`')
  if (named === undefined) return { source: 'nothing that can be read' }
  if (named.name !== undefined) {
    const { problem, ...rest } = checked(named.name, 'the top-level `name:` of the manifest')
    return { ...rest, problem: problem && { ...problem, code: 'manifest', position: named.namePosition } }
  }
  if (inputs.repositoryName !== undefined) return checked(inputs.repositoryName, "the repository's name")
  const message = 'The stack has no name: there is no `stack-name`, no `name:` in the manifest, and no repository.'
  return { source: '', problem: { severity: 'error', code: 'input', message, remedy: 'Set `stack-name`.' } }
}

function checked(name: string, source: string) {
  return { name, source, problem: stackNameProblem(name, source) }
}

/** What a `secrets.*.file` holds is a secret in every text of this run. */
function maskSecrets({ mask }: CommandContext, { secrets }: Pick<Stack, 'secrets'>): void {
  mask([...secrets].flatMap(([key, { data }]) => (data === undefined ? [] : [[`the secret ${key}`, data] as const])))
}
