import type { ConnectGate } from '../../venues/connect-gate.ts'
import { decodeFrame } from '../../venues/polymarket/decode.ts'
import { subscribeFrames, unsubscribeFrames } from '../../venues/polymarket/socket-rules.ts'
import type { BookEvent, SocketRules, VenueEvent } from '../../venues/venue.ts'
import type { VenueHttp } from '../../venues/venue-http.ts'
import { FieldSocket, type FieldSocketOptions, type Run } from '../field.ts'
import type { Ledger } from '../ledger.ts'
import type { PolymarketAssumption } from './assumptions.ts'

/** What the parts of the Polymarket check share. */
export interface Check {
  readonly run: Run
  readonly ledger: Ledger<PolymarketAssumption>
  readonly gamma: VenueHttp
  readonly clob: VenueHttp
  readonly clobUrl: string
  readonly rules: SocketRules
  readonly gate: ConnectGate
}

export const BOOK_WITHIN_MS = 5_000
const CUSTOM_EVENT = /"event_type": ?"(?:best_bid_ask|new_market|market_resolved)"/

type Taken = { readonly events: readonly VenueEvent[]; readonly isCustom: boolean }

/** Opens a socket as the recorder does. What is wrong with its frames is noted here, for all sockets. */
export function openMarketSocket(
  { run, ledger, rules, gate }: Check,
  stream: string,
  ids: readonly string[],
  take: (taken: Taken, receivedAtMs: number) => void,
  more: Partial<Pick<FieldSocketOptions, 'subscribeFrames' | 'onLost'>> = {},
): FieldSocket {
  return new FieldSocket(run, {
    venue: 'polymarket',
    stream,
    rules,
    gate,
    ids,
    subscribeFrames,
    unsubscribeFrames,
    ...more,
    onText: (text, receivedAtMs) => {
      const { events, problems } = decodeFrame(text)
      const isJson = text.startsWith('{') || text.startsWith('[')
      const has = (kind: string): boolean => problems.some((problem) => problem.kind === kind)
      ledger.observe('known-frames', isJson && !has('unknown_event'), text)
      ledger.observe('known-keys', !has('unknown_key'), text)
      ledger.observe('known-values', !has('undecodable'), text)
      take({ events, isCustom: CUSTOM_EVENT.test(text) }, receivedAtMs)
    },
  })
}

/** The book of a subscribe has inputs of its hash; the one that follows a trade has none. */
export function isFirstBook({ tickSize, lastTradeText }: BookEvent): boolean {
  return tickSize !== undefined || lastTradeText !== undefined
}

/** Tokens whose whole book has come because of a subscribe. */
export function bookTokens(events: readonly VenueEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'book' && isFirstBook(event) ? [event.tokenId] : []))
}

/** Without first books, what depends on them can't be judged. */
export function hasFirstBooks({ ledger }: Check): boolean {
  return ledger.verdictOf('first-book') === 'confirmed'
}
