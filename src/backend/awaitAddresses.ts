import { setTimeout as sleep } from 'node:timers/promises'
import { DeployError } from '../errors.ts'
import type { NetworkStep } from './planNetworks.ts'
import { subnetsOf } from './subnets.ts'
import { stopIfCancelled, type Writing } from './writing.ts'

/** How long (ms) Swarm is given for it. It takes milliseconds, or fails and tries again five minutes later (moby/swarmkit allocator). */
const WITHIN = 10_000

/**
 * Waits until Swarm has given networks their addresses. It takes any request for a network, and tells nobody but its own log when it
 * finds none: every task on such a network stays in the state `new`. Networks that this run has created are removed again then, so
 * that the corrected manifest finds no useless one in its way. Throws `network`.
 * @param created ids by name of those that this run has created
 */
export async function awaitAddresses(
  pending: readonly NetworkStep[],
  created: ReadonlyMap<string, string>,
  writing: Writing,
): Promise<void> {
  if (pending.length === 0) return
  const { engine, settings } = writing
  const names = pending.map(({ request }) => request.Name)
  const latest = settings.now() + WITHIN
  for (;;) {
    stopIfCancelled(settings, 'anything more')
    const listed = await engine.listNetworks({ name: names }, { signal: settings.signal })
    const empty = new Set(
      listed.filter(({ Scope, Driver }) => Scope === 'swarm' && Driver === '').map(({ Name }) => Name),
    )
    const left = pending.filter(({ request }) => empty.has(request.Name))
    if (left.length === 0) return
    if (settings.now() >= latest) {
      const ours = left.filter(({ request }) => created.has(request.Name))
      await Promise.all(ours.map(({ request }) => takeBack(request.Name, created.get(request.Name) ?? '', writing)))
      throw withoutAddresses(left, created)
    }
    await sleep(200, undefined, settings.signal && { signal: settings.signal }).catch(() => {})
  }
}

// --- Internal helpers ---

/** What can't be taken back stays in the journal. */
async function takeBack(name: string, id: string, { engine, settings }: Writing): Promise<void> {
  settings.log(`Removing network ${name}: it got no addresses`)
  await engine.removeNetwork(id).then(
    () => settings.journal.undone(`network ${name}`),
    () => {},
  )
}

function withoutAddresses(left: readonly NetworkStep[], created: ReadonlyMap<string, string>): DeployError {
  const problems = left.map(({ request, position }) => {
    const { Name: name } = request
    const subnets = subnetsOf(request.IPAM)
    const why =
      subnets.length > 0
        ? `its subnet ${subnets.join(', ')} may overlap one that is in use`
        : "the swarm's address pool may be used up"
    const remedy =
      subnets.length > 0
        ? 'Choose a free subnet, or leave "subnet:" out.'
        : 'Remove networks that nobody needs (`docker network ls --filter driver=overlay`), or give this one a "subnet:" outside of the pool, which `docker info` shows.'
    const first = created.has(name) ? '' : `Remove it with \`docker network rm ${name}\`. `
    return {
      severity: 'error' as const,
      code: 'network' as const,
      message: `Swarm has no addresses for the network "${name}": ${why}`,
      position,
      remedy: `${first}${remedy} The log of the leader's dockerd says which ("Failed allocation for network").`,
    }
  })
  const [first] = problems
  const message = problems.map((problem) => problem.message).join('; ')
  return new DeployError('network', message, { position: first?.position, remedy: first?.remedy, problems })
}
