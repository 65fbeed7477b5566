import { run } from './run.ts'

// Not `exitCode`: a connection that does not close must not keep the step alive. Standard output is written synchronously here.
process.exit(await run(process))
