import net from 'node:net'
import type { TestContext } from 'node:test'
import tls from 'node:tls'
import type { Bed } from './bed.mjs'
import type { Pair } from './certificates.ts'

/** An engine that listens on a port with mutual TLS: a real dockerd of its own inside the bed's manager, in no swarm. */
export async function startTlsEngine(
  bed: Bed,
  port: number,
  { ca, cert, key }: Pair & { readonly ca: string },
): Promise<{ stop(): Promise<void> }> {
  const at = `/run/tls-engine-${port}`
  const file = (name: string, text: string): string =>
    `cat >${at}/${name} <<'END_OF_FILE'\n${text.trimEnd()}\nEND_OF_FILE`
  const { code, stderr } = await bed.shell(['bash', '-s'], {
    input: `set -eu
exec >&2
mkdir ${at}
${file('ca.pem', ca)}
${file('cert.pem', cert)}
${file('key.pem', key)}
${file('daemon.json', '{}')}
# A bridge of its own: with none at all it would take the other engine's docker0 away.
ip link add tls${port} type bridge
ip addr add 172.30.0.1/24 dev tls${port}
tls="--tlsverify --tlscacert ${at}/ca.pem --tlscert ${at}/cert.pem --tlskey ${at}/key.pem"
dockerd --config-file ${at}/daemon.json -H tcp://0.0.0.0:${port} $tls --bridge tls${port} --iptables=false \\
  --data-root ${at}/lib --exec-root ${at}/exec --pidfile ${at}/pid >${at}/log 2>&1 </dev/null &
for _ in $(seq 300); do grep -q 'API listen on' ${at}/log && exit 0; sleep 0.1; done
tail -n 20 ${at}/log; exit 1
`,
  })
  if (code !== 0) throw new Error(`no engine with TLS: ${stderr}`)
  return {
    stop: async () => {
      await bed.shell([
        'bash',
        '-c',
        `kill "$(cat ${at}/pid)"; while [ -e ${at}/pid ]; do sleep 0.1; done; ip link del tls${port}; rm -rf ${at}`,
      ])
    },
  }
}

/** The bed's own engine behind TLS on a port of this machine, for as long as the test runs. */
export async function tlsInFront(
  context: Pick<TestContext, 'after'>,
  socket: string,
  options: tls.TlsOptions,
): Promise<number> {
  const open = new Set<net.Socket>()
  const server = tls.createServer({ requestCert: true, ...options }, (near) => {
    const far = net.connect(socket)
    for (const one of [near, far]) {
      open.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far).pipe(near)
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => {
    for (const one of open) one.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
