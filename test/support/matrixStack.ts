/** A stack of the service `web`, whose image is in line 3 of the manifest and what comes after it in line 5. */
export function oneService(image: string, ...more: readonly string[]): string {
  return ['services:', '  web:', `    image: ${image}`, '    stop_grace_period: 1s', ...more, ''].join('\n')
}

/** A short window, where it is not what matters. */
export const quick = { monitor: '2s' }
