import type { Pulse, Totals } from '../domain/pulse.ts'
import type { DayUptime } from '../domain/uptime.ts'
import type { Processors } from '../payments/processor.ts'
import type { Accounts } from '../stores/accounts.ts'
import type { BarStore } from '../stores/bars.ts'
import type { GapStore } from '../stores/gaps.ts'
import type { Health } from '../stores/health.ts'
import type { HourFiles } from '../stores/hour-files.ts'
import type { ServiceIncident } from '../stores/incidents.ts'
import type { Invoices } from '../stores/invoices.ts'
import type { Keys } from '../stores/keys.ts'
import type { KnownGaps } from '../stores/known-gaps.ts'
import type { Latest } from '../stores/latest.ts'
import type { Ledger } from '../stores/ledger.ts'
import type { LiveCatalogue } from '../stores/live-catalogue.ts'
import type { MarketDayStore } from '../stores/market-days.ts'
import type { MarketSummaryStore } from '../stores/market-summaries.ts'
import type { Markets } from '../stores/markets.ts'
import type { MissingSlotStore } from '../stores/missing-slots.ts'
import type { NewestBooks } from '../stores/newest-books.ts'
import type { PaymentEvents } from '../stores/payment-events.ts'
import type { PerpSnapshotStore } from '../stores/perp-snapshots.ts'
import type { Platform } from '../stores/platform.ts'
import type { RecordedMarketStore } from '../stores/recorded-markets.ts'
import type { RecordedWindows } from '../stores/recorded-window.ts'
import type { Remembered } from '../stores/remembered.ts'
import type { SnapshotPageStore } from '../stores/snapshot-pages.ts'
import type { SnapshotStore } from '../stores/snapshots.ts'
import type { TradeStore } from '../stores/trades.ts'
import type { Usage } from '../stores/usage.ts'

/** Everything that answers are made from. One member for each noun. */
export interface Stores {
  /** Markets that are not over, in memory. */
  readonly catalogue: LiveCatalogue
  /** All markets that ever were. */
  readonly markets: Markets
  /** The newest rows. */
  readonly latest: Latest
  /** The newest rows, decoded once for all who ask. */
  readonly books: NewestBooks
  readonly snapshots: SnapshotStore
  readonly snapshotPages: SnapshotPageStore
  /** From when to when each market was recorded. */
  readonly recordedWindows: RecordedWindows
  readonly marketDays: MarketDayStore
  readonly summaries: MarketSummaryStore
  /** All markets that have rows, as ClickHouse alone knows them. */
  readonly recordedMarkets: RecordedMarketStore
  readonly gaps: GapStore
  /** The same, a moment old. */
  readonly knownGaps: KnownGaps
  readonly missingSlots: MissingSlotStore
  readonly bars: BarStore
  readonly hourFiles: HourFiles
  readonly trades: TradeStore
  readonly perps: PerpSnapshotStore
  /** Figures of all that is recorded. */
  readonly platform: Pick<Platform, 'read'>
  readonly health: Pick<Health, 'read'>
  /** By service, the last 90 days. */
  readonly uptime: Pick<Remembered<ReadonlyMap<string, readonly DayUptime[]>>, 'read'>
  /** Those that last and those of the last 90 days. */
  readonly incidents: Pick<Remembered<readonly ServiceIncident[]>, 'read'>
  readonly accounts: Pick<Accounts, 'find'>
  readonly keys: Pick<Keys, 'list'>
  readonly ledger: Pick<Ledger, 'spendable' | 'spentThisMonth'>
  /** What was served and charged. */
  readonly usage: Pick<Usage, 'byKey' | 'byDay'>
  readonly invoices: Pick<Invoices, 'begin' | 'attach' | 'giveUp' | 'find' | 'running'>
  readonly paymentEvents: Pick<PaymentEvents, 'store'>
  /** Who takes money for us. */
  readonly processors: Processors
  /** What running processes say of themselves. */
  readonly pulses: { pulses(nowMs: number): readonly Pulse[]; rates(nowMs: number): readonly Totals[] }
}
