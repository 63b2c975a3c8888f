import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type Clock, wallClock } from '../domain/clock.ts'
import type { PerpStores } from '../endpoints/shared/perp-reads.ts'
import type { Stores } from '../endpoints/stores.ts'
import type { Processors } from '../payments/processor.ts'
import { AccountSearch } from '../stores/accounts/account-search.ts'
import { Accounts } from '../stores/accounts/accounts.ts'
import { ConsoleBudgets } from '../stores/accounts/console-budgets.ts'
import { Events } from '../stores/accounts/events.ts'
import { Keys } from '../stores/accounts/keys.ts'
import { OperatorChanges } from '../stores/accounts/operator-changes.ts'
import { SessionStore } from '../stores/accounts/sessions.ts'
import { StreamTickets } from '../stores/accounts/stream-tickets.ts'
import { Usage } from '../stores/accounts/usage.ts'
import { barStore } from '../stores/books/bars.ts'
import { Corrections } from '../stores/books/corrections.ts'
import { CoverageCounts } from '../stores/books/coverage-counts.ts'
import { CoverageReads } from '../stores/books/coverage-reads.ts'
import { FinalTiles } from '../stores/books/final-tiles.ts'
import { gapStore } from '../stores/books/gaps.ts'
import { heatMapStore } from '../stores/books/heat-maps.ts'
import { HourFiles } from '../stores/books/hour-files.ts'
import { KnownGaps } from '../stores/books/known-gaps.ts'
import { KnownRevisions } from '../stores/books/known-revisions.ts'
import { marketDayStore } from '../stores/books/market-days.ts'
import { marketSummaryStore } from '../stores/books/market-summaries.ts'
import { type MissingSlotStore, missingSlotStore } from '../stores/books/missing-slots.ts'
import { NewestBooks } from '../stores/books/newest-books.ts'
import { NewestRows } from '../stores/books/newest-rows.ts'
import { openGapStore } from '../stores/books/open-gaps.ts'
import { perpBarStore } from '../stores/books/perp-bars.ts'
import { perpHeatMapStore } from '../stores/books/perp-heat-maps.ts'
import { perpSnapshotStore } from '../stores/books/perp-snapshots.ts'
import { perpTapeStore } from '../stores/books/perp-tape.ts'
import { priceStore } from '../stores/books/prices.ts'
import { recordedHourStore } from '../stores/books/recorded-hours.ts'
import { RecordedWindows } from '../stores/books/recorded-window.ts'
import { Samples } from '../stores/books/samples.ts'
import { snapshotPageStore } from '../stores/books/snapshot-pages.ts'
import { snapshotStore } from '../stores/books/snapshots.ts'
import { StoredSince } from '../stores/books/stored-since.ts'
import { tradeStore } from '../stores/books/trades.ts'
import type { ClickHouseReads } from '../stores/engines/clickhouse-reader.ts'
import { FairQueue, type FairQueueLimits } from '../stores/engines/fair-queue.ts'
import { type Database, openDatabase } from '../stores/engines/postgres-database.ts'
import { RedisConnection } from '../stores/engines/redis-connection.ts'
import { Files } from '../stores/files/files.ts'
import { Manifests } from '../stores/files/manifests.ts'
import { LiveCatalogue } from '../stores/markets/live-catalogue.ts'
import { MarketEvents } from '../stores/markets/market-events.ts'
import { Markets } from '../stores/markets/markets.ts'
import { Plans } from '../stores/markets/postgres-plans.ts'
import { RecentMarkets } from '../stores/markets/recent-markets.ts'
import { recordedMarketStore } from '../stores/markets/recorded-markets.ts'
import { settlementPriceStore } from '../stores/markets/settlement-prices.ts'
import { CreditHistory } from '../stores/money/credit-history.ts'
import { CreditLedger } from '../stores/money/credit-ledger.ts'
import { Invoices } from '../stores/money/invoices.ts'
import { PaymentEvents } from '../stores/money/payment-events.ts'
import { ReviewList } from '../stores/money/review-list.ts'
import { Remembered } from '../stores/platform/remembered.ts'
import { openClickHouseReader } from './engines.ts'
import { openFileObjects } from './open-file-objects.ts'
import { openProcessors } from './open-processors.ts'
import { openWatch } from './open-watch.ts'
import { STORE_LIMITS } from './store-limits.ts'

export interface OpenStores extends Stores, PerpStores, AsyncDisposable {
  readonly clickhouse: ClickHouseReads
  readonly redis: RedisConnection
  readonly newestRows: NewestRows
  readonly missingSlots: MissingSlotStore
}

/** Reads of PostgreSQL. */
const READS: FairQueueLimits = { places: 5, placesOfAccount: 2, waiting: 10_000, waitingOfAccount: 1_000 }
/** Strangers read it, so the processor is asked rarely. */
const CURRENCIES_MEMORY = { freshForMs: 600_000, servesForMs: 86_400_000 }

