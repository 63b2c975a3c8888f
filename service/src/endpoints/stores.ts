import type { Readable } from 'node:stream'
import type { DeadLetterFigures } from '../domain/dead-letters.ts'
import type { ErrorGrowth } from '../domain/error-counters.ts'
import type { Heartbeat, Totals } from '../domain/heartbeat.ts'
import type { ServiceUptime } from '../domain/uptime.ts'
import type { ObjectPart } from '../objects/object-store.ts'
import type { Processors } from '../payments/processor.ts'
import type { AccountSearch } from '../stores/accounts/account-search.ts'
import type { Accounts } from '../stores/accounts/accounts.ts'
import type { ConsoleBudgets } from '../stores/accounts/console-budgets.ts'
import type { Events } from '../stores/accounts/events.ts'
import type { Keys } from '../stores/accounts/keys.ts'
import type { OperatorChanges } from '../stores/accounts/operator-changes.ts'
import type { StreamTickets } from '../stores/accounts/stream-tickets.ts'
import type { Usage } from '../stores/accounts/usage.ts'
import type { BarStore } from '../stores/books/bars.ts'
import type { Corrections } from '../stores/books/corrections.ts'
import type { CoverageReads } from '../stores/books/coverage-reads.ts'
import type { FinalTiles } from '../stores/books/final-tiles.ts'
import type { GapStore } from '../stores/books/gaps.ts'
import type { HeatMapStore } from '../stores/books/heat-maps.ts'
import type { HourFiles } from '../stores/books/hour-files.ts'
import type { KnownGaps } from '../stores/books/known-gaps.ts'
import type { KnownRevisions } from '../stores/books/known-revisions.ts'
import type { MarketDayStore } from '../stores/books/market-days.ts'
import type { MarketSummaryStore } from '../stores/books/market-summaries.ts'
import type { MissingSlotStore } from '../stores/books/missing-slots.ts'
import type { NewestBooks } from '../stores/books/newest-books.ts'
import type { NewestRows } from '../stores/books/newest-rows.ts'
import type { OpenGapStore } from '../stores/books/open-gaps.ts'
import type { PriceStore } from '../stores/books/prices.ts'
import type { RecordedHourStore } from '../stores/books/recorded-hours.ts'
import type { RecordedWindows } from '../stores/books/recorded-window.ts'
import type { Samples } from '../stores/books/samples.ts'
import type { SnapshotPageStore } from '../stores/books/snapshot-pages.ts'
import type { SnapshotStore } from '../stores/books/snapshots.ts'
import type { StoredSince } from '../stores/books/stored-since.ts'
import type { TradeStore } from '../stores/books/trades.ts'
import type { Files } from '../stores/files/files.ts'
import type { Manifests } from '../stores/files/manifests.ts'
import type { LiveCatalogue } from '../stores/markets/live-catalogue.ts'
import type { MarketEvents } from '../stores/markets/market-events.ts'
import type { Markets } from '../stores/markets/markets.ts'
import type { RecentMarkets } from '../stores/markets/recent-markets.ts'
import type { RecordedMarketStore } from '../stores/markets/recorded-markets.ts'
import type { SettlementPriceStore } from '../stores/markets/settlement-prices.ts'
import type { CreditHistory } from '../stores/money/credit-history.ts'
import type { CreditLedger } from '../stores/money/credit-ledger.ts'
import type { Invoices } from '../stores/money/invoices.ts'
import type { PaymentEvents } from '../stores/money/payment-events.ts'
import type { ReviewList } from '../stores/money/review-list.ts'
import type { Health } from '../stores/platform/health.ts'
import type { Platform } from '../stores/platform/platform.ts'
import type { Remembered } from '../stores/platform/remembered.ts'

/** The contents of files. */
export interface FileObjects {
  /** Throws `store_unavailable`. */
  readonly open: (key: string, part?: ObjectPart) => Promise<Readable>
}

