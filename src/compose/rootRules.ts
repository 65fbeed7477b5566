import { configRules, networkRules, secretRules, volumeRules } from './definitionRules.ts'
import { ignoredRules } from './ignoredKeys.ts'
import { either, list, mapping, mappingOf, type Rule, since, string, stringOrList } from './rule.ts'
import { serviceRules } from './serviceRules.ts'

const names = /^[a-zA-Z0-9._-]+$/

/** Of the Compose Specification, as `name` is. */
const includeEntry = mapping(
  { path: stringOrList, project_directory: string, env_file: stringOrList },
  { required: ['path'] },
)

export const rootRules: Rule = mapping(
  {
    ...ignoredRules(''),
    version: string,
    name: string,
    include: list(either(string, includeEntry)),
    services: mappingOf(serviceRules, { names }),
    // Names of networks are not restricted, as little as with docker.
    networks: mappingOf(networkRules),
    volumes: mappingOf(volumeRules, { names }),
    secrets: since(1, mappingOf(secretRules, { names })),
    configs: since(3, mappingOf(configRules, { names })),
  },
  { extensions: 4 },
)
