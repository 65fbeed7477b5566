import fs from 'node:fs'
import path from 'node:path'
import { setSecret } from '@actions/core'
import { WriteJournal } from './backend/journal.ts'
import type { CommandContext, CommandResult } from './commands/context.ts'
import { createDeadline, type Deadline } from './commands/deadline.ts'
import { deploy } from './commands/deploy.ts'
import { becauseOf, brokenOff, isUnfinished } from './commands/ending.ts'
import { listenForInterruption } from './commands/interruption.ts'
import { list } from './commands/list.ts'
import { checkOffline, offlineLogin, problemsFoundBy } from './commands/offline.ts'
import { patience } from './commands/patience.ts'
import { plan } from './commands/plan.ts'
import { createProgress } from './commands/progress.ts'
import { remove } from './commands/remove.ts'
import { rollback } from './commands/rollback.ts'
import { status } from './commands/status.ts'
import { DeployError, messageOf, type Problem } from './errors.ts'
import { connectGitHub } from './github/gitHub.ts'
import { createReporter, type Reporter } from './github/reporter.ts'
import { type Command, type Inputs, type ReadInputs, readInputs } from './inputs.ts'
import { readRegularFile } from './regularFile.ts'
import { logOutcome } from './report/finalLog.ts'
import { createLog } from './report/log.ts'
import { createMasking } from './report/masking.ts'
import type { Outcome } from './report/outcome.ts'
import { createRedactor } from './report/redactor.ts'
import { scrub, scrubAll } from './report/scrub.ts'
import { exitCodeOf } from './report/status.ts'
import { unwritableOutputs, writeReport } from './report/writeReport.ts'
import { steadyNow } from './steadyNow.ts'

/** Between the runner's SIGINT and its SIGTERM lie 7.5 s: the work gets so long (ms) to stop, the report has the rest. */
const GRACE = 4000

interface Job {
  readonly run: (context: CommandContext) => Promise<CommandResult>
  /** What can be checked before a connection is made: asked by itself where the inputs have mistakes. */
  readonly check: (context: CommandContext) => unknown
}

const COMMANDS: Readonly<Record<Command, Job>> = {
  deploy: { run: deploy, check: checkOffline },
  plan: { run: plan, check: checkOffline },
  list: { run: list, check: offlineLogin },
  remove: { run: remove, check: offlineLogin },
  rollback: { run: rollback, check: offlineLogin },
  status: { run: status, check: offlineLogin },
}

/** Where Swarm mounts the secrets of a service: what is there belongs to the runner. */
const MOUNTED_SECRETS = '/run/secrets'

