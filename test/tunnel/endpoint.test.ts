import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeployError } from '../../src/errors.ts'
import { describeEndpoint, hostName, parseEndpoint } from '../../src/tunnel/endpoint.ts'

const dockerSocket = '/var/run/docker.sock'
const ssh = (user: string, host: string, port = 22) => ({ kind: 'ssh', user, host, port, dockerSocket })

const good: readonly (readonly [text: string, endpoint: object, described: string])[] = [
  ['ssh://deploy@manager.example.com', ssh('deploy', 'manager.example.com'), 'ssh://deploy@manager.example.com'],
  ['ssh://deploy@10.0.0.1:2222', ssh('deploy', '10.0.0.1', 2222), 'ssh://deploy@10.0.0.1:2222'],
  ['SSH://root@host/', ssh('root', 'host'), 'ssh://root@host'],
  ['ssh://deploy@[2001:db8::1]:2222', ssh('deploy', '2001:db8::1', 2222), 'ssh://deploy@[2001:db8::1]:2222'],
  ['ssh://deploy@[::1]', ssh('deploy', '::1'), 'ssh://deploy@[::1]'],
  ['ssh://dom%5Cuser@host', ssh('dom\\user', 'host'), 'ssh://dom\\user@host'],
  [
    'unix:///run/user/1000/docker.sock',
    { kind: 'unix', path: '/run/user/1000/docker.sock' },
    'unix:///run/user/1000/docker.sock',
  ],
]

for (const [text, endpoint, described] of good) {
  test(`${text} is understood`, () => {
    const parsed = parseEndpoint(text, dockerSocket)
    assert.deepEqual(parsed, endpoint)
    assert.equal(describeEndpoint(parsed), described)
  })
}

const bad: readonly (readonly [text: string, message: RegExp, remedy: RegExp])[] = [
  ['ssh://manager.example.com', /names no user/, /ssh:\/\/USER@manager\.example\.com/],
  ['ssh://deploy:hunter2@host', /holds a password/, /ssh-key/],
  ['ssh://deploy@host:0', /0 is no port/, /65535/],
  ['ssh://deploy@host:70000', /70000 is no port/, /65535/],
  ['ssh://deploy@host/var/run/docker.sock', /does not read as an ssh address/, /docker-socket/],
  ['ssh://deploy@2001:db8::1', /does not read as an ssh address/, /ssh:\/\/user@host/],
  ['ssh://a%ZZ@host', /broken % escape/, /%25/],
  ['unix://docker.sock', /absolute path/, /three slashes/],
  ['tcp://host:2376', /not supported yet/, /ssh:\/\//],
  ['deploy@host', /no scheme/, /ssh:\/\/user@host/],
  ['ftp://host', /no way to reach an engine/, /unix:\/\//],
]

for (const [text, message, remedy] of bad) {
  test(`${text} is refused with what to write`, () => {
    assert.throws(
      () => parseEndpoint(text, dockerSocket),
      (error) => {
        assert.ok(error instanceof DeployError)
        assert.equal(error.code, 'input')
        assert.match(error.message, message)
        assert.match(error.remedy ?? '', remedy)
        assert.doesNotMatch(error.message + error.remedy, /hunter2/)
        return true
      },
    )
  })
}

test('known_hosts names a host by itself, and in brackets where the port is another', () => {
  assert.equal(hostName('Manager.Example.com', 22), 'manager.example.com')
  assert.equal(hostName('manager', 2222), '[manager]:2222')
  assert.equal(hostName('::1', 2222), '[::1]:2222')
})
