// Why a secret or config can't be as the manifest wants it.
import type { Problem } from '../errors.ts'
import { shortList } from '../shortList.ts'

type Kind = 'secret' | 'config'
type Position = Problem['position']

export function absent(kind: Kind, name: string, position: Position): Problem {
  return {
    severity: 'error',
    code: 'missing-resource',
    message: `the external ${kind} "${name}" does not exist`,
    position,
    remedy: `Create it: docker ${kind} create ${name} FILE`,
  }
}

export function foreign(kind: Kind, name: string, owner: string, position: Position): Problem {
  return {
    severity: 'error',
    code: 'conflict',
    message: `the ${kind} "${name}" belongs to the stack "${owner}"`,
    position,
    remedy: `Give this ${kind} another "name:", or use the existing one with "external: true".`,
  }
}

/** @param lost names of the labels that it has and the manifest gives otherwise, or not at all */
export function joining(kind: Kind, name: string, lost: readonly string[], position: Position): Problem {
  const labels = lost.length === 0 ? '' : `; of its labels it loses ${shortList(lost, 5)}`
  return {
    severity: 'warning',
    code: 'conflict',
    message: `the ${kind} "${name}" is there already, in no stack, and becomes part of this one: it will be removed with it${labels}`,
    position,
    remedy: `To leave it as it is, write "external: true", or give this ${kind} another "name:".`,
  }
}

export function changedContent(kind: Kind, name: string, position: Position): Problem {
  return {
    severity: 'error',
    code: 'conflict',
    message: `the content of the ${kind} "${name}" differs from what the swarm holds under that name, and Swarm changes only labels of a ${kind}`,
    position,
    remedy: `Set "rotate: true", so that the new content gets a name of its own, or give the ${kind} a new "name:" yourself, for example with a version in it (name: ${name}-v2); services then follow.`,
  }
}

/** It has a driver or a template, in the manifest or in the swarm. */
export function changedRecipe(kind: Kind, name: string, position: Position): Problem {
  return {
    severity: 'error',
    code: 'conflict',
    message: `the ${kind} "${name}" differs in its content, driver or template from what the swarm holds under that name; Swarm changes only labels of a ${kind}, and one with a driver or template is never rotated`,
    position,
    remedy: `Give the ${kind} a new "name:", for example with a version in it (name: ${name}-v2); services then follow.`,
  }
}

/** @param fault what Swarm has against the name of the new generation */
export function tooLong(kind: Kind, name: string, fault: string, position: Position): Problem {
  return {
    severity: 'error',
    code: 'conflict',
    message: `the content of the ${kind} "${name}" changed, and there is no room to give it a new name: ${fault}`,
    position,
    remedy: `Give the ${kind} a "name:" of at most 55 characters; services then follow.`,
  }
}

/** Somebody took the name between this run's look at the swarm and its write. */
export function takenMeanwhile(kind: Kind, name: string): string {
  return `the ${kind} "${name}" was created by someone else while this run was at it, and is not what this run wanted to create`
}
