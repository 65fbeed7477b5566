// Jobs, one-shots and services of which nothing runs: done when they are done, and failed when they have failed.
import { jobRows } from '../support/matrixJobs.ts'
import { testRows } from '../support/matrixTest.ts'

await testRows('a stack of', jobRows)
