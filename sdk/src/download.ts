import { BookreelError, failureOf } from './bookreel-error.ts'
import type { CallOptions } from './call-options.ts'
import type { Retries } from './retries.ts'

export interface DownloadedFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** SHA-256 of the bytes, verified. */
  readonly sha256: string
  /** File name suggested by the service. */
  readonly name: string | undefined
}

/** One received chunk of a file. */
export interface DownloadProgress {
  readonly chunk: Uint8Array<ArrayBuffer>
  /** Position of the chunk. Starts again at 0 when the file changed on the service since the partial download. */
  readonly offset: number
  readonly totalBytes: number | undefined
  readonly sha256: string
}

export interface DownloadOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** Bytes of an earlier, incomplete download; only the rest is requested. */
  readonly partial?: { readonly bytes: Uint8Array; readonly sha256: string } | undefined
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined
}

type Send = (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>

/** The received bytes of one version of the file. */
class ReceivedBytes {
  #chunks: Uint8Array<ArrayBuffer>[] = []
  length = 0
  sha256 = ''

  begin(sha256: string): void {
    this.#chunks = []
    this.length = 0
    this.sha256 = sha256
  }

  add(chunk: Uint8Array<ArrayBuffer>): void {
    this.#chunks.push(chunk)
    this.length += chunk.length
  }

  joined(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.length)
    let offset = 0
    for (const chunk of this.#chunks) {
      bytes.set(chunk, offset)
      offset += chunk.length
    }
    return bytes
  }
}

/** Downloads a file, resumes after broken connections, and verifies the hash. */
export async function download(send: Send, retries: Retries, options: DownloadOptions): Promise<DownloadedFile> {
  const received = new ReceivedBytes()
  const { partial, signal, timeoutMs = 60_000 } = options
  if (partial !== undefined && partial.bytes.length > 0) {
    received.begin(partial.sha256)
    received.add(new Uint8Array(partial.bytes))
  }
  for (;;) {
    const timeout = AbortSignal.timeout(timeoutMs)
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    const before = received.length
    try {
      const name = await fetchRest(send, either, received, options)
      return { bytes: await checked(received), sha256: received.sha256, name }
    } catch (error) {
      if (received.length > before) retries.reset()
      await retries.wait(error instanceof BookreelError ? error : failureOf(error, timeout))
    }
  }
}

async function fetchRest(
  send: Send,
  signal: AbortSignal,
  received: ReceivedBytes,
  { onProgress }: DownloadOptions,
): Promise<string | undefined> {
  const { length, sha256 } = received
  const isResumed = length > 0
  const answer = await send(isResumed ? { range: `bytes=${length}-`, 'if-range': `"${sha256}"` } : {}, signal).catch(
    (error: unknown) => {
      if (isResumed && isComplete(error, length)) return undefined
      throw error
    },
  )
  if (answer === undefined) return undefined
  const { headers, status, body } = answer
  const name = /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1]
  if (status !== 206) received.begin(headers.get('x-sha256') ?? '')
  const restBytes = headers.get('content-length')
  const totalBytes = restBytes === null ? undefined : received.length + Number(restBytes)
  if (body === null) return name
  const reader = body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const offset = received.length
    received.add(read.value)
    onProgress?.({ chunk: read.value, offset, totalBytes, sha256: received.sha256 })
  }
  return name
}

/** The service has no bytes after `length`: the file is complete. */
function isComplete(error: unknown, length: number): boolean {
  return error instanceof BookreelError && error.code === 'range_not_satisfiable' && error.details?.size === length
}

async function checked(received: ReceivedBytes): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = received.joined()
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  if (sha256 === received.sha256) return bytes
  const details = { expected: received.sha256, found: sha256, bytes: bytes.length }
  throw new BookreelError(
    'corrupt_file',
    'The SHA-256 of the received bytes does not match the file. Delete partial files and download again.',
    { details },
  )
}
