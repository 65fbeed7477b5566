import { nameFault } from '../convert/engineNames.ts'
import type { ConfigObject, SecretObject } from '../convert/stackSpec.ts'
import type { Problem } from '../errors.ts'
import { NAMESPACE_LABEL } from '../swarm/names.ts'
import type { Config, ConfigSpec, Secret, SecretSpec } from '../swarm/secret.ts'
import { isMadeBySwarm } from './fileContent.ts'
import { changedContent, changedRecipe, foreign, tooLong } from './fileProblems.ts'
import { generationName, generationsOf } from './generations.ts'

/** Which object of the swarm a declared secret or config is to be. */
export type FileChoice<Live> =
  | { readonly kind: 'there'; readonly live: Live }
  /** Under the manifest's name, or as a new generation; in place of what services use now. */
  | {
      readonly kind: 'new'
      readonly name: string
      readonly relatives: readonly Live[]
      readonly supersedes: readonly string[]
    }
  | { readonly kind: 'refused'; readonly problem: Problem }

export interface FileRules<Spec, Live> {
  readonly kind: 'secret' | 'config'
  /** Whether a live object is what the manifest wants, but for its labels. */
  readonly is: (found: Live, spec: Spec) => boolean
  /** The digest of a content in 64 hex digits; `relatives` may decide its salt. */
  readonly digest: (spec: Spec, relatives: readonly Live[]) => string
}

export interface FileSurroundings<Live> {
  readonly namespace: string
  /** All whose names begin with one that the stack declares. */
  readonly live: ReadonlyMap<string, Live>
  readonly declared: ReadonlySet<string>
  /** The names that live services of the stack refer to. */
  readonly inUse: ReadonlySet<string>
  readonly rotate: boolean
}

/**
 * What has the wanted content, the plain name before its generations; else the plain name, if it is free; else a new generation. So the
 * same content always comes to the same object, and what is gone meanwhile moves no service.
 */
export function chooseFile<Spec extends SecretSpec & ConfigSpec, Live extends Secret | Config>(
  { kind, is, digest }: FileRules<Spec, Live>,
  { name, position, spec }: Extract<SecretObject | ConfigObject, { external: false }> & { readonly spec: Spec },
  { namespace, live, declared, inUse, rotate }: FileSurroundings<Live>,
): FileChoice<Live> {
  const refused = (problem: Problem): FileChoice<Live> => ({ kind: 'refused', problem })
  const plain = live.get(name)
  const owner = plain?.Spec.Labels?.[NAMESPACE_LABEL] ?? namespace
  if (owner !== namespace) return refused(foreign(kind, name, owner, position))

  const generations = generationsOf(name, live, namespace, declared)
  const relatives = plain === undefined ? generations : [plain, ...generations]
  const same = relatives.find((relative) => is(relative, spec))
  if (same !== undefined) return { kind: 'there', live: same }

  const used = relatives.map((relative) => relative.Spec.Name ?? '').filter((other) => inUse.has(other))
  if (plain === undefined) return { kind: 'new', name, relatives, supersedes: used }
  if (isMadeBySwarm(spec) || isMadeBySwarm(plain.Spec)) return refused(changedRecipe(kind, name, position))
  if (!rotate) return refused(changedContent(kind, name, position))

  const isTaken = (other: string): boolean => live.has(other) || declared.has(other)
  const next = generationName(name, digest(spec, relatives), isTaken)
  const fault = nameFault(kind, next)
  if (fault !== undefined) return refused(tooLong(kind, name, fault.message, position))
  return { kind: 'new', name: next, relatives, supersedes: used.length === 0 ? [name] : used }
}
