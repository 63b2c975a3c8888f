import { readConfig } from '@bookreel/service/config'
import { HOUR_MS } from '@bookreel/service/domain/finished-hour'
import { PERP_INTERVAL_MS } from '@bookreel/service/domain/plan'
import { type Gap, writeGap } from '@bookreel/service/domain/rows/gap'
import { type PerpContext, writePerpContext } from '@bookreel/service/domain/rows/perp-context'
import {
  PERP_DECIMALS,
  type PerpSnapshot,
  perpMarketId,
  writePerpSnapshot,
} from '@bookreel/service/domain/rows/perp-snapshot'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import { currentSchema } from '@bookreel/service/domain/rows/row-table'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { DEFAULT_PERP_VENUE } from '@bookreel/service/venue-registry'
import { openClickHouse } from '@bookreel/service/wiring/engines'
import type { SimulatedService } from '../simulated-service.ts'

const SYMBOL = 'SOL'
const ONE = 10 ** PERP_DECIMALS
const MID = 170 * ONE
const STEP = ONE / 100
const LEVELS = 20
/** The mid price moves up and down by half a dollar in ten minutes. */
const WAVE_MS = 600_000
const CONTEXT_BEFORE_END_MS = 2_000
/** A dollar or a coin, in units of contexts. */
const WHOLE = 10n ** 18n

/** Slots of the hour that are missing. */
const MISSING = { from: 3_600, to: 3_619 } as const

/**
 * Stores an hour of books of a perpetual future with a gap of ten seconds, its funding and prices at the end of the
 * hour, and a gap from there to the start of the service.
 */
export async function storePastPerpHour(service: SimulatedService, hourMs: number): Promise<void> {
  const [books, gaps, contexts] = [new RowWriter(), new RowWriter(), new RowWriter()]
  for (let index = 0; index < HOUR_MS / PERP_INTERVAL_MS; index++) {
    if (index < MISSING.from || index > MISSING.to) writePerpSnapshot(books, bookAt(hourMs + index * PERP_INTERVAL_MS))
  }
  const firstSlot = hourMs / PERP_INTERVAL_MS
  const lost = { cause: 'disconnected', detail: 'socket closed with 1006' } as const
  writeGap(gaps, gapOf({ fromSlot: firstSlot + MISSING.from, toSlot: firstSlot + MISSING.to, ...lost }))
  const stopped = { cause: 'capturer_down', detail: 'the recorder was stopped' } as const
  const endSlot = (hourMs + HOUR_MS) / PERP_INTERVAL_MS
  writeGap(gaps, gapOf({ fromSlot: endSlot, toSlot: Math.floor(Date.now() / PERP_INTERVAL_MS), ...stopped }))
  writePerpContext(contexts, contextAt(hourMs + HOUR_MS - CONTEXT_BEFORE_END_MS))
  const client = openClickHouse(readConfig(service.environment))
  try {
    const inserter = rowInserter(client)
    await inserter.insertRaw('perp_snapshots', currentSchema('perp_snapshots'), [books.take()])
    await inserter.insertRaw('gaps', currentSchema('gaps'), [gaps.take()])
    await inserter.insertRaw('perp_contexts', currentSchema('perp_contexts'), [contexts.take()])
  } finally {
    await client.close()
  }
}

function bookAt(atMs: number): PerpSnapshot {
  const mid = MID + Math.round(50 * Math.sin((2 * Math.PI * atMs) / WAVE_MS)) * STEP
  const side = (direction: 1 | -1) =>
    Array.from({ length: LEVELS }, (_, level) => ({
      price: mid + direction * (level + 1) * STEP,
      size: (1 + ((level * 7 + Math.floor(atMs / 4_000)) % 13)) * ONE,
      orders: 1 + (level % 3),
    }))
  return {
    venue: DEFAULT_PERP_VENUE,
    symbol: SYMBOL,
    slot: atMs / PERP_INTERVAL_MS,
    intervalMs: PERP_INTERVAL_MS,
    capturedAtMs: atMs + 2,
    eventAtMs: atMs - 60,
    receivedAtMs: atMs - 20,
    ladders: { bids: side(-1), asks: side(1) },
    touch: { bidPrice: mid - STEP, bidSize: 2 * ONE, askPrice: mid + STEP, askSize: 3 * ONE, eventAtMs: atMs - 10 },
  }
}

function contextAt(receivedAtMs: number): PerpContext {
  return {
    venue: DEFAULT_PERP_VENUE,
    symbol: SYMBOL,
    receivedAtMs,
    funding: WHOLE / 80_000n,
    openInterest: 3_500_000n * WHOLE,
    markPrice: 170n * WHOLE,
    oraclePrice: 170n * WHOLE,
    previousDayPrice: 168n * WHOLE,
    dayNotional: 340_000_000n * WHOLE,
    dayVolume: 2_000_000n * WHOLE,
    book: { midPrice: 170n * WHOLE, premium: 0n, impactBid: 170n * WHOLE, impactAsk: 170n * WHOLE },
  }
}

function gapOf(about: Pick<Gap, 'fromSlot' | 'toSlot' | 'cause' | 'detail'>): Gap {
  const marketId = perpMarketId(DEFAULT_PERP_VENUE, SYMBOL)
  return { ...about, marketId, knownAtSlot: about.fromSlot, intervalMs: PERP_INTERVAL_MS, kind: 'missing' }
}
