import type { ApiError } from '../../domain/api-error.ts'
import { CLOSE_CODES } from '../protocol/protocol.ts'
import type { SocketWriter } from './socket-writer.ts'

/** Sends the reason and whether to reconnect, then closes the connection. */
export function refuseConnection(
  writer: SocketWriter,
  isSimple: boolean,
  { code, message, retryAfterSeconds }: ApiError,
  closeCode: number,
): void {
  const mayReconnect = code === 'store_unavailable' || code === 'overloaded'
  const actual = mayReconnect ? CLOSE_CODES.going_away : closeCode
  if (isSimple) {
    writer.send(JSON.stringify({ type: 'error', code: actual, message }))
    return writer.close(actual, code)
  }
  const retry = retryAfterSeconds === undefined ? {} : { retry_after_ms: retryAfterSeconds * 1_000 }
  writer.close(actual, code, { type: 'closing', code, message, reconnect: mayReconnect, ...retry })
}
