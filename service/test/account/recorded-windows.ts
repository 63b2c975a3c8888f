import { tmpdir } from 'node:os'
import { HOUR_MS, INTERVAL_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import type { TestService } from '@bookreel/testbed/service/test-service'
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

/** Windows of the coin DOGE in different hours, each of five minutes; the last one begins at `hourMs`. */
export async function recordWindows(service: TestService, count: number, hourMs = PAST_HOUR_MS): Promise<PastMarket[]> {
  const windows: PastMarket[] = []
  for (let place = 0; place < count; place++) {
    const startsAtMs = hourMs - 2 * place * HOUR_MS
    const series = { category: 'crypto', subcategory: 'DOGE', timeframe: '5m' } as const
    const changed = { ...series, endsAtMs: startsAtMs + WINDOW_MS }
    const past = await PastMarket.save(service, `window-${place}`, changed, startsAtMs)
    await past.putRows(past.rows(0, WINDOW_SLOTS - 1))
    windows.push(past)
  }
  await tellFacts(service, windows)
  return windows
}

/** A public sample of an hour with a gap. */
export async function recordSample(service: TestService): Promise<PastMarket> {
  const past = await PastMarket.save(service, 'sampled')
  await past.putRows([...past.rows(0, GAP.from - 1), ...past.rows(GAP.to + 1, HOUR_SLOTS + 400)])
  await past.putGaps([past.gap(GAP.from, GAP.to)])
  await tellFacts(service, [past])
  const { database } = service.access
  const hour = { marketId: past.market.id, hourMs: PAST_HOUR_MS }
  const sample = await makeSample(service.config, database, hour, service.nowMs())
  await new Samples({ database, folder: tmpdir() }).add(sample)
  return past
}

async function tellFacts(service: TestService, markets: readonly PastMarket[]): Promise<void> {
  const client = openClickHouse(service.config)
  await marketFactStore(client).put(markets.map(({ market }) => ({ market, publishedAtMs: PAST_HOUR_MS })))
  await client.close()
}