/** All stores that endpoints use. What is stored of perps is not among them: `PerpReads` gives it, as the tier may see it. */
export interface Stores {
  /** Markets that are not resolved yet, in memory. */
  readonly catalogue: LiveCatalogue
  /** All current and ended markets. */
  readonly markets: Markets
  readonly marketEvents: MarketEvents
  readonly newestRows: Omit<NewestRows, 'readPerp'>
  /** The newest row of each market, decoded once. */
  readonly books: NewestBooks
  readonly snapshots: SnapshotStore
  readonly snapshotPages: SnapshotPageStore
  /** First and last recorded slot of each market. */
  readonly recordedWindows: RecordedWindows
  readonly marketDays: MarketDayStore
  /** Counts of rows by hour. */
  readonly recordedHours: RecordedHourStore
  /** How complete all markets were. */
  readonly coverageReads: CoverageReads
  readonly summaries: MarketSummaryStore
  /** All markets that have rows in ClickHouse. */
  readonly recordedMarkets: RecordedMarketStore
  readonly recentMarkets: RecentMarkets
  /** Prices that windows start and end with. */
  readonly settlementPrices: SettlementPriceStore
  /** Recorded prices of coins. */
  readonly prices: PriceStore
  readonly gaps: GapStore
  readonly storedSince: StoredSince
  /** Gaps from a cache that is at most two seconds old. */
  readonly knownGaps: KnownGaps
  readonly missingSlots: Pick<MissingSlotStore, 'runs'>
  readonly bars: BarStore
  readonly heatMaps: HeatMapStore
  /** Tiles that can no longer change. */
  readonly finalTiles: FinalTiles
  readonly hourFiles: HourFiles
  readonly corrections: Pick<Corrections, 'revisionOf' | 'list'>
  /** Revisions of ranges, at most a second old. */
  readonly revisions: KnownRevisions
  readonly samples: Pick<Samples, 'list' | 'find' | 'snapshotsOf' | 'tilesOf' | 'fileOf'>
  /** The files of finished days. */
  readonly files: Pick<Files, 'find' | 'list'>
  readonly fileObjects: FileObjects
  readonly manifests: Pick<Manifests, 'list' | 'keys' | 'proofOf'>
  readonly trades: TradeStore
  /** Counts of all recorded data. */
  readonly platform: Pick<Platform, 'read'>
  readonly health: Pick<Health, 'read'>
  /** Uptime and incidents of the last 90 days, by service. */
  readonly uptime: Pick<Remembered<Readonly<Record<string, ServiceUptime>>>, 'read'>
  readonly accounts: Pick<Accounts, 'find'>
  readonly keys: Pick<Keys, 'list'>
  readonly consoleBudgets: ConsoleBudgets
  readonly streamTickets: Pick<StreamTickets, 'issue'>
  /** Address of the streams, for pages. */
  readonly streamUrl: string
  readonly ledger: Pick<CreditLedger, 'spendable' | 'spentThisMonth'>
  readonly usage: Pick<Usage, 'byKey' | 'byDay'>
  readonly creditHistory: Pick<CreditHistory, 'list'>
  readonly events: Pick<Events, 'list'>
  readonly invoices: Pick<Invoices, 'begin' | 'attach' | 'giveUp' | 'find' | 'list' | 'running' | 'waiting'>
  readonly paymentEvents: Pick<PaymentEvents, 'store'>
  readonly processors: Processors
  /** Coins that the active processor accepts. */
  readonly currencies: Pick<Remembered<readonly string[]>, 'read'>
  readonly openGaps: OpenGapStore
  /** Rejects while NATS is unavailable. */
  readonly deadLetters: { read(): Promise<DeadLetterFigures> }
  readonly reviewList: ReviewList
  readonly accountSearch: AccountSearch
  readonly operatorChanges: OperatorChanges
  /** Errors of the last ten minutes. */
  readonly errorGrowth: Pick<ErrorGrowth, 'sinceMs' | 'grown'>
  /** Metrics that running processes publish every second. */
  readonly heartbeats: { current(nowMs: number): readonly Heartbeat[]; rates(nowMs: number): readonly Totals[] }
}
