import type { SshConnection } from './login.ts'

/** Tells, once, that a connection over SSH is lost and why; the error has the code `ECONNRESET`, as that of a socket would. */
export function onLoss({ client }: SshConnection, name: string, tell: (lost: Error) => void): void {
  let isTold = false
  const lose = (why: string): void => {
    if (isTold) return
    isTold = true
    tell(Object.assign(new Error(`the SSH connection to ${name} was lost: ${why}`), { code: 'ECONNRESET' }))
  }
  client.on('error', (error) => lose(error.level === 'client-timeout' ? 'the server stopped answering' : error.message))
  client.on('end', () => lose('the server ended it'))
  client.on('close', () => lose('it closed'))
}
