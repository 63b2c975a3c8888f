import { BookreelError, type MarketOrderbook, type TokenBook } from '@bookreel/sdk'
import { LiveColumns } from '../../views/heat-map/live-columns.ts'
import { accountClient } from '../clients.ts'
import type { FeedBook, FeedRequest } from './feed-messages.ts'
import type { LiveMarket } from './live-market.ts'

/** The console of the free tier has 60 requests a minute; the rest of the page needs up to half of them. */
export const POLL_EVERY_MS = 3_000
const AFTER_ERROR_MS = 5_000

/** For tiers without streams: requests the book while somebody can see it. Returns a function that ends it. */
export function pollBook(request: FeedRequest, market: LiveMarket): () => void {
  const stop = new AbortController()
  void poll(request, market, stop.signal)
  return () => stop.abort()
}

async function poll(request: FeedRequest, market: LiveMarket, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await untilVisible(signal)
    const waitMs = await requestBook(request, market, signal)
    if (waitMs === undefined) return
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

function untilVisible(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = (): void => {
    if (document.visibilityState === 'hidden' && !signal.aborted) return
    document.removeEventListener('visibilitychange', look)
    signal.removeEventListener('abort', look)
    resolve()
  }
  document.addEventListener('visibilitychange', look)
  signal.addEventListener('abort', look)
  look()
  return promise
}

/** How long to wait before the next request; undefined when there is no next one. */
async function requestBook(request: FeedRequest, market: LiveMarket, signal: AbortSignal): Promise<number | undefined> {
  try {
    const answer = await accountClient.markets.orderbook(market.market, {}, { signal })
    if (!signal.aborted) applyAnswer(answer, request, market)
    return POLL_EVERY_MS
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(error instanceof BookreelError) || error.code === 'market_closed' || isRefused(error)) {
      const { code, message } = error instanceof BookreelError ? error : { code: 'internal', message: String(error) }
      market.ended({ code, message }, Date.now())
      return undefined
    }
    market.apply({ columns: [], trades: [], gaps: [], skippedFrames: 0, connection: 'lost' }, Date.now())
    return error.retryAfterMs ?? AFTER_ERROR_MS
  }
}

/** Of a column one slot is known; the tiles bring the others. */
function applyAnswer(answer: MarketOrderbook, { side, levels }: FeedRequest, market: LiveMarket): void {
  const book = feedBookOf(answer, side)
  const columns = levels.map((form, level) => ({ level, column: new LiveColumns(form).book(book.seq, book) }))
  const state = { columns: answer.stale ? [] : columns, trades: [], gaps: [], skippedFrames: 0 }
  market.apply({ ...state, book, connection: 'live' }, Date.now())
}

export function feedBookOf(answer: MarketOrderbook, side: FeedRequest['side']): FeedBook {
  const { up, down } = answer
  const shown = side === 'up' ? up : down
  const levelsOf = (levels: TokenBook['bids'] = []) => levels.map(({ price, size }) => [price, size] as const)
  const flags = [...flagsOf(up, 'up'), ...flagsOf(down, 'down')]
  const capturedAt = shown.captureTimestamp
  return {
    market: answer.market_id,
    seq: shown.sequenceNumber,
    bids: levelsOf(shown.bids),
    asks: levelsOf(shown.asks),
    ...(isWhole(up) && { upMid: up.midPrice }),
    ...(isWhole(down) && { downMid: down.midPrice }),
    flags,
    proof: shown.proof,
    eventAt: shown.eventTimestamp,
    // The answer does not tell when the venue's frame arrived.
    receivedAt: Number.NaN,
    capturedAt,
    sentAt: capturedAt + answer.age_ms,
  }
}

export function flagsOf({ flags }: TokenBook, side: 'up' | 'down'): string[] {
  return flags.map((flag) => (flag === 'verified' || flag === 'unverified' ? `${flag}_${side}` : flag))
}

function isWhole({ bids = [], asks = [] }: TokenBook): boolean {
  return bids.length > 0 && asks.length > 0
}

/** The session has ended, or the tier does not include the market. */
function isRefused({ status }: BookreelError): boolean {
  return status === 401 || status === 402 || status === 403
}
