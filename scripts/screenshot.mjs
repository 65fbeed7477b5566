// Draws docs/images/summary.png, the job summary of a failed deployment: a golden of the tests, rendered by GitHub's rules, in headless
// Chromium (`apt-get install chromium fonts-noto-color-emoji`). No part of `npm test`: look at the picture when the summary changes.
//
//     node scripts/screenshot.mjs
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const markdown = fs.readFileSync(path.join(root, 'test/fixtures/report/failed.md'), 'utf8')
const html = micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] })

const style = `
  body { font: 14px/1.5 'DejaVu Sans', sans-serif; color: #1f2328; margin: 24px; width: 900px }
  h2 { border-bottom: 1px solid #d1d9e0; padding-bottom: 6px } h2, h3 { line-height: 1.25 }
  code { font: 85% 'DejaVu Sans Mono', monospace; background: #818b981f; padding: .2em .4em; border-radius: 6px }
  pre { background: #f6f8fa; padding: 12px; border-radius: 6px; overflow: hidden } pre code { background: none; padding: 0 }
  table { border-collapse: collapse } td, th { border: 1px solid #d1d9e0; padding: 6px 13px } tr:nth-child(2n) { background: #f6f8fa }
  summary { cursor: pointer }`
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'screenshot-'))
const page = path.join(folder, 'summary.html')
// Folded away on GitHub; opened here, for what is in it is the point.
fs.writeFileSync(
  page,
  `<!doctype html><meta charset="utf-8"><style>${style}</style>${html.replaceAll('<details>', '<details open>')}`,
)
const picture = path.join(root, 'docs/images/summary.png')
fs.mkdirSync(path.dirname(picture), { recursive: true })
execFileSync(
  'chromium',
  [
    ...[
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
    ...['--disable-component-update', '--disable-sync', '--hide-scrollbars', `--user-data-dir=${folder}/profile`],
    ...['--window-size=960,1000', `--screenshot=${picture}`, `file://${page}`],
  ],
  { stdio: ['ignore', 'ignore', 'ignore'], timeout: 60_000 },
)
fs.rmSync(folder, { recursive: true })
