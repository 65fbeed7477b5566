/** A call of the engine within a step of a method. */
export interface DocumentedCall {
  /** The name of the engine's method, such as `listNetworks`. */
  readonly call: string
  readonly times: number
  /** As often as there is need of it, or not at all. */
  readonly asNeeded: boolean
}

/** What the comment of a method of Backend says. */
export interface DocumentedMethod {
  readonly name: string
  /** With parameters and result, on one line. */
  readonly signature: string
  readonly text: string
  /** In the order of the steps. */
  readonly calls: readonly (readonly DocumentedCall[])[]
  readonly throws: readonly string[]
  readonly isDocumented: boolean
}

export declare function backendMethods(): readonly DocumentedMethod[]
