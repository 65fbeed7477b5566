// Updates: told by their own tasks only, whatever Swarm or somebody else makes of them.
import { testRows } from '../support/matrixTest.ts'
import { updateRows } from '../support/matrixUpdates.ts'

await testRows('an update', updateRows)
