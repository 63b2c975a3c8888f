import { type Gap, writeGap } from '@bookreel/service/domain/rows/gap'
import { type PerpSnapshot, perpMarketId, writePerpSnapshot } from '@bookreel/service/domain/rows/perp-snapshot'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import { currentSchema } from '@bookreel/service/domain/rows/row-table'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { openClickHouse } from '@bookreel/service/wiring/engines'
import type { TestService } from './test-service.ts'

const VENUE = 'hyperliquid'
const SLOT_MS = 500

export interface PastPerp {
  readonly symbol: string
  readonly fromMs: number
  readonly books: number
  /** Records of one slot each after the books; another one reaches until now. */
  readonly gaps: number
}

/** Stores books of a perpetual future, and why there are none after them. */
export async function storePastPerp(
  { config, nowMs }: Pick<TestService, 'config' | 'nowMs'>,
  { symbol, fromMs, books, gaps }: PastPerp,
): Promise<void> {
  const [bookRows, gapRows] = [new RowWriter(), new RowWriter()]
  const first = fromMs / SLOT_MS
  const end = first + books
  for (let slot = first; slot < end; slot++) writePerpSnapshot(bookRows, bookAt(symbol, slot))
  for (let slot = end; slot < end + gaps; slot++) writeGap(gapRows, gapOf(symbol, slot, slot))
  writeGap(gapRows, gapOf(symbol, end + gaps, Math.floor(nowMs() / SLOT_MS)))
  const client = openClickHouse(config)
  await rowInserter(client).insertRaw('perp_snapshots', currentSchema('perp_snapshots'), [bookRows.take()])
  await rowInserter(client).insertRaw('gaps', currentSchema('gaps'), [gapRows.take()])
  await client.close()
}

function bookAt(symbol: string, slot: number): PerpSnapshot {
  const [atMs, level] = [slot * SLOT_MS, { price: 40_000_000, size: 1_000_000, orders: 1 }]
  return {
    venue: VENUE,
    symbol,
    slot,
    intervalMs: SLOT_MS,
    capturedAtMs: atMs,
    eventAtMs: atMs,
    receivedAtMs: atMs,
    ladders: { bids: [level], asks: [{ ...level, price: 40_010_000 }] },
    touch: { bidPrice: 0, bidSize: 0, askPrice: 0, askSize: 0, eventAtMs: 0 },
  }
}

function gapOf(symbol: string, fromSlot: number, toSlot: number): Gap {
  const marketId = perpMarketId(VENUE, symbol)
  const about = { cause: 'capturer_down', kind: 'missing', detail: '' } as const
  return { marketId, fromSlot, toSlot, knownAtSlot: fromSlot, intervalMs: SLOT_MS, ...about }
}
