import type { Outcome } from './outcome.ts'
import { summaryOf } from './summary.ts'

/** GitHub takes 65,536 characters for a comment, and no character is less than a byte. */
const LONGEST = 64_000

/** The first line of a stack's comment, which no reader sees: by it the next run finds the comment again. */
export function commentMarker(stack: string, environment: string | undefined): string {
  // Encoded, so that a name can't end the HTML comment.
  return `<!-- swarm-stack-deploy ${[stack, environment ?? ''].map(encodeURIComponent).join('/')} -->`
}

/** The outcome for a pull request: the summary without anything that a container wrote, cut to fit. */
export function commentOf(outcome: Outcome, marker: string, runUrl: string | undefined): string {
  const end = runUrl === undefined ? '' : `\n[The run](${encodeURI(runUrl)})\n`
  const head = `${marker}\n`
  const room = LONGEST - Buffer.byteLength(head + end)
  return `${head}${summaryOf(withoutContainerOutput(outcome), room)}${end}`
}

// --- Internal helpers ---

/** A job's log has readers that a pull request may not have the same: what containers print stays there. */
function withoutContainerOutput(outcome: Outcome): Outcome {
  return {
    ...outcome,
    services: outcome.services.map((service) =>
      service.diagnosis === undefined
        ? service
        : {
            ...service,
            diagnosis: {
              ...service.diagnosis,
              tasks: service.diagnosis.tasks.map((task) => ({
                ...task,
                logs: [],
                logsNote: undefined,
                health: undefined,
                healthNote: undefined,
              })),
            },
          },
    ),
  }
}
