import type { WorkflowCommand } from './runner.mjs'

/** The workflow command in a line of a step's output, as the runner reads it. */
export declare function parseCommand(line: string): WorkflowCommand | undefined

/** Collects a step's lines into its commands, its masks, and the log as it is shown. */
export declare function readLog(): {
  readonly commands: readonly WorkflowCommand[]
  readonly masks: readonly string[]
  readonly lines: readonly string[]
  /** Takes one line and gives back what the log shows for it, if anything. */
  add(line: string): string | undefined
}

/** Reads a file of outputs or states; throws where the runner would fail the step. */
export declare function parseFileCommands(text: string): Readonly<Record<string, string>>
