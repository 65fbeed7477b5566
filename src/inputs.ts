// The environment's `INPUT_*` become one readonly value, or all the problems at once.

import type { Forbiddable } from './convert/forbidden.ts'
import type { Problem } from './errors.ts'
import { type ConnectionInputs, connectionInputs } from './inputs/connection.ts'
import { type EventFacts, eventFacts } from './inputs/event.ts'
import { unknownInputs } from './inputs/foreignNames.ts'
import { type GitHubInputs, gitHubInputs } from './inputs/gitHub.ts'
import { defaultManifest } from './inputs/manifestDefault.ts'
import { createReader, type Environment, type Reader } from './inputs/reader.ts'
import { type SecretToMask, secretsToMask } from './inputs/secretsToMask.ts'
import { stackNameProblem } from './inputs/stackName.ts'
import { INPUTS, type InputName, type InputValue } from './inputs/table.ts'
import { isHiddenName } from './inputs/variables.ts'

export type Command = InputValue<'command'>

/** Durations are milliseconds. */
export interface Inputs extends ConnectionInputs {
  readonly command: Command
  /** As given; undefined where the manifest's `name:`, or else `repositoryName`, decides. */
  readonly stackName: string | undefined
  /** The repository's name without its owner. Not checked: use `stackNameProblem` on the name that wins. */
  readonly repositoryName: string | undefined
  /** `owner/repository`, or undefined where the run belongs to none. */
  readonly repository: string | undefined
  /** Paths relative to the workspace; at least one for a command that deploys. */
  readonly manifest: readonly string[]
  readonly envFiles: readonly string[]
  readonly variables: ReadonlyMap<string, string>
  readonly secrets: ReadonlyMap<string, string>
  readonly inheritEnvironment: boolean
  /** The manifest's keys of the services to write; undefined means all. Not checked against the manifest. */
  readonly services: readonly string[] | undefined
  readonly resolveImage: 'always' | 'changed' | 'never'
  /** Refuse where a digest can't be resolved. */
  readonly strictImages: boolean
  /** As given; undefined means `~/.docker/config.json`. */
  readonly registryAuth: string | undefined
  /** Changed configs and secrets get a new name. */
  readonly rotate: boolean
  /** Remove what left the manifest. Never together with `services`. */
  readonly prune: boolean
  /** Which services to restart even if nothing changed: all, none, or these keys of the manifest. */
  readonly force: boolean | readonly string[]
  /** Names of secrets that no manifest may use. */
  readonly protectedSecrets: readonly string[]
  /** Take over a stack that another repository owns. */
  readonly adopt: boolean
  /** The id of the plan that was approved; undefined takes any. */
  readonly expectPlan: string | undefined
  readonly removeVolumes: boolean
  /** A folder of the nodes for relative bind sources. */
  readonly bindRoot: string | undefined
  readonly forbid: ReadonlySet<Forbiddable>
  readonly wait: boolean
  readonly timeout: number
  /** Undefined means each service's own. */
  readonly monitor: number | undefined
  /** 0 never gives up before `timeout`. */
  readonly maxFailures: number
  /** What becomes of the services that a failed deployment has written. */
  readonly onFailure: 'none' | 'rollback'
  /** The release record that `command: rollback` goes back to; undefined means the newest that did not fail before the current one. */
  readonly revision: number | undefined
  /** How many release records the swarm keeps; 0 writes none. */
  readonly history: number
  readonly logLines: number
  /** `auto` became 0 because everyone can read the log, or may be able to: say so where log lines are missing. */
  readonly logLinesHidden: boolean
  readonly summary: boolean
}

/** What reading inputs needs to know beyond the environment. */
export interface InputContext {
  /** Whether a path, relative to the workspace, is a regular file there. */
  exists(path: string): boolean
  /** The text of the file at `GITHUB_EVENT_PATH`; undefined where it can't be read. */
  readText(path: string): string | undefined
}

export interface ReadInputs {
  /** Absent where one of the problems is an error. */
  readonly inputs?: Inputs | undefined
  /** Where `inputs` is absent: with defaults for what is faulty, so that the rest can be checked too. */
  readonly draft?: Inputs | undefined
  /** Whether a manifest can be checked by the draft; of one that may be another than is meant, nothing true can be said. */
  readonly isManifestKnown: boolean
  readonly problems: readonly Problem[]
  /** What GitHub is told, also of a run whose inputs have mistakes. */
  readonly gitHub: GitHubInputs
  /** Secret values, to be masked before anything is printed, the problems included. */
  readonly secretsToMask: readonly SecretToMask[]
}

const AUTO_LOG_LINES = 30

/** Where one of these is faulty, what a manifest says is a guess. */
const MANIFEST_INPUTS: readonly InputName[] = ['manifest', 'env-file', 'variables', 'secrets', 'inherit-environment']

