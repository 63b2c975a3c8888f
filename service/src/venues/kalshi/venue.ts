import type { BinaryVenue } from '../venue.ts'
import type { OnAnswer } from '../venue-http.ts'
import { Discovery } from './discover.ts'
import { fetchEndings } from './endings.ts'
import type { OnProblem } from './list-markets.ts'
import { VENUE } from './market-names.ts'
import { PacedHttp } from './paced-http.ts'
import { fetchBooks } from './rest-books.ts'
import { SequencedBook } from './sequenced-book.ts'
import { handshakeHeaders } from './signature.ts'
import { KalshiProtocol } from './socket-protocol.ts'
import { socketRules } from './socket-rules.ts'
import { fetchWindowPrices } from './window-prices.ts'

/** The socket needs a signed handshake. REST, and reading what was recorded, need no key. */
export interface KalshiSettings {
  keyId?: string | undefined
  privateKey?: string | undefined
  /** With its path: `https://external-api.kalshi.com/trade-api/v2`. */
  restUrl: string
  /** With its path: `wss://external-api-ws.kalshi.com/trade-api/ws/v2`. */
  socketUrl: string
}

/** Throws when the private key is unusable. */
export function kalshi(settings: KalshiSettings, onProblem: OnProblem = () => {}, onAnswer?: OnAnswer): BinaryVenue {
  const http = new PacedHttp(settings.restUrl, onAnswer)
  const discovery = new Discovery(http, onProblem)
  return {
    id: VENUE,
    socket: socketRules(settings.socketUrl, handshakeHeaders(settings)),
    // A REST book has no sequence number, so nobody knows which changes of the socket it contains.
    isRestBookJoinable: false,
    openProtocol: () => new KalshiProtocol(),
    discover: (plan, nowMs, signal) => discovery.discover(plan, nowMs, signal),
    fetchBooks: (tokenIds, signal) => fetchBooks(http, tokenIds, signal, onProblem),
    fetchEndings: (markets, nowMs, signal) => fetchEndings(http, markets, nowMs, signal, onProblem),
    // The numbering is a part of the protocol; unlike a hash it has no rule that could change unnoticed.
    proofState: () => 'holds',
    ruleChangedAtMs: () => undefined,
    restoreRule: () => {},
    fetchWindowPrices: (eventSlug, signal) => fetchWindowPrices(http, eventSlug, signal, onProblem),
    // Windows settle on an index of CF Benchmarks, which is not recorded.
    settlesOn: () => undefined,
    openBook: (market) => new SequencedBook(market),
  }
}
