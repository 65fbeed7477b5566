// `platform` of the Compose Specification, `os[/arch[/variant]]`, as constraints on the nodes.
import { valueAt } from './fields.ts'
import { type MapNode, shown } from './node.ts'
import type { Reading } from './reading.ts'

/** What nodes report as their architecture, which is the kernel's name for it. */
const architectures: ReadonlyMap<string, string> = new Map([
  ['amd64', 'x86_64'],
  ['x86_64', 'x86_64'],
  ['arm64', 'aarch64'],
  ['aarch64', 'aarch64'],
])

export function platformConstraints({ findings }: Reading, service: MapNode): string[] {
  const node = valueAt(service, 'platform')
  if (node?.kind !== 'string' || node.value === '') return []
  const [os = '', architecture] = node.value.split('/')
  const name = architecture === undefined ? undefined : architectures.get(architecture)
  if (['linux', 'windows'].includes(os) && (architecture === undefined || name !== undefined)) {
    return [`node.platform.os==${os}`, ...(name === undefined ? [] : [`node.platform.arch==${name}`])]
  }
  findings.warning(
    node.place,
    `"platform" is ignored: no constraint on nodes is known for ${shown(node)}`,
    'Write `deploy.placement.constraints` with `node.platform.arch`, or a label of the nodes.',
  )
  return []
}
