// One HTTP call to an engine's unix socket: what the test bed needs of the Engine API, without a client library.
import http from 'node:http'

/**
 * @param socket path of the engine's unix socket
 * @param body a Buffer (sent as a tar), or a value (sent as JSON), or nothing
 * @returns {Promise<{status: number, text: string, json: any}>} json is undefined where the answer is not JSON
 * @throws an Error with the engine's own message, when the status is 400 or above
 */
export function engineCall(socket, method, path, body) {
  const binary = Buffer.isBuffer(body)
  const payload = body === undefined || binary ? body : JSON.stringify(body)
  const headers = payload === undefined ? {} : { 'Content-Type': binary ? 'application/x-tar' : 'application/json' }
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath: socket, method, path, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => {
        const status = response.statusCode ?? 0
        const json = parse(text)
        if (status >= 400)
          reject(new Error(`${method} ${path.split('?')[0]}: ${status} ${json?.message ?? text.trim()}`))
        else resolve({ status, text, json })
      })
    })
    request.on('error', reject)
    request.end(payload)
  })
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
