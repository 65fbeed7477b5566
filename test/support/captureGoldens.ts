// Writes test/fixtures/convert/*/golden.json: what the docker CLI on this machine sends for the manifests beside it.
//
//   node test/support/captureGoldens.ts
//
// The goldens in the repository come from docker CLI 28.2.2. The tests need no docker: they only read them.
import fs from 'node:fs'
import path from 'node:path'
import { goldenFixtures } from './convertFixtures.ts'
import { dockerDeploy, dockerVersion, printExactly } from './dockerCli.ts'

for (const { name, directory, files, environment } of goldenFixtures()) {
  const result = await dockerDeploy(directory, files, 'shop', environment)
  if ('refusal' in result) throw new Error(`${name}: ${result.refusal}`)
  const text = printExactly({ docker: dockerVersion(), ...result.sent }, 1)
  const relocated = text.replaceAll(path.dirname(directory), '@FIXTURES@')
  fs.writeFileSync(path.join(directory, 'golden.json'), `${relocated}\n`)
}
