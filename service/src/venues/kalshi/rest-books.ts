import { type Ladders, mirrorOf } from '../../domain/book.ts'
import { wallClock } from '../../domain/clock.ts'
import { type Fields, fieldsOf, Malformed } from '../frame-fields.ts'
import type { BookEvent } from '../venue.ts'
import { yesLadders } from './decode.ts'
import { bidsIn, tickerIn } from './fields.ts'
import type { OnProblem } from './list-markets.ts'
import { namesOf, tickersOf } from './market-names.ts'
import type { PacedHttp } from './paced-http.ts'

const BOOKS_PER_CALL = 100

/**
 * Whole books over REST. They have no time and no sequence number. The venue answers an unknown ticker with an empty
 * book, so an empty book says nothing about a market; `SequencedBook.relationTo` treats it so.
 */
export async function fetchBooks(
  http: PacedHttp,
  tokenIds: readonly string[],
  signal: AbortSignal,
  onProblem: OnProblem,
): Promise<BookEvent[]> {
  const tickers = tickersOf(tokenIds)
  const wanted = new Set(tokenIds)
  const found: BookEvent[] = []
  for (let from = 0; from < tickers.length; from += BOOKS_PER_CALL) {
    const requested = tickers.slice(from, from + BOOKS_PER_CALL)
    // A comma list would be read as one unknown ticker.
    const parameters = new URLSearchParams()
    for (const ticker of requested) parameters.append('tickers', ticker)
    const answer = await http.get('/markets/orderbooks', parameters, signal)
    const receivedAtMs = wallClock()
    for (const element of booksIn(answer)) {
      try {
        found.push(...booksOf(fieldsOf(element, 'a book'), receivedAtMs).filter(({ tokenId }) => wanted.has(tokenId)))
      } catch (error) {
        if (!(error instanceof Malformed)) throw error
        onProblem(`invalid REST book: ${error.message}`)
      }
    }
  }
  return found
}

function booksIn(answer: string): readonly unknown[] {
  const { orderbooks } = fieldsOf(JSON.parse(answer), 'the answer')
  if (!Array.isArray(orderbooks)) throw new Malformed('orderbooks is not a list')
  return orderbooks
}

/** The books of both tokens. */
function booksOf(element: Fields, eventAtMs: number): BookEvent[] {
  const { marketId, yesTokenId, noTokenId } = namesOf(tickerIn(element, 'ticker'))
  const book = fieldsOf(element.orderbook_fp, 'orderbook_fp')
  const yes = yesLadders(bidsIn(book, 'yes_dollars'), bidsIn(book, 'no_dollars'))
  const bookOf = (tokenId: string, ladders: Ladders): BookEvent => ({
    kind: 'book',
    marketId,
    tokenId,
    ...ladders,
    eventAtMs,
    hash: '',
  })
  return [bookOf(yesTokenId, yes), bookOf(noTokenId, mirrorOf(yes))]
}
