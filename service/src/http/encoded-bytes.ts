import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { acceptedEncoding, type Encoding } from './accepted-encoding.ts'

/** Higher qualities take seconds for the script of the reference page and save little. */
const BROTLI_QUALITY = 6
/** Smaller contents hardly shrink. */
const MIN_COMPRESSED_BYTES = 1_024

const COMPRESS = {
  br: (bytes: Buffer): Promise<Buffer> =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes: Buffer): Promise<Buffer> => promisify(gzip)(bytes),
} as const

export interface EncodedAnswer {
  /** 304 for a client that has these bytes. */
  readonly status: 200 | 304
  readonly headers: Readonly<Record<string, string>>
  readonly content: Buffer
}

/** Bytes that many ask for: compressed once in each encoding, and not sent to those who have them. */
export class EncodedBytes {
  readonly hash: string
  readonly #bytes: Buffer
  readonly #compressed = new Map<Encoding, Promise<Buffer>>()

  constructor(content: string | Buffer) {
    this.#bytes = Buffer.from(content)
    this.hash = createHash('sha256').update(this.#bytes).digest('base64url')
  }

  get #isCompressed(): boolean {
    return this.#bytes.length >= MIN_COMPRESSED_BYTES
  }

  /** Compresses them before anybody asks. */
  async prepare(): Promise<void> {
    if (this.#isCompressed) await Promise.all([this.#in('br'), this.#in('gzip')])
  }

  async answer(request: Pick<IncomingHttpHeaders, 'accept-encoding' | 'if-none-match'>): Promise<EncodedAnswer> {
    const encoding = this.#isCompressed ? acceptedEncoding(request['accept-encoding']) : 'identity'
    const etag = `"${this.hash}-${encoding}"`
    const headers = { etag, vary: 'accept-encoding' }
    if (request['if-none-match']?.split(',').some((each) => each.trim() === etag))
      return { status: 304, headers, content: Buffer.alloc(0) }
    const content = await this.#in(encoding)
    if (encoding === 'identity') return { status: 200, headers, content }
    return { status: 200, headers: { ...headers, 'content-encoding': encoding }, content }
  }

  async #in(encoding: Encoding): Promise<Buffer> {
    if (encoding === 'identity') return this.#bytes
    const made = this.#compressed.get(encoding) ?? COMPRESS[encoding](this.#bytes)
    this.#compressed.set(encoding, made)
    return made
  }
}
