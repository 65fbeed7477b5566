// `extra_hosts`: a mapping, or a list of `name:ip` or `name=ip`. Source: docker/cli loader, transformHostsList.
import { printed } from './fields.ts'
import type { Node } from './node.ts'

/** `host:ip`, in the order of a list, sorted for a mapping. */
export function extraHosts(node: Node | undefined): string[] {
  if (node?.kind === 'map') {
    return [...node.entries]
      .flatMap(([host, { value }]) =>
        (value.kind === 'list' ? value.items : [value]).flatMap((item) => {
          const address = printed(item)
          return address === null ? [] : [`${host}:${withoutBrackets(address)}`]
        }),
      )
      .sort()
  }
  if (node?.kind !== 'list') return []
  return node.items.flatMap((item) => {
    if (item.kind !== 'string') return []
    const match = /^([^=]*)=([\s\S]*)$/.exec(item.value) ?? /^([^:]*):([\s\S]*)$/.exec(item.value)
    return match === null ? [] : [`${match[1]}:${withoutBrackets(match[2] ?? '')}`]
  })
}

function withoutBrackets(address: string): string {
  return address.startsWith('[') && address.endsWith(']') && address.length > 2 ? address.slice(1, -1) : address
}
