/** A workflow command as the runner understood it, such as `::error file=stack.yml,line=3::text`. */
export interface WorkflowCommand {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly text: string
}

export interface ActionResult {
  readonly code: number
  readonly signal: NodeJS.Signals | null
  /** The log as GitHub shows it: masked, groups as `▼ title`, annotations as `Error: …`, without colours; stdout and stderr together. */
  readonly log: string
  /** The same lines as the action wrote them, `::add-mask::` with its secret included. */
  readonly raw: string
  readonly commands: readonly WorkflowCommand[]
  /** What was masked, longest first. */
  readonly masks: readonly string[]
  readonly outputs: Readonly<Record<string, string>>
  readonly state: Readonly<Record<string, string>>
  /** The job summary's Markdown. */
  readonly summary: string
  readonly durationMs: number
}

export interface ActionOptions {
  /** By the names of action.yml; what is not given has its default. */
  readonly inputs?: Readonly<Record<string, string>>
  /** The checkout: an existing folder. */
  readonly workspace: string
  /** Further variables of the step; they win over everything else. PATH is the only one inherited. */
  readonly env?: Readonly<Record<string, string>>
  /** Default: a push to acme/shop. */
  readonly event?: { readonly name?: string; readonly repository?: string; readonly payload?: unknown }
  /** Called with each line of the log as it is shown. */
  readonly onLine?: (line: string) => void
  /** The program. Default: `$SWARM_ACTION_ENTRY`, else dist/index.js. */
  readonly entry?: string
}

export interface RunningAction {
  readonly done: Promise<ActionResult>
  kill(signal: NodeJS.Signals): boolean
  /** As GitHub cancels: SIGINT, 7.5 s later SIGTERM, 2.5 s later SIGKILL. */
  cancel(): Promise<ActionResult>
  /** The first line, raw, with this text; rejects if the action ends without one. */
  untilLine(pattern: string | RegExp, timeoutMs?: number): Promise<string>
}

/** Runs the action to its end; a non-zero exit code does not reject. Rejects if it wrote an output file the runner would refuse. */
export declare function runAction(options: ActionOptions): Promise<ActionResult>

/** Starts the action, for tests that cancel it or act while it runs. */
export declare function startAction(options: ActionOptions): RunningAction
