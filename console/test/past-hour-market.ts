import type { Snapshot } from '@bookreel/service/domain/rows/snapshot'
import { NO_TRANSACTION } from '@bookreel/service/domain/rows/trade'
import { FIRST_SLOT, HOUR_MS, INTERVAL_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import type { TestService } from '@bookreel/testbed/service/test-service'

export const SLOTS = HOUR_MS / INTERVAL_MS
/** Twenty seconds without rows, after a third of the hour. */
export const GAP = { first: 4_800, last: 4_879 }
const LEVELS = 30
const TRADE_EVERY = 97
const PRICE_ONE = 10_000
const SIZE_ONE = 1_000_000

/** A market whose book wanders for an hour, with one gap and some trades. */
export async function storePastHour(service: TestService, name: string): Promise<PastMarket> {
  const past = await PastMarket.save(service, name, {
    question: 'Bitcoin up or down in this hour?',
    category: 'crypto',
    subcategory: 'BTC',
  })
  const offsets = Array.from({ length: SLOTS }, (_, offset) => offset)
  const rows = offsets.filter((offset) => offset < GAP.first || offset > GAP.last).map((offset) => rowAt(past, offset))
  await past.putRows(rows)
  await past.putGaps([past.gap(GAP.first, GAP.last)])
  await past.putTrades(
    offsets
      .filter((offset) => offset % TRADE_EVERY === 0)
      .map((offset, index) => ({
        marketId: past.market.id,
        tradedAtMs: slotMs(offset) + 40,
        receivedAtMs: slotMs(offset) + 90,
        outcome: 0,
        side: index % 3 > 0 ? 'BUY' : 'SELL',
        price: bestBidAt(offset) + (index % 3 > 0 ? 200 : 0),
        size: (5 + (index % 17) * 12) * SIZE_ONE,
        transactionHash: NO_TRANSACTION,
        occurrence: 0,
      })),
  )
  return past
}

export function slotMs(offset: number): number {
  return (FIRST_SLOT + offset) * INTERVAL_MS
}

/** Slow and fast waves, so that every part of the hour looks different. */
function bestBidAt(offset: number): number {
  const wave = 0.52 + 0.16 * Math.sin(offset / 1_900) + 0.05 * Math.sin(offset / 310) + 0.02 * Math.sin(offset / 47)
  return Math.round(wave * 100) * (PRICE_ONE / 100)
}

function rowAt(past: PastMarket, offset: number): Snapshot {
  const bid = bestBidAt(offset)
  const sizeAt = (price: number): number => {
    const wall = price % 1_000 === 0 ? 900 : 0
    const drift = 60 + 50 * Math.sin(price / 170 + offset / 260) + ((price / 100 + Math.floor(offset / 40)) % 7) * 9
    return Math.round((drift + wall) * SIZE_ONE)
  }
  const side = (first: number, step: number) =>
    Array.from({ length: LEVELS }, (_, index) => first + index * step)
      .filter((price) => price > 0 && price < PRICE_ONE)
      .map((price) => ({ price, size: sizeAt(price) }))
  const up = { bids: side(bid, -100), asks: side(bid + 200, 100) }
  return past.row(offset, { up, down: mirrored(up) })
}

function mirrored({ bids, asks }: Snapshot['up']): Snapshot['down'] {
  const mirror = (levels: Snapshot['up']['bids']) =>
    levels.map(({ price, size }) => ({ price: PRICE_ONE - price, size }))
  return { bids: mirror(asks), asks: mirror(bids) }
}
