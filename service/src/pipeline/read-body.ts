import type { IncomingMessage } from 'node:http'
import { ApiError } from '../domain/api-error.ts'
import { CallerLeft } from './in-time.ts'

const JSON_TYPE = /^application\/json\s*(;|$)/i

/** The JSON text of a request; undefined when it has no body. Read only after its caller is admitted. */
export async function readBody(request: IncomingMessage, largestBytes: number): Promise<string | undefined> {
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type = '' } = request.headers
  if (encoding === undefined && (length ?? '0') === '0') return undefined
  if (!JSON_TYPE.test(type)) throw new ApiError('unsupported_media_type', 'Send application/json.')
  if (Number(length) > largestBytes) throw tooLarge(largestBytes)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // The refusal of a body that is too large is still sent over this connection.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength
      if (bytes > largestBytes) throw tooLarge(largestBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof ApiError ? error : new CallerLeft('The body ended early', { cause: error })
  }
  return Buffer.concat(chunks).toString()
}

function tooLarge(largestBytes: number): ApiError {
  return new ApiError('payload_too_large', `The body is too large: at most ${largestBytes} bytes are read.`)
}
