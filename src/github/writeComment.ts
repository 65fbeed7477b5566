import type { Comment, GitHub } from './gitHub.ts'

/**
 * Leaves one comment with this marker and body, and no other of this token's own user. A comment that somebody else wrote is left
 * alone, whatever its text says.
 */
export async function writeComment(api: GitHub, pullRequest: number, marker: string, body: string): Promise<void> {
  const marked = async (): Promise<readonly Comment[]> =>
    (await api.comments(pullRequest)).filter((comment) => comment.body.startsWith(marker))
  const found = await marked()
  let own = found.length === 0 ? [] : of(await api.login(), found)
  if (own.length === 0) {
    const { author } = await api.createComment(pullRequest, body)
    // Two runs may both have found none: each then sees what the other wrote, and the oldest stays.
    own = of(author, await marked())
  }
  const [kept, ...others] = own
  if (kept !== undefined && kept.body !== body && !(await api.updateComment(kept.id, body))) {
    // Somebody deleted it since it was read.
    await api.createComment(pullRequest, body)
  }
  for (const { id } of others) await api.deleteComment(id)
}

// --- Internal helpers ---

function of(author: string, comments: readonly Comment[]): readonly Comment[] {
  return comments.filter((comment) => comment.author.toLowerCase() === author.toLowerCase())
}
