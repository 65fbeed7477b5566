/** Makes sure that the packages' programs are there: what is missing is installed by apt, and not started. */
export declare function ensurePackages(names: readonly string[], log?: (line: string) => void): void

/** The path of a program on PATH or in the folders for root's programs. */
export declare function findProgram(name: string): string | undefined
