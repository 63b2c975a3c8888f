import type { RawData } from 'ws'
import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { ClientFrame, RequestId } from '../protocol/protocol.ts'

/** A frame of a client. Fault: `invalid_request`, with what is wrong with it. */
export function readFrame(text: string): ClientFrame {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw new ApiError('invalid_request', 'A frame must be one JSON object.')
  }
  const read = ClientFrame.safeParse(content)
  if (read.success) return read.data
  const words = z
    .prettifyError(read.error)
    .replaceAll(/\s*\n\s*/g, ' ')
    .slice(0, 400)
  throw new ApiError('invalid_request', `The frame can't be understood: ${words}`)
}

/** What a broken frame calls itself, so that its sender knows which one it was. */
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

/** Our sockets deliver Buffers only. */
export function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString() : ''
}
