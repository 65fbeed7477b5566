// The top-level networks, volumes, secrets and configs.
import {
  anything,
  boolean,
  either,
  list,
  listOrMapping,
  mapping,
  orNull,
  type Rule,
  since,
  string,
  stringsOrNumbers,
} from './rule.ts'

const external = either(boolean, mapping({ name: string }))
const openExternal = either(boolean, mapping({ name: string }, { open: true }))

const pool = mapping({ subnet: string, gateway: string, ip_range: string, aux_addresses: stringsOrNumbers })

export const networkRules: Rule = orNull(
  mapping(
    {
      name: since(5, string),
      driver: string,
      driver_opts: stringsOrNumbers,
      // Beside driver and subnet, IPAM and IP versions are the Compose Specification's.
      ipam: mapping({ driver: string, config: list(pool), options: stringsOrNumbers }),
      enable_ipv4: boolean,
      enable_ipv6: boolean,
      external,
      internal: boolean,
      attachable: since(2, boolean),
      labels: listOrMapping,
    },
    { extensions: 7 },
  ),
)

const tolerant = (keys: Readonly<Record<string, Rule>>): Rule => mapping(keys, { open: true })
const segments = list(tolerant({ segments: listOrMapping }))

/** Read and otherwise ignored, as docker does: no cluster volume is ever created from a manifest. */
const clusterRules = tolerant({
  group: string,
  access_mode: tolerant({
    scope: string,
    sharing: string,
    block_volume: anything,
    mount_volume: tolerant({ fs_type: string, mount_flags: list(string) }),
  }),
  accessibility_requirements: tolerant({ requisite: segments, preferred: segments }),
  capacity_range: tolerant({ required_bytes: string, limit_bytes: string }),
  availability: string,
})

export const volumeRules: Rule = orNull(
  mapping(
    {
      name: since(4, string),
      driver: string,
      driver_opts: stringsOrNumbers,
      external,
      labels: listOrMapping,
      'x-cluster-spec': since(10, clusterRules),
    },
    { extensions: 7 },
  ),
)

/** `environment` is the Compose Specification's, and so is `content` of configs. */
const file = {
  name: since(5, string),
  file: string,
  environment: string,
  external: openExternal,
  labels: listOrMapping,
}

export const secretRules: Rule = mapping(
  {
    ...file,
    driver: since(8, string),
    driver_opts: since(8, stringsOrNumbers),
    template_driver: since(8, string),
  },
  { extensions: 7 },
)

export const configRules: Rule = mapping(
  { ...file, content: string, template_driver: since(8, string) },
  { extensions: 7 },
)
