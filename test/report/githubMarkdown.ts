// Markdown as GitHub renders it: GFM, its own list of forbidden tags, and of what is left only the tags that its sanitizer keeps.
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'

export function githubHtml(markdown: string): string {
  return micromark(markdown, {
    // The summary folds things away with <details>: raw HTML passes, as it does there.
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  })
}

/** Every tag of a page, with its attributes: `<a href="…">`. */
export function tagsOf(html: string): readonly string[] {
  return [...html.matchAll(/<\/?[a-z][^>]*>/gi)].map(([tag]) => tag)
}
