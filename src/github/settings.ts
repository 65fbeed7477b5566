/** What GitHub is to be told, and of which commit: the inputs and the event in one value. */
export interface GitHubSettings {
  /** False where nothing is asked for, or there is no token or no repository to tell. */
  readonly tells: boolean
  readonly statusCheck: 'auto' | boolean
  readonly deployment: boolean
  readonly comment: boolean
  readonly isPlan: boolean
  readonly environment: string | undefined
  readonly environmentUrl: string | undefined
  /** The commit that the run is about: the head of a pull request rather than its merge commit. */
  readonly sha: string | undefined
  readonly pullRequest: number | undefined
  /** Of the workflow run. */
  readonly runUrl: string | undefined
}
