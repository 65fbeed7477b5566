/** When a registry is asked for the digest of a tag: on every deployment, when the manifest names another image, or not at all. */
export type ResolveMode = 'always' | 'changed' | 'never'
