// Names and labels by which a stack is known. A stack is nothing else: a prefix and a label.

/** On every object of a stack; the value is the stack's name. Source: docker/cli cli/compose/convert. */
export const NAMESPACE_LABEL = 'com.docker.stack.namespace'

/** On a service: its image as the manifest writes it, before tag and digest are added. */
export const IMAGE_LABEL = 'com.docker.stack.image'

/** On everything that this action created itself, never on what it adopted: when, RFC 3339 in UTC. */
export const CREATED_LABEL = 'com.swarmcli.cd.created'

/** On a release record; the value is `release`. */
export const TYPE_LABEL = 'com.swarmcli.type'

/** On a release record: the release, which is the stack. */
export const RELEASE_LABEL = 'com.swarmcli.release'

/** On a release record: `pending-install`, `deployed` or `failed`. */
export const STATUS_LABEL = 'com.swarmcli.status'

/** On a release record: its number, from 1. */
export const REVISION_LABEL = 'com.swarmcli.revision'

/** On services and release records: `<owner>:release/<stack>`. */
export const OWNER_LABEL = 'com.swarmcli.owner'

/** On a service: `<salt>:<sha256 of salt and registry credential>` in hex, to tell whether the credential changed. */
export const CREDENTIALS_LABEL = 'com.swarm-stack-deploy.credentials'

/** On secrets that this action wrote: `<salt>:<sha256 of salt and data>` in hex, to tell whether the content changed. */
export const DIGEST_LABEL = 'com.swarm-stack-deploy.digest'

/** On a service whose paused update this action resumed: how often. */
export const RETRY_LABEL = 'com.swarm-stack-deploy.retry'

/** On a service that this action wrote: digests of its fields, to tell what was changed by hand since. */
export const WRITTEN_LABEL = 'com.swarm-stack-deploy.written'

/** On a service, by its manifest: `sequential` for one that must not be updated together with others. */
export const ROLLOUT_LABEL = 'com.swarmcli.rollout'

/** On a service, by its manifest: the wave it is written in, a whole number, 0 without it. */
export const WAVE_LABEL = 'com.swarmcli.wave'

/** What the names of release records begin with; Swarm tells no upper from lower case in names. */
const RECORD_PREFIX = 'swarmcli.release.'

/** Whether a config or secret of that name would take a release record's place, or look like one. */
export function isRecordName(name: string): boolean {
  return name.toLowerCase().startsWith(RECORD_PREFIX)
}

/** Labels by which a manifest says in which order its services are written. */
export function isOrderLabel(name: string): boolean {
  return name === ROLLOUT_LABEL || name === WAVE_LABEL
}

/** Labels that this action adds on top of what `docker stack deploy` writes; a manifest may set none of them. */
export function isOwnLabel(name: string): boolean {
  const prefixes = ['com.swarmcli.', 'swarmcli.', 'com.swarm-stack-deploy.']
  return !isOrderLabel(name) && prefixes.some((prefix) => name.startsWith(prefix))
}

/** Whether a service's label is put there by a deployment, and not by the manifest. */
export function isAddedLabel(name: string): boolean {
  return name === NAMESPACE_LABEL || name === IMAGE_LABEL || isOwnLabel(name)
}

/** `web` in stack `shop` is `shop_web`. */
export function scopedName(namespace: string, name: string): string {
  return `${namespace}_${name}`
}

/** `shop_web` in stack `shop` is `web`; what is not called so keeps its name. */
export function unscopedName(namespace: string, name: string): string {
  const prefix = scopedName(namespace, '')
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}
