import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '../../domain/api-error.ts'

/** A no in HTTP, to somebody who is no WebSocket yet; in the words that the rest of the service uses. */
export function refuseUpgrade(socket: Duplex, fault: ApiError): void {
  const requestId = randomUUID()
  const body = JSON.stringify({ ...fault.body, request_id: requestId })
  const headers = [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status] ?? ''}`,
    `x-request-id: ${requestId}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
  ]
  if (fault.retryAfterSeconds !== undefined) headers.push(`retry-after: ${Math.ceil(fault.retryAfterSeconds)}`)
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
}
