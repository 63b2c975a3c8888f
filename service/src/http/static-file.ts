import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'

export interface StaticFile {
  readonly content: string | Buffer
  readonly type: string
  readonly cacheControl: string
  readonly headers?: Readonly<Record<string, string>>
}

type Encoding = 'br' | 'gzip' | 'identity'

/** Higher qualities take seconds for the script of the reference page and save little. */
const BROTLI_QUALITY = 6
/** Smaller files hardly shrink. */
const MIN_COMPRESSED_BYTES = 1_024

const COMPRESS = {
  br: (bytes: Buffer): Promise<Buffer> =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes: Buffer): Promise<Buffer> => promisify(gzip)(bytes),
} as const

/** Several servers of a process, as in tests, share the compressed bytes of a file. */
const compressed = new Map<string, Promise<Buffer>>()

/**
 * Serves a file that never changes while the process runs. It is compressed once when the server starts to listen, and
 * every answer sends the same bytes, so a request costs neither compression nor a copy.
 */
export function addStaticFile(app: FastifyInstance, path: string, file: StaticFile): void {
  const bytes = Buffer.from(file.content)
  const hash = createHash('sha256').update(bytes).digest('base64url')
  const encoded = async (encoding: Encoding): Promise<Buffer> => {
    if (encoding === 'identity') return bytes
    const name = `${encoding} ${hash}`
    const made = compressed.get(name) ?? COMPRESS[encoding](bytes)
    compressed.set(name, made)
    return made
  }
  const isCompressed = bytes.length >= MIN_COMPRESSED_BYTES
  app.addHook('onListen', async () => {
    if (isCompressed) await Promise.all([encoded('br'), encoded('gzip')])
  })
  app.get(path, { compress: false }, async (request, reply) => {
    const encoding = isCompressed ? encodingFor(request) : 'identity'
    const etag = `"${hash}-${encoding}"`
    reply.headers({ ...file.headers, 'cache-control': file.cacheControl, etag, vary: 'accept-encoding' })
    if (request.headers['if-none-match']?.split(',').some((each) => each.trim() === etag)) {
      return reply.status(304).send()
    }
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.type(file.type).send(await encoded(encoding))
  })
}

function encodingFor({ headers }: FastifyRequest): Encoding {
  const accepted = String(headers['accept-encoding'] ?? '')
    .split(',')
    .map((each) => each.replaceAll(/\s/g, '').toLowerCase())
    .filter((each) => !/;q=0(\.0*)?$/.test(each))
    .map((each) => each.split(';')[0])
  if (accepted.includes('br')) return 'br'
  return accepted.includes('gzip') || accepted.includes('*') ? 'gzip' : 'identity'
}
