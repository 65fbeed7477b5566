import type { Position, Problem } from '../errors.ts'
import { placeText, problemText } from './problems.ts'
import { type Redaction, scrub, scrubAll } from './scrub.ts'
import { bounded, cleanLine, safeLine } from './untrusted.ts'

type Severity = 'notice' | 'warning' | 'error'

interface AnnotationPlace {
  readonly title?: string | undefined
  readonly position?: Position | undefined
}

/** The step's log. Whatever is handed to it comes out redacted, printable, and unable to command the runner. */
export interface Log {
  info(text: string): void
  /** A line of a plan, in the colour of the sign that it begins with. */
  planned(text: string): void
  /** Shown only where the workflow runs with step debugging. */
  debug(text: string): void
  /** Opens a group and closes the one before: the runner knows no groups in groups. */
  group(title: string): void
  endGroup(): void
  notice(message: string, place?: AnnotationPlace): void
  warning(message: string, place?: AnnotationPlace): void
  error(message: string, place?: AnnotationPlace): void
  /** The finding as an annotation at its place. */
  problem(problem: Problem): void
  /** Closes an open group and says what did not become an annotation. */
  finish(): void
}

// GitHub shows the first ten of a kind and drops the others without a word.
const MOST_ANNOTATIONS = 10
const LONGEST_LINE = 4000
const LONGEST_ANNOTATION = 8000
/** What a terminal takes for green, yellow and red, and GitHub's log as well. */
const SIGN_COLOURS: ReadonlyMap<string, number> = new Map([
  ['+ ', 32],
  ['~ ', 33],
  ['- ', 31],
])

export function createLog(options: {
  readonly redactor: Redaction
  /** Gets whole lines, with their ends. */
  readonly write: (text: string) => void
  /** Default: none. */
  readonly hasColours?: boolean
}): Log {
  const { redactor, write, hasColours = false } = options
  const counts: Record<Severity, number> = { notice: 0, warning: 0, error: 0 }
  let groupOpen = false

  const safeLines = (text: string): readonly string[] =>
    scrub(redactor, text)
      .split('\n')
      .map((line) => safeLine(bounded(line, LONGEST_LINE)))
  const info = (text: string): void => {
    for (const line of safeLines(text)) write(`${line}\n`)
  }
  const endGroup = (): void => {
    if (groupOpen) write('::endgroup::\n')
    groupOpen = false
  }
  const command = (name: string, properties: Readonly<Record<string, string>>, message: string): void => {
    const list = Object.entries(properties).map(([key, value]) => `${key}=${escapedProperty(value)}`)
    write(`::${name}${list.length > 0 ? ` ${list.join(',')}` : ''}::${escapedData(message)}\n`)
  }
  /** `message` and `place` are scrubbed already. */
  const annotate = (severity: Severity, message: string, { title, position }: AnnotationPlace): void => {
    counts[severity]++
    const text = message
      .split('\n')
      .map((line) => safeLine(bounded(line, LONGEST_LINE)))
      .join('\n')
    if (counts[severity] > MOST_ANNOTATIONS) {
      info(`${severity}: ${text}`)
      return
    }
    const property = (value: string): string => safeLine(cleanLine(value, 300))
    command(
      severity,
      {
        ...(position === undefined
          ? {}
          : { file: property(position.file), line: `${position.line}`, col: `${position.column}` }),
        ...(title === undefined ? {} : { title: property(title) }),
      },
      bounded(text, LONGEST_ANNOTATION),
    )
  }
  const note =
    (severity: Severity) =>
    (message: string, place: AnnotationPlace = {}): void => {
      const safe = scrubAll(redactor, { message, place })
      // The runner does not print an annotation's place into the log, so the message carries it.
      const where = safe.place.position === undefined ? '' : `${placeText(safe.place.position)}: `
      annotate(severity, `${where}${safe.message}`, safe.place)
    }

  return {
    info,
    planned(text) {
      // Nothing that came from elsewhere has an escape sequence any more: these are ours, and stand around a whole line.
      for (const line of safeLines(text)) write(`${hasColours ? coloured(line) : line}\n`)
    },
    debug: (text) => command('debug', {}, safeLines(text).join('\n')),
    group(title) {
      endGroup()
      write(`::group::${escapedData(safeLine(cleanLine(scrub(redactor, title), 300)))}\n`)
      groupOpen = true
    },
    endGroup,
    notice: note('notice'),
    warning: note('warning'),
    error: note('error'),
    problem(problem) {
      const safe = scrubAll(redactor, problem)
      annotate(safe.severity, problemText(safe), { position: safe.position })
    },
    finish() {
      endGroup()
      for (const severity of ['error', 'warning', 'notice'] as const) {
        const missing = counts[severity] - MOST_ANNOTATIONS
        if (missing > 0) {
          info(
            `${missing} more of ${counts[severity]} ${severity}s are in this log only: GitHub takes ${MOST_ANNOTATIONS} annotations of a kind.`,
          )
        }
      }
    },
  }
}

function coloured(line: string): string {
  const colour = SIGN_COLOURS.get(line.slice(0, 2))
  return colour === undefined ? line : `\x1b[${colour}m${line}\x1b[0m`
}

// As the runner undoes it; source: actions/runner, ActionCommand.cs.
function escapedData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
