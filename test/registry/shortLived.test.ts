import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Credential } from '../../src/registry/credential.ts'
import { shortLived } from '../../src/registry/shortLived.ts'

const noUser = '00000000-0000-0000-0000-000000000000'
const cases: readonly (readonly [credential: Credential, what: RegExp | undefined])[] = [
  [{ username: 'octocat', password: 'ghs_abc', serveraddress: 'ghcr.io' }, /GitHub's token of this job/],
  [{ identitytoken: 'ghs_abc', serveraddress: 'https://ghcr.io/v2/' }, /GitHub's token of this job/],
  [{ username: 'octocat', password: 'ghp_abc', serveraddress: 'ghcr.io' }, undefined],
  [{ username: 'ghs_user', password: 'x', serveraddress: 'ghcr.io' }, undefined],
  [{ username: 'AWS', password: 'x', serveraddress: 'public.ecr.aws' }, /ECR.*12 hours/],
  [{ username: 'u', password: 'x', serveraddress: '123456789012.dkr.ecr.eu-west-1.amazonaws.com' }, /ECR/],
  [{ username: 'u', password: 'x', serveraddress: 'https://1.dkr.ecr-fips.us-gov-west-1.amazonaws.com/v2/' }, /ECR/],
  [{ username: 'u', password: 'x', serveraddress: '1.dkr.ecr.cn-north-1.amazonaws.com.cn' }, /ECR/],
  [{ username: 'u', password: 'x', serveraddress: 'dkr.ecr.amazonaws.com.evil.example' }, undefined],
  [{ username: 'oauth2accesstoken', password: 'ya29.x', serveraddress: 'eu.gcr.io' }, /Google.*an hour/],
  [{ username: '_dcgcloud_token', password: 'ya29.x', serveraddress: 'eu.gcr.io' }, /Google/],
  [{ username: '_json_key', password: '{}', serveraddress: 'eu.gcr.io' }, undefined],
  [{ username: noUser, password: 'eyJ', serveraddress: 'acme.azurecr.io' }, /Azure.*3 hours/],
  [{ username: noUser, identitytoken: 'eyJ', serveraddress: 'acme.azurecr.io' }, /Azure/],
  [{ identitytoken: 'eyJ', serveraddress: 'acme.azurecr.io' }, /Azure/],
  [{ username: 'puller', password: 'x', serveraddress: 'acme.azurecr.io' }, undefined],
  [{ username: 'gitlab-ci-token', password: 'x', serveraddress: 'registry.gitlab.com' }, /GitLab/],
  [{}, undefined],
]

for (const [credential, what] of cases) {
  const { username = '', serveraddress = '' } = credential
  test(`${username}@${serveraddress} ${what === undefined ? 'lasts' : 'ends soon'}`, () => {
    const found = shortLived(credential)
    if (what === undefined) assert.equal(found, undefined)
    else {
      assert.match(found?.what ?? '', what)
      assert.match(found?.remedy ?? '', /\.$/)
    }
  })
}
