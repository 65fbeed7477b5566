import { type Credential, hostnameOf } from './credential.ts'

/** A login that ends soon, as far as one can see. */
export interface ShortLived {
  /** `GitHub's token of this job, which ends with the job`. */
  readonly what: string
  /** What to use in its place, one sentence. */
  readonly remedy: string
}

/**
 * Whether a login is known to end long before the service that is to pull with it. Sources: the documentation of the registries, as of
 * 2026; tokens of GitHub apps begin with `ghs_`.
 */
export function shortLived({
  username = '',
  password,
  identitytoken,
  serveraddress = '',
}: Credential): ShortLived | undefined {
  const host = hostnameOf(serveraddress)
  const secret = password ?? identitytoken ?? ''
  return kinds.find((kind) => kind.matches({ username, secret, host }))
}

// --- Internal helpers ---

interface Login {
  readonly username: string
  readonly secret: string
  readonly host: string
}

const kinds: readonly (ShortLived & { matches(login: Login): boolean })[] = [
  {
    matches: ({ secret }) => secret.startsWith('ghs_'),
    what: "GitHub's token of this job, which ends with the job",
    remedy: 'Use a personal access token that may only read packages (`read:packages`).',
  },
  {
    matches: ({ username }) => username === 'gitlab-ci-token',
    what: "GitLab's token of a job, which ends with the job",
    remedy: 'Use a deploy token with `read_registry`.',
  },
  {
    matches: ({ username, host }) =>
      username === 'AWS' || /\.dkr\.ecr(-fips)?\.[^.]+\.amazonaws\.com(\.cn)?$/.test(host),
    what: 'a token of Amazon ECR, which ends after 12 hours',
    remedy:
      'ECR has no login that lasts: deploy again before it ends (a scheduled workflow does), or pull from a registry of your own that mirrors it.',
  },
  {
    matches: ({ username }) => username === 'oauth2accesstoken' || /^_dc(gcloud|gcr)_/.test(username),
    what: 'a Google access token, which ends after an hour',
    remedy: 'Use the key of a service account that may only read (user `_json_key`).',
  },
  {
    matches: ({ username, host, secret }) =>
      username === '00000000-0000-0000-0000-000000000000' ||
      (host.endsWith('.azurecr.io') && username === '' && secret !== ''),
    what: 'a token of Azure Container Registry, which ends after 3 hours',
    remedy: 'Use a repository-scoped token or a service principal that may only pull.',
  },
]
