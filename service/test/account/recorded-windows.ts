import { tmpdir } from 'node:os'
import { HOUR_MS, INTERVAL_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import type { TestService } from '@bookreel/testbed/service/test-service'
import type { Snapshot } from '../../src/domain/rows/snapshot.ts'
import { Samples } from '../../src/stores/books/samples.ts'
import { marketFactStore } from '../../src/stores/markets/market-facts.ts'
import { openClickHouse } from '../../src/wiring/engines.ts'
import { makeSample } from '../../src/wiring/make-sample.ts'

export { HOUR_MS, PAST_HOUR_MS }

const WINDOW_MS = 300_000
const WINDOW_SLOTS = WINDOW_MS / INTERVAL_MS
const HOUR_SLOTS = HOUR_MS / INTERVAL_MS
/** Slots of the sampled hour without a row. */
const GAP = { from: 9_000, to: 9_399 }

/** Windows of the coin DOGE in different hours of the last day, each of five minutes. */
export async function recordWindows(service: TestService, count: number): Promise<PastMarket[]> {
  const windows: PastMarket[] = []
  for (let place = 0; place < count; place++) {
    const startsAtMs = PAST_HOUR_MS - 2 * place * HOUR_MS
    const times = { startsAtMs, endsAtMs: startsAtMs + WINDOW_MS }
    const series = { category: 'crypto', subcategory: 'DOGE', timeframe: '5m' } as const
    const past = await PastMarket.save(service, `window-${place}`, { ...series, ...times })
    await past.putRows(past.rows(0, WINDOW_SLOTS - 1).map((row) => earlier(row, 2 * place * HOUR_SLOTS)))
    windows.push(past)
  }
  await tellFacts(service, windows)
  return windows
}

function earlier(row: Snapshot, slots: number): Snapshot {
  const byMs = slots * INTERVAL_MS
  return {
    ...row,
    slot: row.slot - slots,
    capturedAtMs: row.capturedAtMs - byMs,
    eventAtMs: row.eventAtMs - byMs,
    receivedAtMs: row.receivedAtMs - byMs,
  }
}

/** A public sample of an hour with a gap. */
export async function recordSample(service: TestService): Promise<PastMarket> {
  const past = await PastMarket.save(service, 'sampled')
  await past.putRows([...past.rows(0, GAP.from - 1), ...past.rows(GAP.to + 1, HOUR_SLOTS + 400)])
  await past.putGaps([past.gap(GAP.from, GAP.to)])
  await tellFacts(service, [past])
  const { database } = service.access
  const sample = await makeSample(service.config, database, { marketId: past.market.id, hourMs: PAST_HOUR_MS })
  await new Samples({ database, folder: tmpdir() }).add(sample)
  return past
}

async function tellFacts(service: TestService, markets: readonly PastMarket[]): Promise<void> {
  const client = openClickHouse(service.config)
  await marketFactStore(client).put(markets.map(({ market }) => ({ market, publishedAtMs: PAST_HOUR_MS })))
  await client.close()
}
