import type { BinaryVenue, BookEvent } from '../venue.ts'
import { type OnAnswer, VenueHttp } from '../venue-http.ts'
import { decodeBooks } from './decode.ts'
import { Discovery } from './discover.ts'
import { HashRuleWatch } from './hash-rule-watch.ts'
import type { OnProblem } from './list-events.ts'
import { ProvedBook } from './proved-book.ts'
import { fetchEndings } from './resolutions.ts'
import { SearchBudget } from './search-budget.ts'
import { settlesOn } from './settles-on.ts'
import { openProtocol, socketRules } from './socket-rules.ts'
import { fetchWindowPrices } from './window-prices.ts'

export interface PolymarketAddresses {
  gammaUrl: string
  clobUrl: string
  socketUrl: string
}

/** The documented limit is 500, but the venue really limits the bytes. */
const BOOKS_PER_CALL = 250

export function polymarket(
  addresses: PolymarketAddresses,
  onProblem: OnProblem = () => {},
  onAnswer?: OnAnswer,
): BinaryVenue {
  const clob = new VenueHttp(addresses.clobUrl, {}, onAnswer)
  const budget = new SearchBudget()
  const ruleWatch = new HashRuleWatch()
  const gamma = new VenueHttp(addresses.gammaUrl, {}, onAnswer)
  const discovery = new Discovery(gamma, onProblem)
  return {
    id: 'polymarket',
    socket: socketRules(addresses.socketUrl),
    isRestBookJoinable: true,
    openProtocol,
    discover: (plan, nowMs, signal) => discovery.discover(plan, nowMs, signal),
    fetchBooks: (tokenIds, signal) => fetchBooks(clob, tokenIds, signal, onProblem),
    fetchEndings: (markets, nowMs, signal) => fetchEndings({ gamma, clob, onProblem }, markets, nowMs, signal),
    proofState: () => (ruleWatch.isChanged ? 'rule_changed' : 'holds'),
    ruleChangedAtMs: () => ruleWatch.changedAtMs,
    restoreRule: (changedAtMs) => ruleWatch.restore(changedAtMs),
    fetchWindowPrices: (eventSlug, signal) => fetchWindowPrices(gamma, eventSlug, signal),
    settlesOn,
    openBook: (market) => new ProvedBook(market, { budget, ruleWatch }),
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
