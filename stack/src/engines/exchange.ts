import { createConnection } from 'node:net'

/** Sends a request to a local port and returns the reply as soon as `isComplete` accepts it. */
export function exchange(
  port: number,
  request: string | Buffer,
  isComplete: (received: string) => boolean,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = createConnection({ port, host: '127.0.0.1', signal })
    socket.once('connect', () => socket.write(request))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (!isComplete(received)) return
      socket.destroy()
      resolve(received)
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error(`The connection closed after: ${received.slice(0, 200)}`)))
  })
}