/** Reads and checks all inputs. Nothing but `context` is touched, and no connection is made. */
export function readInputs(env: Environment, context: InputContext): ReadInputs {
  const reader = createReader(env)
  reader.problems.push(...unknownInputs(env))
  const event = eventFacts(env.GITHUB_EVENT_NAME, env.GITHUB_EVENT_PATH && context.readText(env.GITHUB_EVENT_PATH))
  checkEvent(reader, env, event)
  const variables = variableMap(reader, 'variables')
  const secrets = variableMap(reader, 'secrets')
  const command = reader.value('command')
  const inputs: Inputs = {
    ...connectionInputs(reader, env),
    ...time(reader, command),
    ...logTail(reader, env, event),
    command,
    stackName: stackName(reader, command),
    repository: env.GITHUB_REPOSITORY || undefined,
    repositoryName: env.GITHUB_REPOSITORY?.split('/').at(-1) || undefined,
    manifest: manifestFiles(reader, context, command),
    envFiles: reader.value('env-file') ?? [],
    variables: variables ?? new Map(),
    secrets: secrets ?? new Map(),
    inheritEnvironment: reader.value('inherit-environment'),
    ...part(reader, command),
    resolveImage: reader.value('resolve-image'),
    strictImages: reader.value('strict-images'),
    registryAuth: reader.value('registry-auth'),
    rotate: reader.value('rotate'),
    protectedSecrets: reader.value('protected-secrets') ?? [],
    adopt: reader.value('adopt'),
    expectPlan: expectPlan(reader, command),
    removeVolumes: removeVolumes(reader, command),
    bindRoot: reader.value('bind-root'),
    forbid: reader.value('forbid') ?? new Set(),
    history: reader.value('history'),
    revision: revision(reader, command),
    summary: reader.value('summary'),
  }
  const gitHub = gitHubInputs(reader, env, event)
  // What this command has no use for may be mistaken too.
  for (const name of Object.keys(INPUTS) as InputName[]) reader.value(name)
  const masks = secretsToMask(reader, secrets)
  const { problems } = reader
  const refused = problems.some((one) => one.severity === 'error')
  if (!refused) return { inputs, isManifestKnown: true, problems, gitHub, secretsToMask: masks }
  const misleads =
    readsManifest(command) && (MANIFEST_INPUTS.some((name) => reader.failed(name)) || inputs.manifest.length === 0)
  const trusted = problems.every(({ severity, code }) => severity === 'warning' || code === 'input')
  return { ...(trusted ? { draft: inputs } : {}), isManifestKnown: !misleads, problems, gitHub, secretsToMask: masks }
}

// --- One group of inputs each ---

/** What the event says decides whose files are deployed, which commit gets the status, and who can read the log. */
function checkEvent(reader: Reader, env: Environment, { isKnown, head }: EventFacts): void {
  const allowed = reader.value('allow-forks')
  const payload = `its payload, $GITHUB_EVENT_PATH (${env.GITHUB_EVENT_PATH || 'not set'}),`
  if (head === 'foreign' && !allowed) {
    reader.error(
      `the event ${env.GITHUB_EVENT_NAME} is for a commit of another repository, whose files would be deployed with this one's secrets`,
      'Deploy on `push`, or on `workflow_dispatch`; `allow-forks: true` does it all the same.',
      'forbidden',
    )
  } else if (head === 'unknown' && !allowed) {
    reader.error(
      `nobody can tell whether the event ${env.GITHUB_EVENT_NAME} is for a commit of another repository, whose files would be deployed with this one's secrets: ${payload} ${isKnown ? 'does not say' : 'cannot be read, or is no JSON'}`,
      'See that the user who runs this action may read that file, which the runner writes; `allow-forks: true` deploys all the same.',
      'forbidden',
    )
  } else if (!isKnown && env.GITHUB_EVENT_PATH) {
    reader.warning(
      `what the event ${env.GITHUB_EVENT_NAME} is about is not known: ${payload} cannot be read, or is no JSON. The commit status goes to $GITHUB_SHA, and no container logs are shown unless \`log-lines\` asks for them`,
      'See that the user who runs this action may read that file, which the runner writes.',
    )
  }
}

/** The other commands need no checkout, and ignore what only this one uses. */
function readsManifest(command: Command): boolean {
  return command === 'deploy' || command === 'plan'
}

/** Whoever asks for it elsewhere may think that volumes go. */
function removeVolumes(reader: Reader, command: Command): boolean {
  const wanted = reader.value('remove-volumes')
  if (wanted && command !== 'remove') {
    reader.warning(
      `the input \`remove-volumes\` is ignored, since \`command: ${command}\` removes no stack`,
      'Leave it out, or set `command: remove`.',
    )
  }
  return wanted && command === 'remove'
}

