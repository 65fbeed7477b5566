import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeEndpoint, hostName } from '../../src/tunnel/endpoint.ts'

test('an endpoint is described as one writes it, port 22 left out', () => {
  const ssh = (user: string, host: string, port = 22) =>
    describeEndpoint({ kind: 'ssh', user, host, port, dockerSocket: '/var/run/docker.sock' })
  assert.equal(ssh('deploy', 'manager.example.com'), 'ssh://deploy@manager.example.com')
  assert.equal(ssh('deploy', '10.0.0.1', 2222), 'ssh://deploy@10.0.0.1:2222')
  assert.equal(ssh('deploy', '2001:db8::1', 2222), 'ssh://deploy@[2001:db8::1]:2222')
  assert.equal(ssh('deploy', '::1'), 'ssh://deploy@[::1]')
  assert.equal(describeEndpoint({ kind: 'unix', path: '/run/docker.sock' }), 'unix:///run/docker.sock')
})

test('known_hosts names a host by itself, and in brackets where the port is another', () => {
  assert.equal(hostName('Manager.Example.com', 22), 'manager.example.com')
  assert.equal(hostName('manager', 2222), '[manager]:2222')
  assert.equal(hostName('::1', 2222), '[::1]:2222')
})
