// What a container may do beyond the usual, or may not. Source: moby api/types/swarm/container.go.

export interface Privileges {
  readonly CredentialSpec?: CredentialSpec | null
  readonly SELinuxContext?: SELinuxContext | null
  /** API 1.45. */
  readonly Seccomp?: SeccompOpts | null
  /** API 1.45. */
  readonly AppArmor?: AppArmorOpts | null
  readonly NoNewPrivileges?: boolean
}

/** Windows: the account that the container runs as, in one of three places. */
export interface CredentialSpec {
  /** The id of a config. */
  readonly Config?: string
  readonly File?: string
  readonly Registry?: string
}

export interface SELinuxContext {
  readonly Disable: boolean
  readonly User?: string
  readonly Role?: string
  readonly Type?: string
  readonly Level?: string
}

export interface SeccompOpts {
  readonly Mode?: SeccompMode
  /** Base64 of a profile in JSON, for the mode `custom`. */
  readonly Profile?: string | null
}

export type SeccompMode = 'default' | 'unconfined' | 'custom'

export interface AppArmorOpts {
  readonly Mode?: AppArmorMode
}

export type AppArmorMode = 'default' | 'disabled'
