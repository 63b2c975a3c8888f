import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Stores } from '../endpoints/stores.ts'
import { Accounts } from '../stores/accounts.ts'
import { barStore } from '../stores/bars.ts'
import type { ClickHouseReads } from '../stores/clickhouse-reader.ts'
import { gapStore } from '../stores/gaps.ts'
import { HourFiles } from '../stores/hour-files.ts'
import { Invoices } from '../stores/invoices.ts'
import { Keys } from '../stores/keys.ts'
import { KnownGaps } from '../stores/known-gaps.ts'
import { Latest } from '../stores/latest.ts'
import { Ledger } from '../stores/ledger.ts'
import { LiveCatalogue } from '../stores/live-catalogue.ts'
import { marketDayStore } from '../stores/market-days.ts'
import { marketSummaryStore } from '../stores/market-summaries.ts'
import { Markets } from '../stores/markets.ts'
import { missingSlotStore } from '../stores/missing-slots.ts'
import { NewestBooks } from '../stores/newest-books.ts'
import { PaymentEvents } from '../stores/payment-events.ts'
import { perpSnapshotStore } from '../stores/perp-snapshots.ts'
import type { Database } from '../stores/postgres-database.ts'
import { Plans } from '../stores/postgres-plans.ts'
import { recordedMarketStore } from '../stores/recorded-markets.ts'
import { RecordedWindows } from '../stores/recorded-window.ts'
import { RedisConnection } from '../stores/redis-connection.ts'
import { snapshotPageStore } from '../stores/snapshot-pages.ts'
import { snapshotStore } from '../stores/snapshots.ts'
import { tradeStore } from '../stores/trades.ts'
import { Usage } from '../stores/usage.ts'
import { openClickHouseReader } from './engines.ts'
import { openProcessors } from './open-processors.ts'
import { openWatch } from './open-watch.ts'
import { STORE_LIMITS } from './store-limits.ts'

export interface OpenStores extends Stores, AsyncDisposable {
  readonly clickhouse: ClickHouseReads
  readonly redis: RedisConnection
}

/** Everything that answers are made from, connected. */
export function openStores(
  config: Config,
  database: Database,
  onTrouble: (error: unknown) => void,
  limits = STORE_LIMITS,
): OpenStores {
  const clickhouse = openClickHouseReader(config, limits.clickhouseMs)
  const redis = new RedisConnection({ url: config.REDIS_URL, answerWithinMs: limits.newestBooksMs, onTrouble })
  const markets = new Markets(database)
  const plans = new Plans(database)
  const latest = new Latest(redis)
  const { close: closeWatch, ...watch } = openWatch({ config, clickhouse, redis, database, latest, onTrouble })
  const exportDir = config.EXPORT_DIR ?? join(tmpdir(), `bookreel-exports-${randomUUID()}`)
  return {
    ...watch,
    clickhouse,
    redis,
    catalogue: new LiveCatalogue({ markets, plans: () => plans.list() }),
    markets,
    latest,
    books: new NewestBooks(latest),
    snapshots: snapshotStore(clickhouse),
    snapshotPages: snapshotPageStore(clickhouse),
    recordedWindows: new RecordedWindows(marketDayStore(clickhouse)),
    marketDays: marketDayStore(clickhouse),
    summaries: marketSummaryStore(clickhouse),
    recordedMarkets: recordedMarketStore(clickhouse),
    gaps: gapStore(clickhouse),
    knownGaps: new KnownGaps(gapStore(clickhouse)),
    missingSlots: missingSlotStore(clickhouse),
    bars: barStore(clickhouse),
    hourFiles: new HourFiles({ clickhouse, folder: exportDir, maxBytes: config.EXPORT_MAX_BYTES }),
    trades: tradeStore(clickhouse),
    perps: perpSnapshotStore(clickhouse),
    accounts: new Accounts(database),
    keys: new Keys(database),
    ledger: new Ledger(database),
    invoices: new Invoices(database),
    paymentEvents: new PaymentEvents(database),
    processors: openProcessors(config),
    usage: new Usage(database),
    async [Symbol.asyncDispose]() {
      await closeWatch()
      await redis.close()
      clickhouse.close()
      if (config.EXPORT_DIR === undefined) await rm(exportDir, { recursive: true, force: true })
    },
  }
}
