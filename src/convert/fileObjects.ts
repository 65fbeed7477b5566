import type { FileDefinition, Service, Stack } from '../compose/stack.ts'
import { scopedName } from '../swarm/names.ts'
import type { ConfigSpec, SecretSpec } from '../swarm/secret.ts'
import { nameFault } from './engineNames.ts'
import { manifestError, type Report } from './findings.ts'
import type { ConfigObject, SecretObject, StackSpec } from './stackSpec.ts'
import { by, nonEmpty, present, stackLabels, wireMap } from './wire.ts'

/** Bytes from which on the Engine refuses the content. Source: moby/swarmkit api/validation/secrets.go; tried with engine 20.10. */
const limits = { secret: 500 * 1024, config: 1000 * 1024 } as const

export type FileKind = keyof typeof limits

/** All secrets that the manifest defines, used or not, and the external ones that a service uses; sorted by key. */
export function convertSecrets(stack: Stack, namespace: string, report: Report): readonly SecretObject[] {
  return convert('secret', stack.secrets, usedSecrets(stack), namespace, report).map(({ definition, ...object }) =>
    definition.external
      ? { ...object, external: true }
      : {
          ...object,
          external: false,
          spec: present<SecretSpec>({
            ...contentOf(object.name, definition, namespace),
            ...(definition.driver === ''
              ? {}
              : { Driver: present({ Name: definition.driver, Options: wireMap(definition.driverOpts) }) }),
            ...templating(definition),
          }),
        },
  )
}

/** The external secrets that no service uses: nothing of them is read or written. */
export function secretsAside(stack: Stack, namespace: string): NonNullable<StackSpec['secretsAside']> {
  const used = usedSecrets(stack)
  return [...stack.secrets]
    .filter(([key, { external }]) => external && !used.has(key))
    .sort(by(([key]) => key))
    .map(([key, definition]) => ({
      key,
      name: fileObjectName(key, definition, namespace),
      position: definition.place,
    }))
}

/** As for secrets; a config that only a credential specification names is used, too. */
export function convertConfigs(stack: Stack, namespace: string, report: Report): readonly ConfigObject[] {
  const used = new Set(stack.services.flatMap(configSources))
  return convert('config', stack.configs, used, namespace, report).map(({ definition, ...object }) =>
    definition.external
      ? { ...object, external: true }
      : {
          ...object,
          external: false,
          spec: { ...contentOf(object.name, definition, namespace), ...templating(definition) } satisfies ConfigSpec,
        },
  )
}

/** The swarm's name of a secret or config. */
export function fileObjectName(key: string, definition: FileDefinition, namespace: string): string {
  return definition.name || scopedName(namespace, key)
}

// --- Internal helpers ---

function usedSecrets({ services }: Stack): ReadonlySet<string> {
  return new Set(services.flatMap(({ secrets }) => secrets.map(({ source }) => source)))
}

function configSources({ configs, credentialSpec }: Service): readonly string[] {
  return [...configs.map(({ source }) => source), ...(credentialSpec?.config ? [credentialSpec.config] : [])]
}

function convert(
  kind: FileKind,
  definitions: ReadonlyMap<string, FileDefinition>,
  used: ReadonlySet<string>,
  namespace: string,
  report: Report,
) {
  return [...definitions]
    .filter(([key, { external }]) => !external || used.has(key))
    .sort(by(([key]) => key))
    .map(([key, definition]) => {
      const name = fileObjectName(key, definition, namespace)
      if (!definition.external) check(kind, key, name, definition, report)
      return { key, name, position: definition.place, definition }
    })
}

function contentOf(name: string, definition: FileDefinition, namespace: string): ConfigSpec {
  const data = definition.driver === '' ? definition.data : undefined
  return present({
    Name: name,
    Labels: stackLabels(definition.labels, namespace),
    Data: data === undefined ? undefined : nonEmpty(Buffer.from(data).toString('base64')),
  })
}

function templating({ templateDriver }: FileDefinition): Pick<ConfigSpec, 'Templating'> {
  return templateDriver === '' ? {} : { Templating: { Name: templateDriver } }
}

function check(kind: FileKind, key: string, name: string, definition: FileDefinition, report: Report): void {
  const { place, data, file, driver } = definition
  const fault = nameFault(kind, name)
  if (fault !== undefined) report(manifestError(place, `${kind} ${key}: ${fault.message}`, fault.remedy))
  // Without data the swarm has the content already.
  if (driver !== '' || data === undefined) return
  const source = file === '' ? 'its content' : `the file "${file}"`
  const size = data.length
  if (size === 0) {
    report(
      manifestError(
        place,
        `${kind} ${key}: ${source} is empty, and Swarm stores no empty ${kind}`,
        `Put something into it, or remove the ${kind}.`,
      ),
    )
  }
  if (size >= limits[kind]) {
    report(
      manifestError(
        place,
        `${kind} ${key}: ${source} has ${size} bytes, and Swarm takes fewer than ${limits[kind]} for a ${kind}`,
        `Make it smaller, or put it into the image or a volume.`,
      ),
    )
  }
}
