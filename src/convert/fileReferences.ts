import type { FileDefinition, FileReference, Service, Stack } from '../compose/stack.ts'
import type { ConfigReference, FileTarget, SecretReference } from '../swarm/service.ts'
import { type FileKind, fileObjectName } from './fileObjects.ts'
import { didYouMean, manifestError, manifestWarning, placeOf, type Report } from './findings.ts'
import { by } from './wire.ts'

/** 0444: everybody may read. */
const defaultMode = 0o444

/** `ContainerSpec.Secrets`, sorted by the swarm's name, then by target. The ids are filled in by `withReferenceIds`. */
export function convertSecretReferences(
  service: Service,
  stack: Stack,
  namespace: string,
  report: Report,
): readonly SecretReference[] {
  return convert('secret', service.secrets, service, stack.secrets, namespace, report).map(({ name, file }) => ({
    File: file,
    SecretID: '',
    SecretName: name,
  }))
}

/** `ContainerSpec.Configs`, likewise; the config of a credential specification is among them, without a file. */
export function convertConfigReferences(
  service: Service,
  stack: Stack,
  namespace: string,
  report: Report,
): readonly ConfigReference[] {
  const mounted = convert('config', service.configs, service, stack.configs, namespace, report).map(
    ({ name, file }): ConfigReference => ({ File: file, ConfigID: '', ConfigName: name }),
  )
  const key = service.credentialSpec?.config ?? ''
  if (key === '') return mounted
  const definition = stack.configs.get(key)
  if (definition === undefined) {
    report(undefinedObject('config', key, service, stack.configs, 'credential_spec'))
    return mounted
  }
  const name = fileObjectName(key, definition, namespace)
  return [...mounted, { Runtime: {}, ConfigID: '', ConfigName: name }].sort(by(({ ConfigName }) => ConfigName))
}

// --- Internal helpers ---

function convert(
  kind: FileKind,
  references: readonly FileReference[],
  service: Service,
  definitions: ReadonlyMap<string, FileDefinition>,
  namespace: string,
  report: Report,
): readonly { readonly name: string; readonly file: FileTarget }[] {
  const converted: { name: string; file: FileTarget }[] = []
  const targets = new Set<string>()
  references.forEach((reference, index) => {
    const definition = definitions.get(reference.source)
    if (definition === undefined) {
      report(undefinedObject(kind, reference.source, service, definitions, `${kind}s.${index}`, reference))
      return
    }
    const name = fileObjectName(reference.source, definition, namespace)
    const file: FileTarget = {
      Name: reference.target || reference.source,
      UID: reference.uid || '0',
      GID: reference.gid || '0',
      Mode: reference.mode ?? defaultMode,
    }
    if (targets.has(file.Name)) {
      report(
        manifestError(
          reference.place,
          `service ${service.name}: duplicate ${kind} target for ${name} not allowed, "${file.Name}" is taken`,
          'Give each of them another "target:".',
        ),
      )
    }
    targets.add(file.Name)
    checkOwner(kind, reference, service, report)
    converted.push({ name, file })
  })
  // docker leaves the order of two references to one object to chance, and so restarts tasks for nothing
  return converted.sort(by(({ file }) => file.Name)).sort(by(({ name }) => name))
}

function undefinedObject(
  kind: FileKind,
  key: string,
  service: Service,
  definitions: ReadonlyMap<string, FileDefinition>,
  place: string,
  reference?: FileReference,
) {
  return manifestError(
    reference?.place ?? placeOf(service, place),
    `service ${service.name}: undefined ${kind} "${key}"${didYouMean(key, definitions.keys())}`,
    `Declare it under the top-level "${kind}s:", with "external: true" if it exists outside this stack.`,
  )
}

/** The Engine takes any text, and then no task can start. */
function checkOwner(
  kind: FileKind,
  { uid, gid, source, place }: FileReference,
  service: Service,
  report: Report,
): void {
  for (const [key, value] of [
    ['uid', uid],
    ['gid', gid],
  ] as const) {
    if (value === '' || /^\d+$/.test(value)) continue
    report(
      manifestWarning(
        place,
        `service ${service.name}: ${key} "${value}" of the ${kind} "${source}" is not a number, and no task will start with it`,
        `Write the number that the user or group has in the image.`,
      ),
    )
  }
}
