import type { RawData } from 'ws'
import { ApiError } from '../../domain/api-error.ts'
import { readValues } from '../../endpoints/schemas/read-values.ts'
import { ClientFrame, RequestId } from '../protocol/protocol.ts'

/** Throws `invalid_request` with the reason. */
export function readFrame(text: string): ClientFrame {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw new ApiError('invalid_request', 'A frame must be a JSON object.')
  }
  return readValues(ClientFrame, content, 'frame')
}

/** The id of a frame that may be invalid, for the error frame. */
export function idIn(text: string): string | number | undefined {
  try {
    const { id } = JSON.parse(text) as { id?: unknown }
    return RequestId.safeParse(id).data
  } catch {
    return undefined
  }
}

export function momentMs(moment: number | string): number {
  return typeof moment === 'number' ? moment : Date.parse(moment)
}

/** With the default `binaryType` every message is a Buffer. */
export function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString() : ''
}
