import { engineContract } from '../support/engineContract.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'

engineContract('the in-memory swarm', async () => ({ engine: createMemorySwarm().engine, close: async () => {} }))
