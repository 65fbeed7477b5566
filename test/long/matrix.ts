// Small stacks of every kind, each with the verdict that is due and the time by which it is: `npm run test:matrix`, some five minutes.
import { matrixSections } from '../support/matrixTable.ts'
import { testRows } from '../support/matrixTest.ts'

await testRows('a stack of', Object.values(matrixSections).flat())
