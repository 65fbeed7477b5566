// What cannot converge is told early, with the reason, at its line; and what only looks like it is not.
import { failureRows } from '../support/matrixFailures.ts'
import { testRows } from '../support/matrixTest.ts'

await testRows('a stack of', failureRows)
