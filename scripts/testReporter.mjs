// A reporter for node:test: a marked line of JSON for each result, which scripts/runTests.mjs counts and prints.
import { inspect } from 'node:util'

/** Begins a line of ours, among whatever the tests print themselves. */
export const mark = '\u001e'

/** Node's own wrapper says only "test failed"; its cause is what the test threw. */
const textOf = (error) => {
  const cause = error?.cause ?? error
  return typeof cause === 'string' ? cause : inspect(cause, { colors: false, depth: 4 })
}

/** The one default export of the project: Node looks for it here. */
// biome-ignore lint/style/noDefaultExport: the interface of a reporter
export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { name, details, skip, todo } = data
    if (details.type === 'suite' && type === 'test:pass') continue
    // A parent that fails only because of a test inside it adds no failure of its own.
    if (details.error?.failureType === 'subtestsFailed') continue
    const idle = skip !== undefined || todo !== undefined
    const passed = type === 'test:pass' && !idle
    const error = idle ? 'skipped: a test that does not run proves nothing' : textOf(details.error)
    const result = passed ? { passed, name } : { passed, name, error }
    yield `\n${mark}${JSON.stringify({ ...result, ms: details.duration_ms })}\n`
  }
}
