// Removals by the Backend on a real swarm: the same promises as on the one in memory.
import { after } from 'node:test'
import { openEngine } from '../../src/engine/dockerEngine.ts'
import { openUnixTunnel } from '../../src/tunnel/unixTunnel.ts'
import { ownBed } from '../support/liveBed.ts'
import { removalContract } from '../support/removalContract.ts'

const bed = await ownBed('removal')
const tunnel = await openUnixTunnel(bed.socket, AbortSignal.timeout(10_000))
after(() => tunnel.close())

removalContract('removal on a real swarm', openEngine(tunnel.agent), 'rmc')
