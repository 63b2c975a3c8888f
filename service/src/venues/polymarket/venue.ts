import type { BinaryVenue, BookEvent } from '../venue.ts'
import { VenueHttp } from '../venue-http.ts'
import { decodeBooks, decodeFrame } from './decode.ts'
import { Discovery } from './discover.ts'
import { ProvedBook } from './proved-book.ts'
import { fetchResolutions } from './resolutions.ts'
import { SearchBudget } from './search-budget.ts'

export interface PolymarketAddresses {
  gammaUrl: string
  clobUrl: string
  socketUrl: string
}

/** The documented limit is 500, but the venue really limits the bytes. */
const BOOKS_PER_CALL = 250

/** Called for entries of REST answers that could not be decoded. */
export type OnProblem = (reason: string) => void

export function polymarket(addresses: PolymarketAddresses, onProblem: OnProblem = () => {}): BinaryVenue {
  const clob = new VenueHttp(addresses.clobUrl)
  const searches = new SearchBudget()
  const gamma = new VenueHttp(addresses.gammaUrl)
  const discovery = new Discovery(gamma, onProblem)
  return {
    id: 'polymarket',
    socket: {
      url: addresses.socketUrl,
      // Two tokens per market: above about 750 tokens the venue silently omits first books.
      marketsPerSocket: 200,
      heartbeat: { frame: 'PING', everyMs: 10_000, answer: 'PONG', answerWithinMs: 15_000 },
      silenceLimitMs: 60_000,
      maxFrameBytes: 32 * 1024 * 1024,
    },
    subscribeFrames: (tokenIds, isFirst) => [
      JSON.stringify({
        assets_ids: tokenIds,
        ...(isFirst ? { type: 'market', initial_dump: true } : { operation: 'subscribe' }),
        custom_feature_enabled: true,
      }),
    ],
    unsubscribeFrames: (tokenIds) => [JSON.stringify({ assets_ids: tokenIds, operation: 'unsubscribe' })],
    decode: decodeFrame,
    discover: (plan, nowMs, signal) => discovery.discover(plan, nowMs, signal),
    fetchBooks: (tokenIds, signal) => fetchBooks(clob, tokenIds, signal, onProblem),
    fetchResolutions: (marketIds, signal) => fetchResolutions(gamma, marketIds, signal),
    openBook: (market) => new ProvedBook(market, searches),
  }
}

/** The venue omits unknown, closed and unlisted tokens, so answers are matched by id, not by position. */
async function fetchBooks(
  clob: VenueHttp,
  tokenIds: readonly string[],
  signal: AbortSignal,
  onProblem: OnProblem,
): Promise<BookEvent[]> {
  const found: BookEvent[] = []
  for (let from = 0; from < tokenIds.length; from += BOOKS_PER_CALL) {
    const requested = tokenIds.slice(from, from + BOOKS_PER_CALL)
    const body = requested.map((token_id) => ({ token_id }))
    const { events, problems } = decodeBooks(await clob.post('/books', body, signal))
    for (const { reason } of problems) onProblem(`invalid REST book: ${reason}`)
    found.push(...events.filter(({ tokenId }) => requested.includes(tokenId)))
  }
  return found
}