/** Runs the action in a process: reads its environment, speaks on its standard output, and answers the exit code. */
export async function run(host: NodeJS.Process, mountedSecrets = MOUNTED_SECRETS): Promise<number> {
  const startedAt = steadyNow()
  const { env } = host
  const workspace = path.resolve(env.GITHUB_WORKSPACE || host.cwd())
  // Whoever reads the log may go away, or the disk be full: no reason to break off a deployment, nor to miss its outputs.
  host.stdout.on('error', () => {})
  const redactor = createRedactor()
  // The runner's log is no terminal and shows colours; for whoever wants none there is a convention: no-color.org.
  const log = createLog({ redactor, write: (text) => host.stdout.write(text), hasColours: !env.NO_COLOR })
  const warnings: Problem[] = []
  const warn = (problem: Problem): void => {
    warnings.push(problem)
    log.problem(problem)
  }
  const mask = createMasking(redactor, setSecret, warn)
  const interruption = listenForInterruption(host, GRACE)
  // What broke off must not go on writing while its end is told.
  const broken = new AbortController()
  let reporter: Reporter | undefined
  const progress = createProgress((stack, doing) => reporter?.progress(stack, scrub(redactor, doing)))
  let deadline: Deadline | undefined
  const journal = new WriteJournal(() => deadline?.restart())

  const contextOf = (inputs: Inputs, bound: Deadline): CommandContext => ({
    inputs,
    env,
    workspace,
    mountedSecrets,
    log,
    mask,
    redact: redactor.redact,
    warn,
    journal,
    deadline: bound,
    progress,
    cancelled: AbortSignal.any([interruption.signal, broken.signal]),
  })
  const work = async (): Promise<CommandResult> => {
    const { inputs, draft, isManifestKnown, gitHub, errors } = inputsOf(env, workspace, mask, warn)
    reporter = createReporter(gitHub, () => connectGitHub(gitHub))
    progress.doing = 'reading the inputs and the manifest'
    progress.stackName = gitHub.stackName
    const known = inputs ?? draft
    if (known !== undefined) {
      deadline = createDeadline(known.timeout)
      progress.command = known.command
      summary = known.summary
    }
    const outputs = unwritableOutputs(env, fs.appendFileSync)
    if (outputs !== undefined) errors.push(outputs)
    if (inputs !== undefined && deadline !== undefined && errors.length === 0)
      return COMMANDS[inputs.command].run(contextOf(inputs, deadline))
    const check = known === undefined || !isManifestKnown ? offlineLogin : COMMANDS[known.command].check
    const more = known === undefined || deadline === undefined ? [] : problemsFoundBy(check, contextOf(known, deadline))
    const told = new Set(errors.map(({ message }) => message))
    throw new DeployError(errors[0]?.code ?? 'input', 'The inputs have mistakes, so nothing was sent anywhere.', {
      problems: [...errors, ...more.filter(({ message }) => !told.has(message))],
    })
  }
  let summary = true
  let result: CommandResult
  try {
    result = await Promise.race([
      work(),
      interruption.graceOver.then(() => Promise.reject(interruption.signal.reason)),
      stray(host),
    ])
  } catch (error) {
    broken.abort(error)
    progress.changes = journal.written()
    result = brokenOff(error, journal, {
      cancelled: interruption.signal.aborted,
      late: deadline?.passed ?? false,
      doing: progress.doing,
      command: progress.command,
      wayBack: progress.wayBack,
      isRestoring: progress.restored !== undefined,
    })
    if (result.failure?.code === 'internal' && error instanceof Error) log.debug(error.stack ?? '')
  }
  deadline?.clear()
  result = becauseOf(progress.outage, result)

  const outcome: Outcome = {
    ...progress,
    ...result,
    durationMs: steadyNow() - startedAt,
    warnings,
    writes: isUnfinished(result.status, journal) ? journal.report() : undefined,
  }
  const report = (told: Outcome): void => {
    logOutcome(log, redactor, told)
    const { skipped, problems } = writeReport(told, { env, redactor, summary, append: fs.appendFileSync })
    skipped.forEach(log.info)
    // An error that ended the run is told already.
    const isTold = ({ message }: Problem): boolean =>
      told.failure?.problems.some((one) => one.message === message) ?? false
    for (const problem of problems) if (!isTold(problem)) log.problem(problem)
  }
  try {
    report(outcome)
  } catch (error) {
    report(bare(outcome, error))
  }
  const notice = await reporter?.end(scrubAll(redactor, outcome), patience(interruption)).catch(untold)
  if (notice !== undefined) log.notice(notice)
  // Not before: a signal that nobody listens to would end the process in the middle of its report.
  interruption.dispose()
  return exitCodeOf(outcome.status)
}

/** The outcome without anything that came from elsewhere and that the report may have stumbled over. */
function bare({ status, durationMs, writes }: Outcome, error: unknown): Outcome {
  const message = `The end of this run could not be reported in full: ${messageOf(error)}`
  return {
    status,
    durationMs,
    writes,
    changes: [],
    services: [],
    warnings: [],
    failure: exitCodeOf(status) === 0 ? undefined : { code: 'internal', message, problems: [] },
  }
}

function untold(error: unknown): string {
  return `GitHub was not told how this ended: ${messageOf(error)}. The deployment is not affected.`
}

/** Rejects with what nobody caught: the run then still ends with a report. */
function stray(host: NodeJS.Process): Promise<never> {
  return new Promise((_resolve, reject) => {
    host.on('uncaughtException', reject)
  })
}

/** Masks the secrets among the inputs, says their warnings, and hands back the errors. */
function inputsOf(
  env: NodeJS.ProcessEnv,
  workspace: string,
  mask: CommandContext['mask'],
  warn: (problem: Problem) => void,
): Pick<ReadInputs, 'inputs' | 'draft' | 'isManifestKnown' | 'gitHub'> & { readonly errors: Problem[] } {
  const { inputs, draft, isManifestKnown, gitHub, problems, secretsToMask } = readInputs(env, {
    exists: (file) => fs.statSync(path.resolve(workspace, file), { throwIfNoEntry: false })?.isFile() ?? false,
    readText,
  })
  mask(secretsToMask)
  for (const problem of problems) if (problem.severity === 'warning') warn(problem)
  return { inputs, draft, isManifestKnown, gitHub, errors: problems.filter(({ severity }) => severity === 'error') }
}

function readText(file: string): string | undefined {
  try {
    return readRegularFile(file)
  } catch {
    return undefined
  }
}
