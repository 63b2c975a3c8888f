import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import type { StreamedAnswer } from '../endpoints/endpoint.ts'
import { type FlatFileOptions, flatText } from './tabular.ts'

/** A list as text, read piece by piece as fast as the client reads; nothing is read once the client has gone. */
export function streamedList(
  answered: StreamedAnswer,
  flat: (FlatFileOptions & { readonly columns: readonly string[] }) | undefined,
  onBroken: (error: Error) => void,
): Readable {
  const abort = new AbortController()
  // The socket of the client asks for the next piece, and knows nothing of the request.
  const pieces = inContext(AsyncLocalStorage.snapshot(), answered.rows(abort.signal))
  const content = Readable.from(flat === undefined ? jsonOf(answered, pieces) : linesOf(flat, pieces))
  content.once('close', () => abort.abort())
  content.once('error', onBroken)
  return content
}

type Pieces = AsyncIterable<readonly Readonly<Record<string, unknown>>[]>

async function* jsonOf({ envelope, rowsMember }: StreamedAnswer, pieces: Pieces): AsyncGenerator<string> {
  const start = `${JSON.stringify(envelope).slice(0, -1)},"${rowsMember}":[`
  let before = start
  for await (const piece of pieces) {
    yield before + piece.map((row) => JSON.stringify(row)).join(',')
    before = ','
  }
  yield before === start ? `${start}]}` : ']}'
}

async function* linesOf(
  { columns, ...options }: FlatFileOptions & { readonly columns: readonly string[] },
  pieces: Pieces,
): AsyncGenerator<string> {
  yield flatText(columns, [], options, true)
  for await (const piece of pieces) yield flatText(columns, piece, options, false)
}

async function* inContext<Piece>(
  run: ReturnType<typeof AsyncLocalStorage.snapshot>,
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece> {
  const iterator = pieces[Symbol.asyncIterator]()
  const next = () => run(() => iterator.next())
  try {
    for (let piece = await next(); piece.done !== true; piece = await next()) yield piece.value
  } finally {
    await iterator.return?.()
  }
}