/** Opens the stores that endpoints read. */
export function openStores(
  config: Config,
  database: Database,
  onTrouble: (error: unknown) => void,
  limits = STORE_LIMITS,
  nowMs: Clock = wallClock,
): OpenStores {
  const clickhouse = openClickHouseReader(config, limits.clickhouseMs)
  const redis = new RedisConnection({ url: config.REDIS_URL, answerWithinMs: limits.newestBooksMs, onTrouble })
  // Slow lists and searches wait for each other, never key checks or charges for them.
  const reads = openDatabase({
    url: config.DATABASE_URL,
    maxConnections: READS.places,
    queue: new FairQueue(READS),
    answerWithinMs: limits.postgresReadMs,
    onTrouble,
  })
  const corrections = new Corrections(reads)
  const markets = new Markets(reads)
  const plans = new Plans(reads)
  const newestRows = new NewestRows(redis)
  const { close: closeWatch, ...watch } = openWatch({
    config,
    clickhouse,
    redis,
    database: reads,
    newestRows,
    nowMs,
    onTrouble,
  })
  const processors = openProcessors(config)
  const fileObjects = openFileObjects(config, onTrouble)
  const exportDir = config.EXPORT_DIR ?? join(tmpdir(), `bookreel-exports-${randomUUID()}`)
  return {
    ...watch,
    clickhouse,
    redis,
    catalogue: new LiveCatalogue({ markets, plans: () => plans.list(), nowMs }),
    markets,
    marketEvents: new MarketEvents(reads),
    newestRows,
    books: new NewestBooks(newestRows),
    snapshots: snapshotStore(clickhouse),
    snapshotPages: snapshotPageStore(clickhouse),
    recordedWindows: new RecordedWindows(marketDayStore(clickhouse)),
    marketDays: marketDayStore(clickhouse),
    summaries: marketSummaryStore(clickhouse),
    recordedMarkets: recordedMarketStore(clickhouse),
    recentMarkets: new RecentMarkets(clickhouse),
    settlementPrices: settlementPriceStore(clickhouse),
    gaps: gapStore(clickhouse),
    storedSince: new StoredSince(clickhouse),
    knownGaps: new KnownGaps(gapStore(clickhouse)),
    missingSlots: missingSlotStore(clickhouse),
    bars: barStore(clickhouse),
    heatMaps: heatMapStore(clickhouse),
    perpHeatMaps: perpHeatMapStore(clickhouse),
    finalTiles: new FinalTiles(),
    hourFiles: new HourFiles({ clickhouse, folder: exportDir, maxBytes: config.EXPORT_MAX_BYTES }),
    samples: new Samples({ database: reads, folder: exportDir }),
    trades: tradeStore(clickhouse),
    perps: perpSnapshotStore(clickhouse),
    perpBars: perpBarStore(clickhouse),
    perpTape: perpTapeStore(clickhouse),
    prices: priceStore(clickhouse),
    corrections,
    revisions: new KnownRevisions(corrections, nowMs),
    recordedHours: recordedHourStore(clickhouse),
    coverageReads: new CoverageReads(new CoverageCounts(reads)),
    files: new Files(reads),
    fileObjects,
    manifests: new Manifests(reads),
    accounts: new Accounts(database),
    keys: new Keys(database),
    consoleBudgets: new ConsoleBudgets(database),
    streamTickets: new StreamTickets(redis),
    streamUrl: streamUrlOf(config),
    ledger: new CreditLedger(database),
    invoices: new Invoices(database),
    paymentEvents: new PaymentEvents(database),
    processors,
    currencies: rememberedCurrencies(processors, nowMs),
    usage: new Usage(reads),
    creditHistory: new CreditHistory(reads),
    events: new Events(reads),
    openGaps: openGapStore(clickhouse),
    reviewList: new ReviewList(reads),
    accountSearch: new AccountSearch(reads),
    operatorChanges: new OperatorChanges({ database, sessions: new SessionStore(redis) }),
    async [Symbol.asyncDispose]() {
      await closeWatch()
      await redis.close()
      await fileObjects.close()
      clickhouse.close()
      await reads.destroy()
      if (config.EXPORT_DIR === undefined) await rm(exportDir, { recursive: true, force: true })
    },
  }
}

/** Sign-in needs PUBLIC_URL, so pages never see the empty text. */
function streamUrlOf({ PUBLIC_STREAM_URL, PUBLIC_URL }: Config): string {
  if (PUBLIC_STREAM_URL !== undefined) return PUBLIC_STREAM_URL
  return PUBLIC_URL === undefined ? '' : new URL('/v1/stream', PUBLIC_URL).href.replace(/^http/, 'ws')
}

function rememberedCurrencies({ active }: Processors, nowMs: Clock): Stores['currencies'] {
  const make = async () => ({ value: (await active?.listCurrencies()) ?? [], madeAtMs: nowMs() })
  return new Remembered<readonly string[]>(make, CURRENCIES_MEMORY)
}
