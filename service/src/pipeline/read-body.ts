import type { IncomingMessage } from 'node:http'
import { ApiError } from '../domain/api-error.ts'
import { CallerDisconnected } from './in-time.ts'

const JSON_TYPE = /^application\/json\s*(;|$)/i

/** The JSON text of a request; undefined when it has no body. Call it only after the caller is admitted. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type = '' } = request.headers
  if (encoding === undefined && (length ?? '0') === '0') return undefined
  if (!JSON_TYPE.test(type))
    throw new ApiError('unsupported_media_type', 'The body must be JSON. Send Content-Type: application/json.')
  if (Number(length) > maxBytes) throw tooLarge(maxBytes)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // The socket must stay open for the error response when the body is too large.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof ApiError ? error : new CallerDisconnected('The body ended early', { cause: error })
  }
  return Buffer.concat(chunks).toString()
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('payload_too_large', `The body must have at most ${maxBytes} bytes.`)
}
