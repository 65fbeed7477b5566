import { createMemorySwarm } from '../support/memorySwarm.ts'
import { removalContract } from '../support/removalContract.ts'

removalContract('removal on the in-memory swarm', createMemorySwarm().engine, 'memory')
