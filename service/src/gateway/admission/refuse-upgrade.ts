import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '../../domain/api-error.ts'
import { errorHeaders } from '../../pipeline/status-headers.ts'

/** Answers a WebSocket upgrade with an HTTP error, in the same form as other endpoints. */
export function refuseUpgrade(socket: Duplex, error: ApiError): void {
  const requestId = randomUUID()
  const body = JSON.stringify({ ...error.body, request_id: requestId })
  const headers = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    `x-request-id: ${requestId}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
    ...Object.entries(errorHeaders(error)).map(([name, value]) => `${name}: ${value}`),
  ]
  // Otherwise a client that never closes its side would hold the socket for ever.
  socket.once('finish', () => socket.destroy())
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
}
