import { BookreelError, type GapReport, type GetSnapshotReply } from '@bookreel/sdk'
import { accountClient } from '../clients.ts'
import { fetchGaps } from '../live-queries.ts'
import type { FeedBook } from './feed-messages.ts'
import type { LiveMarket } from './live-market.ts'
import { openGapOf } from './open-gap.ts'
import { feedBookOf } from './poll-book.ts'

/** Longer than the longest interval between two samples. */
const SOON_MS = 6_000
const AGAIN_MS = 10_000
const GAPS_BACK_MS = 3_600_000

/**
 * A stream begins with the next row, and a market without rows has none. A page that is opened then requests the last
 * book and the cause of the gap.
 */
export class LastBook {
  readonly #live: LiveMarket
  #askAtMs: number
  #hasAsked = false
  #isBusy = false
  /** The last book came, and the gaps did not. */
  #lacksCause = false

  constructor(live: LiveMarket, nowMs: number) {
    this.#live = live
    this.#askAtMs = nowMs + SOON_MS
  }

  /** Called often; requests only what the page lacks. */
  look(nowMs: number): void {
    const { book, gapCause, isLastKnown, hasEnded } = this.#live
    const isKnown = book !== undefined && !(isLastKnown && this.#lacksCause)
    if (isKnown || hasEnded || this.#isBusy) return
    if (nowMs < this.#askAtMs && (gapCause === undefined || this.#hasAsked)) return
    this.#hasAsked = true
    this.#askAtMs = nowMs + AGAIN_MS
    this.#isBusy = true
    void this.#ask().finally(() => {
      this.#isBusy = false
    })
  }

  async #ask(): Promise<void> {
    const { market, side } = this.#live
    // Without an answer the page shows what it knows, and asks again.
    const report = await fetchGaps(market, Date.now() - GAPS_BACK_MS).catch(() => undefined)
    const book = await newestBook(market, side, report).catch(() => undefined)
    const cause = report && openGapOf(report)?.cause
    this.#lacksCause = report === undefined
    if (this.#live.market === market) this.#live.showLast(book, cause, Date.now())
  }
}

async function newestBook(
  market: string,
  side: 'up' | 'down',
  report: GapReport | undefined,
): Promise<FeedBook | undefined> {
  try {
    return feedBookOf(await accountClient.markets.orderbook(market), side)
  } catch (error) {
    if (!(error instanceof BookreelError) || error.code !== 'no_recent_data') throw error
  }
  // Older than a minute: the last stored row.
  const endsAt = report && (openGapOf(report)?.from ?? report.recorded_to)
  if (report === undefined || endsAt === undefined || endsAt === null) return undefined
  const timestamp = Date.parse(endsAt) + report.capture_interval_ms
  const token = side === 'up' ? 'UP' : 'DOWN'
  const query = { marketId: market, timestamp, direction: 'before', includebook: true, side: token } as const
  return storedBook(market, side, await accountClient.snapshots.get(query))
}

function storedBook(market: string, side: 'up' | 'down', row: GetSnapshotReply): FeedBook {
  const other = side === 'up' ? 'down' : 'up'
  const mids = { [side]: midOf(row), [other]: midOf(row.counterpart) }
  const capturedAt = Date.parse(row.capture_timestamp)
  return {
    market,
    seq: row.sequence_number,
    bids: row.bids ?? [],
    asks: row.asks ?? [],
    ...(mids.up !== undefined && { upMid: mids.up }),
    ...(mids.down !== undefined && { downMid: mids.down }),
    flags: [],
    proof: row.proof,
    eventAt: Date.parse(row.event_timestamp),
    // The row does not tell when the venue's frame arrived.
    receivedAt: Number.NaN,
    capturedAt,
    // Minutes ago, so the clocks of two computers may differ by some seconds.
    sentAt: Math.max(capturedAt, Date.now()),
  }
}

/** A side without levels has the price 0 or 1. */
function midOf({ best_bid: bid, best_ask: ask, mid }: Pick<GetSnapshotReply, 'best_bid' | 'best_ask' | 'mid'>) {
  return bid > 0 && ask < 1 ? mid : undefined
}
