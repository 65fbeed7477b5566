// Which values become numbers or booleans when interpolation made them text. Source: docker/cli cli/compose/loader/
// interpolate.go. What is not listed stays text there too, and fails validation: `init: ${X}`.
import type { ScalarNode } from './node.ts'
import type { Place } from './source.ts'

export type Cast = 'integer' | 'float' | 'boolean'

/** A tree of the paths that have casts: `*` is any key, `[]` any item. */
export interface CastTree {
  readonly cast?: Cast
  /** Free text, in which docker takes the brace that `${A:-${B}}` leaves behind; everywhere else it refuses the value. */
  readonly free?: boolean
  readonly keys?: Readonly<Record<string, CastTree>>
}

const integer: CastTree = { cast: 'integer' }
const float: CastTree = { cast: 'float' }
const boolean: CastTree = { cast: 'boolean' }
const free: CastTree = { free: true }
/** Free texts as a list or a mapping. */
const freeTexts: CastTree = { free: true, keys: { '[]': free, '*': free } }

function under(keys: Readonly<Record<string, CastTree>>): CastTree {
  return { keys }
}

const update = under({ parallelism: integer, max_failure_ratio: float })
const items = (keys: Readonly<Record<string, CastTree>>): CastTree => under({ '[]': under(keys) })
const definitions = under({ '*': under({ external: boolean }) })

export const casts: CastTree = under({
  services: under({
    '*': under({
      configs: items({ mode: integer }),
      secrets: items({ mode: integer }),
      env_file: items({ required: boolean }),
      command: freeTexts,
      entrypoint: freeTexts,
      environment: freeTexts,
      labels: freeTexts,
      logging: under({ options: freeTexts }),
      healthcheck: under({ test: freeTexts, retries: integer, disable: boolean }),
      deploy: under({
        labels: freeTexts,
        replicas: integer,
        update_config: update,
        rollback_config: update,
        restart_policy: under({ max_attempts: integer }),
        placement: under({ max_replicas_per_node: integer }),
      }),
      ports: items({ target: integer }),
      scale: integer,
      ulimits: under({ '*': { cast: 'integer', keys: { hard: integer, soft: integer } } }),
      privileged: boolean,
      oom_score_adj: integer,
      read_only: boolean,
      stdin_open: boolean,
      tty: boolean,
      volumes: items({ read_only: boolean, volume: under({ nocopy: boolean }) }),
    }),
  }),
  networks: under({
    '*': under({
      external: boolean,
      internal: boolean,
      attachable: boolean,
      enable_ipv4: boolean,
      enable_ipv6: boolean,
    }),
  }),
  volumes: definitions,
  secrets: definitions,
  configs: definitions,
})

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['y', 'yes', 'true', 'on'].map((text) => [text, true] as const),
  ...['n', 'no', 'false', 'off'].map((text) => [text, false] as const),
])

/** The value as its place wants it; undefined where the text is no such value. */
export function castText(text: string, cast: Cast, place: Place): ScalarNode | undefined {
  if (cast === 'boolean') {
    const value = booleans.get(text.toLowerCase())
    return value === undefined ? undefined : { kind: 'boolean', value, place }
  }
  if (cast === 'integer') {
    if (!/^[-+]?[0-9]+$/.test(text)) return undefined
    const value = BigInt(text.replace(/^\+/, ''))
    return BigInt.asIntN(64, value) === value ? { kind: 'integer', value, place } : undefined
  }
  const value = /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?$/i.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? { kind: 'float', value, place } : undefined
}
