import { Readable } from 'node:stream'
import send from '@fastify/send'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../domain/api-error.ts'
import type { LocalFile, RemoteFile, StoredFileAnswer } from '../endpoints/endpoint.ts'
import { byteRangeOf } from './byte-range.ts'
import { exactBytes } from './exact-bytes.ts'

export interface OpenedFile {
  readonly status: number
  readonly headers: Record<string, string>
  readonly content: Readable
}

/** Disables headers of the library: the ETag is the hash of the file, and all answers share their caching rules. */
const OPTIONS = {
  etag: false,
  lastModified: false,
  cacheControl: false,
  contentType: false,
  dotfiles: 'allow',
} as const

/** Opens the file or the requested range; the whole file when `If-Range` names another version. */
export async function openStoredFile(
  request: FastifyRequest,
  file: StoredFileAnswer['file'],
  onBroken: (error: Error) => void,
): Promise<OpenedFile> {
  const { name, sha256, revision } = file
  const etag = revision === 1 ? `"${sha256}"` : `"${sha256}-r${revision}"`
  const about = { etag, 'x-sha256': sha256, 'content-disposition': `attachment; filename="${name}"` }
  const { 'if-range': ifRange, 'if-none-match': ifNoneMatch, range } = request.headers
  if (ifNoneMatch?.split(',').some((each) => each.trim() === etag) === true) {
    return { status: 304, headers: about, content: Readable.from([]) }
  }
  // Clients that keep only the hash of a part can go on with it: the same hash means the same bytes.
  const isSameFile = ifRange === undefined || ifRange === etag || ifRange === `"${sha256}"`
  const wanted = isSameFile ? range : undefined
  const sent = await ('path' in file
    ? sendLocal(file, request.method, wanted)
    : sendRemote(file, request.method, wanted, onBroken))
  const { status, headers, content } = sent
  if (status === 200 || status === 206) return { status, headers: { ...about, ...headers }, content }
  content.destroy()
  if (status === 416) {
    const [, size] = String(headers['Content-Range']).split('/')
    throw new ApiError('range_not_satisfiable', `Range must lie within the file, which has ${size} bytes.`, {
      details: { size: Number(size), etag },
    })
  }
  throw new Error(`reading a stored file failed with status ${status}`)
}

async function sendLocal({ path }: LocalFile, method: string, range: string | undefined): Promise<OpenedFile> {
  const request = { method, headers: range === undefined ? {} : { range } }
  const { statusCode, headers, stream } = await send(request as unknown as Readable, encodeURI(path), OPTIONS)
  return { status: statusCode, headers, content: stream }
}

async function sendRemote(
  { bytes, open }: RemoteFile,
  method: string,
  range: string | undefined,
  onBroken: (error: Error) => void,
): Promise<OpenedFile> {
  const part = byteRangeOf(range, bytes)
  const nothing = Readable.from([])
  if (part === 'outside') return { status: 416, headers: { 'Content-Range': `bytes */${bytes}` }, content: nothing }
  const { start, end } = part ?? { start: 0, end: bytes }
  return {
    status: part === undefined ? 200 : 206,
    headers: {
      'Accept-Ranges': 'bytes',
      'Content-Length': String(end - start),
      ...(part && { 'Content-Range': `bytes ${start}-${end - 1}/${bytes}` }),
    },
    content: method === 'HEAD' ? nothing : exactBytes(await open(part), end - start, onBroken),
  }
}
