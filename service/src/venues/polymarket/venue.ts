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

/** The documented limit is 500, but it is really one of bytes. */
const BOOKS_PER_CALL = 250

/** What the lists held that could not be understood; counted by whoever runs the venue. */
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
      // Two tokens each, and past some 750 tokens first books go missing without a word.
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

/** Unknown, closed and not yet listed tokens are left out, so that answers are matched by id and never by place. */
async function fetchBooks(
  clob: VenueHttp,
  tokenIds: readonly string[],
  signal: AbortSignal,
  onProblem: OnProblem,
): Promise<BookEvent[]> {
  const found: BookEvent[] = []
  for (let from = 0; from < tokenIds.length; from += BOOKS_PER_CALL) {
    const asked = tokenIds.slice(from, from + BOOKS_PER_CALL)
    const body = asked.map((token_id) => ({ token_id }))
    const { events, problems } = decodeBooks(await clob.post('/books', body, signal))
    for (const { reason } of problems) onProblem(`a REST book: ${reason}`)
    found.push(...events.filter(({ tokenId }) => asked.includes(tokenId)))
  }
  return found
}
