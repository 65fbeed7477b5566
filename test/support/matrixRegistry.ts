import { engineCall } from './engineCall.mjs'
import type { MatrixRow } from './matrixRow.ts'

/**
 * A registry of one image without layers to be had, in a container on the node's own network: engines trust 127.0.0.0/8 without TLS.
 * @param kind of the manifest, as in its media type
 */
export const withRegistry =
  (port: number, kind: string, manifest: object): NonNullable<MatrixRow['before']> =>
  async ({ socket, name }) => {
    const mediaType = `application/vnd.docker.distribution.${kind}.v2+json`
    const answer = [
      '#!/bin/sh',
      'read -r method path version',
      'while read -r header && test "$header" != "$(printf "\\r")"; do :; done',
      'body={} type=application/json',
      'case $path in',
      `*/manifests/*) type=${mediaType} body='${JSON.stringify({ schemaVersion: 2, mediaType, ...manifest })}' ;;`,
      // A download that never ends.
      '*/blobs/*) sleep 1000000 ;;',
      'esac',
      'printf "HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Type: $type\\r\\nContent-Length: $(printf %s "$body" | wc -c)\\r\\n\\r\\n"',
      'test "$method" = HEAD || printf %s "$body"',
    ].join('\n')
    await engineCall(socket, 'POST', `/containers/create?name=${name}`, {
      Image: 'tb/ok:1',
      Env: [`ANSWER=${answer}`],
      Cmd: ['sh', '-c', `printf '%s\\n' "$ANSWER" >/answer; exec nc -ll -p ${port} -e sh /answer`],
      HostConfig: { NetworkMode: 'host' },
    })
    await engineCall(socket, 'POST', `/containers/${name}/start`)
    return () => engineCall(socket, 'DELETE', `/containers/${name}?force=true`)
  }

const blob = (kind: string, digit: string): object => ({
  mediaType: `application/vnd.docker.${kind}`,
  size: 500,
  digest: `sha256:${digit.repeat(64)}`,
})

/** A list of manifests, of which none is for the machines that one has. */
export const forMainframes = {
  manifests: [{ ...blob('distribution.manifest.v2+json', 'a'), platform: { architecture: 's390x', os: 'linux' } }],
}

/** Its layer is never there. */
export const plainImage = {
  config: blob('container.image.v1+json', 'b'),
  layers: [blob('image.rootfs.diff.tar.gzip', 'c')],
}
