import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Answer, Endpoint, EndpointRequest, FileAnswer, StoredFileAnswer } from '../endpoints/endpoint.ts'
import { invalidParameter } from '../endpoints/schemas/read-values.ts'
import type { Rendering } from '../pipeline/exchange.ts'
import type { Format } from './read-input.ts'
import { asideHeaders } from './reply-headers.ts'
import { openStoredFile } from './stored-file.ts'
import { flatten } from './tabular.ts'

export type Answered = (Answer<unknown> | FileAnswer | StoredFileAnswer) & { readonly heldAs?: string }

export interface RenderedAnswer extends Rendering {
  readonly content: string | Uint8Array | Readable
  readonly headers: Readonly<Record<string, string>>
}

const MEDIA_TYPES: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

/** Calls the handler of the endpoint for this format. */
export async function handle(
  endpoint: Endpoint,
  format: Format,
  request: EndpointRequest<unknown, unknown, unknown>,
): Promise<Answered> {
  const file = await endpoint.file?.(request)
  if (file !== undefined) {
    if (format === 'csv' || format === 'tsv')
      throw invalidParameter('format', `must be parquet for this file, got "${format}"`)
    return file
  }
  if (format !== 'parquet') return endpoint.handle(request)
  if (endpoint.parquet === undefined)
    throw invalidParameter('format', 'must be json for a request without a file, got "parquet"')
  return endpoint.parquet(request)
}

export async function renderAnswer(
  endpoint: Endpoint,
  format: Format,
  answered: Answered,
  request: FastifyRequest,
): Promise<RenderedAnswer> {
  const { status, headers, content } = await renderBody(endpoint, format, answered, request)
  const { aside = {}, emptyReason, maxAgeSeconds } = answered
  const visibility = endpoint.access === 'public' ? 'public' : 'private'
  return {
    content,
    status: status ?? answered.status ?? endpoint.status ?? 200,
    isDelivered: request.method !== 'HEAD' && status !== 304,
    headers: {
      'cache-control': maxAgeSeconds === undefined ? 'no-store' : `${visibility}, max-age=${maxAgeSeconds}`,
      ...(emptyReason !== undefined && { 'x-empty-reason': emptyReason }),
      ...headers,
      ...asideHeaders(aside),
    },
    discard: () => void (content instanceof Readable && content.destroy()),
  }
}

interface RenderedBody {
  readonly content: RenderedAnswer['content']
  readonly headers: Readonly<Record<string, string>>
  readonly status?: number
}

async function renderBody(
  endpoint: Endpoint,
  format: Format,
  answered: Answered,
  request: FastifyRequest,
): Promise<RenderedBody> {
  if ('file' in answered) {
    const { headers, ...opened } = await openStoredFile(request, answered.file)
    return { ...opened, headers: { 'content-type': answered.file.type, ...headers } }
  }
  const headers = { 'content-type': MEDIA_TYPES[format] }
  if ('pieces' in answered) return { content: Buffer.concat(await Array.fromAsync(answered.pieces)), headers }
  if (format !== 'csv' && format !== 'tsv') {
    return { content: endpoint.render?.(answered.body) ?? JSON.stringify(answered.body), headers }
  }
  const { text, rowCount, envelope } = flatten(endpoint, answered.body, {
    format,
    isWithoutBooks: refusesBooks(request),
  })
  const disposition = `attachment; filename="${endpoint.name}.${format}"`
  const about = { 'content-disposition': disposition, 'x-row-count': String(rowCount), ...asideHeaders(envelope) }
  return { content: text, headers: { ...headers, ...about } }
}

/** Without the parameter the columns stay, because their number is part of the interface. */
function refusesBooks({ query }: FastifyRequest): boolean {
  return (query as { includebook?: unknown }).includebook === 'false'
}