function expectPlan(reader: Reader, command: Command): string | undefined {
  const expected = reader.value('expect-plan')
  if (expected === undefined || command === 'deploy' || command === 'rollback') return expected
  reader.warning(
    `the input \`expect-plan\` is ignored, since \`command: ${command}\` deploys nothing`,
    'Give it to the deployment that the plan was approved for.',
  )
  return undefined
}

function deploys(command: Command): boolean {
  return readsManifest(command) || command === 'rollback'
}

function revision(reader: Reader, command: Command): number | undefined {
  const number = reader.value('revision')
  if (number === 0)
    reader.error('the input `revision` is 0, and the first release record is 1', 'Name one that exists.')
  if (number !== undefined && command !== 'rollback') {
    reader.warning(
      'the input `revision` is ignored, since `command` is not `rollback`',
      'Leave it out, or set `command: rollback`.',
    )
  }
  return number
}

function stackName(reader: Reader, command: Command): string | undefined {
  const name = reader.value('stack-name')
  if (name === undefined && (command === 'remove' || command === 'rollback')) {
    reader.error(
      command === 'remove'
        ? 'the input `stack-name` is missing, and `command: remove` guesses none: what is removed is gone'
        : 'the input `stack-name` is missing, and `command: rollback` reads no manifest that could name the stack',
      'Set it to the name of the stack, as `docker stack ls` on a manager shows it.',
    )
  }
  const problem = name === undefined ? undefined : stackNameProblem(name, 'the input `stack-name`')
  if (problem !== undefined) reader.problems.push(problem)
  return name
}

function manifestFiles(reader: Reader, context: InputContext, command: Command): readonly string[] {
  if (!readsManifest(command) && command !== 'status') return []
  const files = reader.value('manifest')
  if (files !== undefined && files.length > 0) return files
  const found = defaultManifest((file) => context.exists(file))
  if (typeof found === 'string') return [found]
  // A status only gains from a manifest: names of services in their order, and their lines.
  if (command !== 'status') reader.problems.push(found)
  return []
}

/** Which part of the manifest is written, and what becomes of what is in none. */
function part(reader: Reader, command: Command) {
  const services = reader.value('services')
  const force = reader.value('force')
  const prune = reader.value('prune')
  for (const [name, names] of Object.entries({ services, force })) {
    if (Array.isArray(names) && names.length === 0)
      reader.error(`the input \`${name}\` names no service`, 'Write their names, one a line, or leave it out.')
  }
  // A status reads the manifest for its lines alone.
  if (!deploys(command)) return { services: undefined, force: false, prune: false }
  if (command === 'rollback') {
    if (services !== undefined) {
      reader.warning(
        'the input `services` is ignored, since `command: rollback` goes back with the whole stack',
        'Leave it out; `docker service rollback <service>` on a manager takes back a single one.',
      )
    }
    return { services: undefined, force, prune }
  }
  if (prune && services !== undefined) {
    reader.warning(
      'the input `prune` is ignored, since `services` is given: of a part nobody can tell what left the manifest',
      'Set `prune` where the whole manifest is deployed.',
    )
  }
  return { services, force, prune: prune && services === undefined }
}

function variableMap(reader: Reader, input: 'variables' | 'secrets'): ReadonlyMap<string, string> | undefined {
  const values = reader.value(input)
  const hidden = [...(values?.keys() ?? [])].filter(isHiddenName)
  if (hidden.length > 0) {
    const named = input === 'secrets' ? `${hidden.length} of its names` : hidden.join(', ')
    reader.error(
      `the input \`${input}\`: no manifest can see ${named}, as it can see no INPUT_*, ACTIONS_*, STATE_* and no GITHUB_TOKEN`,
      'Choose another name.',
    )
  }
  return values
}

function time(reader: Reader, command: Command) {
  const wait = reader.value('wait')
  const timeout = reader.value('timeout')
  const monitor = reader.value('monitor')
  const onFailure = reader.value('on-failure')
  if (deploys(command) && onFailure === 'rollback' && !wait && !reader.failed('wait')) {
    reader.error(
      '`on-failure: rollback` needs `wait`: what is not waited for is not known to fail',
      'Leave `wait` at `true`, or `on-failure` at `none`.',
    )
  }
  if (deploys(command) && monitor !== undefined && monitor >= timeout && !reader.failed('timeout')) {
    reader.error(
      'the input `monitor` is not less than `timeout`, so nothing could converge in time',
      'Raise `timeout`.',
    )
  }
  return { wait, timeout, monitor, maxFailures: reader.value('max-failures'), onFailure }
}

function logTail(reader: Reader, env: Environment, { isKnown, publicRepository }: EventFacts) {
  const lines = reader.value('log-lines')
  const mayBePublic = publicRepository === true || (!isKnown && Boolean(env.GITHUB_EVENT_PATH))
  const logLinesHidden = lines === 'auto' && mayBePublic
  return { logLines: lines !== 'auto' ? lines : logLinesHidden ? 0 : AUTO_LOG_LINES, logLinesHidden }
}
