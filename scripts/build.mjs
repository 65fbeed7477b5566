// Bundles src/index.ts into the one file that the runner starts: dist/index.js, readable, with the licences of what is in it.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * Of @actions/core a deployment needs no more than a mask; for the OIDC tokens that it could fetch it would load a whole HTTP client at
 * every start, which takes longer than all else together.
 */
const withoutOidc = {
  name: 'without-oidc',
  setup({ onResolve }) {
    onResolve({ filter: /^@actions\/http-client/ }, ({ importer }) =>
      importer.includes('/@actions/core/') ? { path: path.join(root, 'scripts/absent.cjs') } : undefined,
    )
  },
}

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const out = path.resolve(root, process.argv[2] ?? 'dist')

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/index.ts'],
  outfile: path.join(out, 'index.js'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  // The action declares node24; the demo must also run on the Node 20 of a fresh machine.
  target: 'node20',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [withoutOidc],
  // dockerode reaches for gRPC only to serve BuildKit sessions, and a deployment never builds.
  alias: Object.fromEntries(
    ['@grpc/grpc-js', '@grpc/proto-loader', 'protobufjs'].map((name) => [name, './scripts/absent.cjs']),
  ),
  // Native speed-ups of ssh2: it does without when they are not there.
  external: ['cpu-features', './crypto/build/Release/sshcrypto.node'],
  banner: {
    js: [
      "import { createRequire as __createRequire } from 'node:module'",
      'const require = __createRequire(import.meta.url)',
      'const __filename = import.meta.filename',
      'const __dirname = import.meta.dirname',
    ].join('\n'),
  },
})

const packages = new Set(
  Object.keys(metafile.inputs).flatMap((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
)
const licences = [...packages].sort().map((folder) => {
  const { name, version, license } = JSON.parse(fs.readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
  const file = fs.readdirSync(path.join(root, folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  const text = file
    ? fs
        .readFileSync(path.join(root, folder, file), 'utf8')
        .trim()
        .replaceAll('\r\n', '\n')
    : `Licence: ${license}`
  return `${name} ${version}\n\n${text}\n`
})
fs.writeFileSync(path.join(out, 'licenses.txt'), licences.join(`\n${'-'.repeat(80)}\n\n`))
