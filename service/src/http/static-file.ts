import type { FastifyInstance } from 'fastify'
import { EncodedBytes } from './encoded-bytes.ts'

export interface StaticFile {
  readonly content: string | Buffer
  readonly type: string
  readonly cacheControl: string
  readonly headers?: Readonly<Record<string, string>>
}

/** By hash. Several servers of a process, as in tests, share the compressed bytes of a file. */
const files = new Map<string, EncodedBytes>()

/**
 * Serves a file that never changes while the process runs. It is compressed once when the server starts to listen, and
 * every answer sends the same bytes, so a request costs neither compression nor a copy.
 */
export function addStaticFile(app: FastifyInstance, path: string, file: StaticFile): void {
  const given = new EncodedBytes(file.content)
  const bytes = files.get(given.hash) ?? given
  files.set(given.hash, bytes)
  app.addHook('onListen', () => bytes.prepare())
  app.get(path, { compress: false }, async (request, reply) => {
    const { status, headers, content } = await bytes.answer(request.headers)
    reply.headers({ ...file.headers, 'cache-control': file.cacheControl, ...headers }).status(status)
    return status === 304 ? reply.send() : reply.type(file.type).send(content)
  })
}
