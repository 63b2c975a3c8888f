import { tmpdir } from 'node:os'
import { readConfig } from '@bookreel/service/config'
import { HOUR_MS, newestFinishedHourMs } from '@bookreel/service/domain/finished-hour'
import type { Market } from '@bookreel/service/domain/market'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { Samples } from '@bookreel/service/stores/books/samples'
import { makeSample } from '@bookreel/service/wiring/make-sample'
import { storePastPerp } from '@bookreel/testbed/service/past-perp'
import type { ApiService } from '../api-service.ts'
import type { Progress } from '../experiment.ts'
import { fillHour } from '../fill-hour.ts'
import { MADE_UP_INTERVAL_MS, madeUpMarket } from '../made-up-market.ts'

const SLOTS = 600
const PERP_BOOKS = 600
const PERP_GAPS = 3
/** A coin that the simulated venue has last, so that most requests are about others. */
const SYMBOL = 'ZEC'

/** What ended before the run: hours and samples are only of the past. */
export interface PastWorld {
  readonly market: Market
  readonly symbol: string
  readonly hourMs: number
}

/** A market of the newest finished hour; it is listed before the service starts. */
export function pastWorld(nowMs: number): PastWorld {
  const hourMs = newestFinishedHourMs(nowMs)
  const endsAtMs = hourMs + SLOTS * MADE_UP_INTERVAL_MS
  const market = { ...madeUpMarket('fuzz-past', 0, nowMs), startsAtMs: hourMs, endsAtMs }
  return { market, symbol: SYMBOL, hourMs }
}

/** Stores its rows and gaps, and makes a sample of it. Returns the id of the sample. */
export async function storePastWorld(service: ApiService, past: PastWorld, progress: Progress): Promise<string> {
  const { market, symbol, hourMs } = past
  const { access, environment, recording } = service
  const config = readConfig(environment)
  await fillHour(rowInserter(recording.clickhouse), [market], { slots: SLOTS, hourMs }, progress)
  await storePastPerp({ config }, { symbol, fromMs: hourMs, books: PERP_BOOKS, gaps: PERP_GAPS })
  const sample = await makeSample(config, access.database, { marketId: market.id, hourMs })
  await new Samples({ database: access.database, folder: tmpdir() }).add(sample)
  return sample.id
}

export function pastRangeOf({ hourMs }: PastWorld): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: hourMs, toMs: hourMs + HOUR_MS }
}
