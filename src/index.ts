import { run } from './run.ts'

const code = await run(process)
// A pipe takes what it has room for; the rest waits in this process, where `exit` would drop it: the end of the log, and the errors.
await new Promise((resolve) => {
  process.stdout.write('', resolve)
  setTimeout(resolve, 2000)
})
// Not `exitCode`: a connection that does not close must not keep the step alive.
process.exit(code)
