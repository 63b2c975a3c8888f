import type { ApiError } from '../../domain/api-error.ts'
import { CLOSE_CODES } from '../protocol/protocol.ts'
import type { SocketWriter } from './socket-writer.ts'

/** Why the server ends a connection, and what the client should do. */
export interface Ending {
  readonly code: string
  readonly message: string
  readonly closeCode: number
  readonly mayReconnect: boolean
  readonly retryAfterMs?: number
}

export function refuseConnection(
  writer: SocketWriter,
  isSimple: boolean,
  { code, message, retryAfterSeconds }: ApiError,
  closeCode: number,
): void {
  const mayReconnect = code === 'store_unavailable' || code === 'overloaded'
  endConnection(writer, isSimple, {
    code,
    message,
    closeCode: mayReconnect ? CLOSE_CODES.going_away : closeCode,
    mayReconnect,
    ...(retryAfterSeconds !== undefined && { retryAfterMs: retryAfterSeconds * 1_000 }),
  })
}

/** Sends the reason and whether to reconnect, then closes the connection. */
export function endConnection(writer: SocketWriter, isSimple: boolean, ending: Ending): void {
  const { code, message, closeCode, mayReconnect, retryAfterMs } = ending
  if (isSimple) {
    writer.send(JSON.stringify({ type: 'error', code: closeCode, message }))
    return writer.close(closeCode, code)
  }
  const retry = retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }
  writer.close(closeCode, code, { type: 'closing', code, message, reconnect: mayReconnect, ...retry })
}
