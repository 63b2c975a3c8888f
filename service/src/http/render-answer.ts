import { createHash } from 'node:crypto'
import { finished, Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type {
  Answer,
  Endpoint,
  EndpointRequest,
  FileAnswer,
  StoredFileAnswer,
  StreamedAnswer,
} from '../endpoints/endpoint.ts'
import { invalidParameter } from '../endpoints/schemas/read-values.ts'
import type { Rendering } from '../pipeline/exchange.ts'
import { byteCount, envelopeHeaders } from './envelope-headers.ts'
import type { KeptAnswers } from './kept-answers.ts'
import type { Format } from './read-input.ts'
import { asideHeaders } from './reply-headers.ts'
import { openStoredFile } from './stored-file.ts'
import { streamedList } from './streamed-list.ts'
import { flatten } from './tabular.ts'

export type Answered = (Answer<unknown> | FileAnswer | StoredFileAnswer | StreamedAnswer) & {
  readonly heldAs?: string
  readonly freeIfBoughtBeforeMs?: number | undefined
  readonly books?: number
}

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
  if (format !== 'parquet') {
    const streamed = await endpoint.stream?.(request)
    if (streamed !== undefined) return streamed
    const answer: Answer<unknown> = await endpoint.handle(request)
    return { ...answer, ...(answer.exactBooks && { books: answer.exactBooks(answer.body) }) }
  }
  if (endpoint.parquet === undefined)
    throw invalidParameter('format', 'must be json for a request without a file, got "parquet"')
  return endpoint.parquet(request)
}

export interface FormatOptions {
  readonly format: Format
  readonly isSpreadsheetSafe: boolean
  readonly kept: KeptAnswers
}

export async function renderAnswer(
  endpoint: Endpoint,
  options: FormatOptions,
  answered: Answered,
  request: FastifyRequest,
  onBroken: (error: Error) => void,
): Promise<RenderedAnswer> {
  const { status, headers, content } = await renderBody(endpoint, options, answered, request, onBroken)
  const { aside = {}, emptyReason, maxAgeSeconds } = answered
  // Other formats need a key of some tiers, so a shared cache must not give them to everybody.
  const isShared = endpoint.access === 'public' && options.format === 'json'
  const isDelivered = request.method !== 'HEAD' && status !== 304
  return {
    content,
    status: status ?? answered.status ?? endpoint.status ?? 200,
    isDelivered,
    ...(isDelivered && content instanceof Readable && { untilSent: untilEnded(content) }),
    headers: {
      'cache-control': cacheControl(maxAgeSeconds, isShared),
      ...(emptyReason !== undefined && { 'x-empty-reason': emptyReason }),
      ...headers,
      ...(maxAgeSeconds !== undefined && !isShared && { vary: byKey(headers.vary) }),
      ...asideHeaders(aside),
    },
    discard: () => void (content instanceof Readable && content.destroy()),
    hash: () => (content instanceof Readable ? undefined : createHash('sha256').update(content).digest('base64url')),
  }
}

function untilEnded(content: Readable): Promise<void> {
  return new Promise((resolve) => finished(content, () => resolve()))
}

function cacheControl(maxAgeSeconds: number | undefined, isShared: boolean): string {
  if (maxAgeSeconds === undefined) return 'no-store'
  if (!isShared) return `private, max-age=${maxAgeSeconds}`
  return `public, max-age=${maxAgeSeconds}, s-maxage=${maxAgeSeconds}`
}

/** Two keys may ask from one browser, and their answers differ. */
function byKey(vary: string | undefined): string {
  return [vary, 'x-api-key, authorization'].filter((each) => each !== undefined).join(', ')
}

interface RenderedBody {
  readonly content: RenderedAnswer['content']
  readonly headers: Readonly<Record<string, string>>
  readonly status?: number
}

async function renderBody(
  endpoint: Endpoint,
  { format, isSpreadsheetSafe, kept }: FormatOptions,
  answered: Answered,
  request: FastifyRequest,
  onBroken: (error: Error) => void,
): Promise<RenderedBody> {
  if ('file' in answered) {
    const { headers, ...opened } = await openStoredFile(request, answered.file, onBroken)
    return { ...opened, headers: { 'content-type': answered.file.type, ...headers } }
  }
  const headers = { 'content-type': MEDIA_TYPES[format] }
  if ('pieces' in answered) {
    const content = Buffer.concat(await Array.fromAsync(answered.pieces))
    const about = { 'content-type': MEDIA_TYPES.parquet, ...headersOf(answered, answered, request) }
    return { content, headers: about }
  }
  if ('rowsMember' in answered) {
    const columns = endpoint.table?.columns ?? []
    const flat =
      format === 'csv' || format === 'tsv' ? { format, isSpreadsheetSafe, isWithoutBooks: false, columns } : undefined
    const content = request.method === 'HEAD' ? Readable.from([]) : streamedList(answered, flat, onBroken)
    const about = flat && { ...dispositionOf(endpoint, format), ...headersOf(answered, answered, request) }
    return { content, headers: { ...headers, ...about } }
  }
  if (format !== 'csv' && format !== 'tsv') {
    const render = (): string => endpoint.render?.(answered.body) ?? JSON.stringify(answered.body)
    if (!endpoint.keepsAnswers || answered.keptAs === undefined) return { content: render(), headers }
    const {
      status,
      content,
      headers: about,
    } = await kept.find(`${endpoint.name} ${answered.keptAs}`, render).answer(request.headers)
    return { content, headers: { ...headers, ...about }, ...(status === 304 && { status }) }
  }
  const file = flatten(endpoint, answered.body, { format, isWithoutBooks: refusesBooks(request), isSpreadsheetSafe })
  const about = { ...dispositionOf(endpoint, format), ...headersOf(file, answered, request) }
  return { content: file.text, headers: { ...headers, ...about } }
}

function dispositionOf({ name }: Endpoint, format: Format): Record<string, string> {
  return { 'content-disposition': `attachment; filename="${name}.${format}"` }
}

/** What a flat file says about its rows. */
function headersOf(
  { rowCount, envelope }: Pick<StreamedAnswer, 'rowCount' | 'envelope'>,
  { aside = {} }: Pick<Answered, 'aside'>,
  { url }: FastifyRequest,
): Record<string, string> {
  const own = asideHeaders({ rowCount, ...aside })
  const used = byteCount(Object.entries(own).map(([name, text]) => ({ name, text })))
  return { ...envelopeHeaders(envelope, jsonUrlOf(url), used), ...own }
}

/** The same request, with its answer as JSON. */
function jsonUrlOf(url: string): string {
  const [path = '', search = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(search)
  parameters.delete('spreadsheet_safe')
  parameters.set('format', 'json')
  return `${path}?${parameters.toString()}`
}

/** Without the parameter the columns stay, because their number is part of the interface. */
function refusesBooks({ query }: FastifyRequest): boolean {
  return (query as { includebook?: unknown }).includebook === 'false'
}
