import type { ApiError } from '../../domain/api-error.ts'
import { CLOSE_CODES } from '../protocol/protocol.ts'
import type { SocketWriter } from './socket-writer.ts'

/** Says in the words of its protocol why a connection ends, and whether to come back. */
export function refuseConnection(
  writer: SocketWriter,
  isSimple: boolean,
  { code, message, retryAfterSeconds }: ApiError,
  closeCode: number,
): void {
  const mayReturn = code === 'store_unavailable' || code === 'overloaded'
  const actual = mayReturn ? CLOSE_CODES.going_away : closeCode
  if (isSimple) {
    writer.send(JSON.stringify({ type: 'error', code: actual, message }))
    return writer.close(actual, code)
  }
  const retry = retryAfterSeconds === undefined ? {} : { retry_after_ms: retryAfterSeconds * 1_000 }
  writer.close(actual, code, { type: 'closing', code, message, reconnect: mayReturn, ...retry })
}
