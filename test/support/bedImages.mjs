// The small images of the test bed: one busybox, imported under several names that differ in how they behave.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { engineCall } from './engineCall.mjs'

const applets =
  'sh httpd sleep cat echo wget nc touch ls ps kill rm mkdir env hostname test false true date printf head grep id stat seq tail'
const serve = 'CMD ["httpd","-f","-p","8080","-h","/srv"]'
const healthcheck = (interval, command, more = '') =>
  `HEALTHCHECK --interval=${interval} --timeout=1s ${more}--retries=2 CMD ${command}`

/** Name → how it behaves, and the Dockerfile instructions that make it so. Every server listens on 8080. */
const images = {
  // Serves "ok"; the two differ in V and in LABEL, so that going from one to the other is a real update.
  'tb/ok:1': [serve, 'EXPOSE 8080', 'ENV V=1', 'LABEL tb=1'],
  'tb/ok:2': [serve, 'EXPOSE 8080', 'ENV V=2', 'LABEL tb=2'],
  // Healthy a second after its start.
  'tb/healthy:1': [serve, healthcheck('1s', 'wget -q -O- http://127.0.0.1:8080/ || exit 1')],
  // Says boom and exits 3 at once.
  'tb/crash:1': ['CMD ["sh","-c","echo boom >&2; exit 3"]'],
  // Exits 0 at once.
  'tb/job:1': ['CMD ["sh","-c","echo job done; exit 0"]'],
  // Healthy only after START_DELAY seconds; unhealthy answers before do not count (start period).
  'tb/slow:1': [
    'ENV START_DELAY=5',
    'CMD ["sh","-c","sleep $START_DELAY; touch /tmp/ready; exec httpd -f -p 8080 -h /srv"]',
    healthcheck('500ms', 'test -e /tmp/ready', '--start-period=30s '),
  ],
  // Runs, and is never healthy.
  'tb/sick:1': ['CMD ["sleep","1000000"]', healthcheck('500ms', 'echo sick; exit 1')],
  // Healthy for OK_FOR seconds, then unhealthy.
  'tb/flips:1': [
    'ENV OK_FOR=6',
    'CMD ["sh","-c","touch /tmp/ok; sleep $OK_FOR; rm -f /tmp/ok; exec sleep 1000000"]',
    healthcheck('500ms', 'test -e /tmp/ok'),
  ],
  // Ignores TERM, so that stopping it takes its whole grace period.
  'tb/stubborn:1': ['CMD ["sh","-c","trap : TERM; while :; do sleep 1; done"]'],
}

/**
 * Imports the images into one engine. Imported images have no digest: deploy them with `resolve-image: never`.
 * @param socket path of the engine's unix socket
 * @param busybox path of a statically linked busybox
 * @param folder an existing folder in which the root file system may be laid out
 */
export async function importImages(socket, busybox, folder) {
  const tar = rootFileSystem(busybox, folder)
  const imports = Object.entries(images).map(([image, changes]) => {
    const [repo, tag] = image.split(':')
    const query = new URLSearchParams([
      ['fromSrc', '-'],
      ['repo', repo],
      ['tag', tag],
      ...changes.map((change) => ['changes', change]),
    ])
    return engineCall(socket, 'POST', `/images/create?${query}`, tar)
  })
  for (const answer of await Promise.all(imports)) {
    // The engine streams its progress with status 200, and an error is one of the lines.
    if (answer.text.includes('"error"')) throw new Error(`importing a test image failed: ${answer.text.trim()}`)
  }
}

function rootFileSystem(busybox, folder) {
  const root = fs.mkdtempSync(path.join(folder, 'rootfs-'))
  for (const name of ['bin', 'etc', 'tmp', 'run', 'proc', 'sys', 'dev', 'var', 'srv'])
    fs.mkdirSync(path.join(root, name))
  fs.copyFileSync(busybox, path.join(root, 'bin/busybox'))
  for (const applet of applets.split(' ')) fs.symlinkSync('busybox', path.join(root, 'bin', applet))
  fs.writeFileSync(path.join(root, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n')
  fs.writeFileSync(path.join(root, 'etc/group'), 'root:x:0:\nnobody:x:65534:\n')
  fs.writeFileSync(path.join(root, 'srv/index.html'), 'ok\n')
  fs.chmodSync(root, 0o755)
  fs.chmodSync(path.join(root, 'tmp'), 0o1777)
  const tar = execFileSync('tar', ['-C', root, '--owner=0', '--group=0', '-c', '.'], { maxBuffer: 64 << 20 })
  fs.rmSync(root, { recursive: true })
  return tar
}
