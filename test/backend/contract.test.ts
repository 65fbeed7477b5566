import { backendContract } from '../support/backendContract.ts'
import { createMemorySwarm } from '../support/memorySwarm.ts'

backendContract('the backend on the in-memory swarm', createMemorySwarm().engine, 'memory')
