import { mirrorOf } from '@bookreel/service/domain/book'
import type { Market } from '@bookreel/service/domain/market'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import { currentSchema } from '@bookreel/service/domain/rows/row-table'
import { SNAPSHOT_FLAGS, writeSnapshot } from '@bookreel/service/domain/rows/snapshot'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { marketFactStore } from '@bookreel/service/stores/markets/market-facts'
import type { ClickHouseClient } from '@clickhouse/client'
import type { Progress } from '../experiment.ts'
import { madeUpMarket } from '../made-up-market.ts'

const WINDOW_MS = 300_000
const ROWS_AT_ONCE = 20_000
const LEVELS = 20

/** All five-minute windows of a coin from the start of a day on, and other markets of one window's length. */
export function marketsOfDay(dayMs: number, counts: { readonly windows: number; readonly others: number }): Market[] {
  const windows = Array.from({ length: counts.windows }, (_, number) => {
    const startsAtMs = dayMs + number * WINDOW_MS
    const times = { startsAtMs, endsAtMs: startsAtMs + WINDOW_MS }
    return { ...madeUpMarket('window', number, dayMs), timeframe: '5m', ...times }
  })
  const others = Array.from({ length: counts.others }, (_, number) => ({
    ...madeUpMarket('other', number, dayMs),
    startsAtMs: dayMs,
    endsAtMs: dayMs + WINDOW_MS,
  }))
  return [...windows, ...others]
}

/** Stores a row in every slot of every market. Returns their number. */
export async function fillDay(
  client: ClickHouseClient,
  markets: readonly Market[],
  slotsPerWindow: number,
  progress: Progress,
): Promise<number> {
  await marketFactStore(client).put(markets.map((market) => ({ market, publishedAtMs: Date.now() })))
  const inserter = rowInserter(client)
  const writer = new RowWriter()
  let [waiting, stored] = [0, 0]
  const insert = async (): Promise<void> => {
    if (waiting > 0) await inserter.insertRaw('snapshots', currentSchema('snapshots'), [writer.take()])
    stored += waiting
    waiting = 0
    progress(`${stored} rows stored`)
  }
  for (const { id: marketId, captureIntervalMs: intervalMs, startsAtMs = 0 } of markets) {
    for (let offset = 0; offset < slotsPerWindow; offset++) {
      const slot = startsAtMs / intervalMs + offset
      const atMs = slot * intervalMs
      const up = laddersAt(offset)
      writeSnapshot(writer, {
        ...{ marketId, slot, intervalMs, up, down: mirrorOf(up), changes: 1 },
        ...{ capturedAtMs: atMs + 5, eventAtMs: atMs - 40, receivedAtMs: atMs - 20 },
        ...{
          flags: SNAPSHOT_FLAGS.mirrored | SNAPSHOT_FLAGS.hasSpot,
          spotPrice: 6_000_000_000_000 + offset,
          spotAgeMs: 40,
        },
      })
      waiting++
    }
    if (waiting >= ROWS_AT_ONCE) await insert()
  }
  await insert()
  return stored
}

function laddersAt(offset: number) {
  const middle = 4_000 + (offset % 200) * 10
  const levels = (direction: 1 | -1) =>
    Array.from({ length: LEVELS }, (_, level) => ({
      price: middle + direction * (level + 1) * 10,
      size: 1_000_000 * (level + 1) + offset * 137,
    }))
  return { bids: levels(-1), asks: levels(1) }
}
