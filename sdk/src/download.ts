import { BookreelError, failureOf } from './bookreel-error.ts'
import type { CallOptions } from './call-options.ts'
import type { Retries } from './retries.ts'

export interface DownloadedFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Of the bytes, checked. */
  readonly sha256: string
  /** As the service calls it. */
  readonly name: string | undefined
}

/** One piece of a file that has arrived. */
export interface DownloadProgress {
  readonly chunk: Uint8Array<ArrayBuffer>
  /** Where it belongs. 0 again when the service has another version of the file than the one that was begun. */
  readonly offset: number
  readonly totalBytes: number | undefined
  readonly sha256: string
}

export interface DownloadOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** What an earlier download left behind; only the rest is fetched. */
  readonly partial?: { readonly bytes: Uint8Array; readonly sha256: string } | undefined
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined
}

type Send = (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>

/** What has arrived so far of one version of the file. */
class Pieces {
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

/** Fetches a file, goes on where a connection broke, and checks what came against its hash. */
export async function download(send: Send, retries: Retries, options: DownloadOptions): Promise<DownloadedFile> {
  const pieces = new Pieces()
  const { partial, signal, timeoutMs = 60_000 } = options
  if (partial !== undefined && partial.bytes.length > 0) {
    pieces.begin(partial.sha256)
    pieces.add(new Uint8Array(partial.bytes))
  }
  for (;;) {
    const late = AbortSignal.timeout(timeoutMs)
    const either = signal === undefined ? late : AbortSignal.any([signal, late])
    const before = pieces.length
    try {
      const name = await fetchRest(send, either, pieces, options)
      return { bytes: await checked(pieces), sha256: pieces.sha256, name }
    } catch (error) {
      if (pieces.length > before) retries.reset()
      await retries.wait(error instanceof BookreelError ? error : failureOf(error, late))
    }
  }
}

async function fetchRest(
  send: Send,
  signal: AbortSignal,
  pieces: Pieces,
  { onProgress }: DownloadOptions,
): Promise<string | undefined> {
  const { length, sha256 } = pieces
  const isBegun = length > 0
  const answer = await send(isBegun ? { range: `bytes=${length}-`, 'if-range': `"${sha256}"` } : {}, signal).catch(
    (error: unknown) => {
      if (isBegun && isAllThere(error, length)) return undefined
      throw error
    },
  )
  if (answer === undefined) return undefined
  const { headers, status, body } = answer
  const name = /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1]
  if (status !== 206) pieces.begin(headers.get('x-sha256') ?? '')
  const restBytes = headers.get('content-length')
  const totalBytes = restBytes === null ? undefined : pieces.length + Number(restBytes)
  if (body === null) return name
  const reader = body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const offset = pieces.length
    pieces.add(read.value)
    onProgress?.({ chunk: read.value, offset, totalBytes, sha256: pieces.sha256 })
  }
  return name
}

/** Nothing follows what is there already. */
function isAllThere(error: unknown, length: number): boolean {
  return error instanceof BookreelError && error.code === 'range_not_satisfiable' && error.details?.size === length
}

async function checked(pieces: Pieces): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = pieces.joined()
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  if (sha256 === pieces.sha256) return bytes
  const details = { expected: pieces.sha256, found: sha256, bytes: bytes.length }
  throw new BookreelError('corrupt_file', 'The bytes that came are not those of the file.', { details })
}
