import PQueue from 'p-queue'
import type { Gap } from '../../domain/rows/gap.ts'
import type { Trade } from '../../domain/rows/trade.ts'
import { type SlotRange, timeOf } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { PerpSnapshotStore } from '../../stores/books/perp-snapshots.ts'
import type { SampledMarket } from '../../stores/books/slot-sql.ts'
import type { ReceivedRange, StreamRowStore } from '../../stores/books/stream-rows.ts'
import { binaryRowAt, perpRowOf, type StreamRow } from '../frames/stream-row.ts'
import { PERP_VENUE, type StreamMarket } from './stream-market.ts'

export interface Stored {
  /** Ordered by slot, without repeats. */
  readonly rows: readonly StreamRow[]
  readonly gaps: readonly Gap[]
}

const MAX_PERP_ROWS = 100_000
const READS_AT_ONCE = 6

/** Stored rows, gaps and trades of binary and perpetual markets, in the shape that streams send. */
export class MarketStore {
  readonly #rows: StreamRowStore
  readonly #perps: Pick<PerpSnapshotStore, 'range'>
  readonly #reads = new PQueue({ concurrency: READS_AT_ONCE })

  constructor(rows: StreamRowStore, perps: Pick<PerpSnapshotStore, 'range'>) {
    this.#rows = rows
    this.#perps = perps
  }

  /** Rows and gaps of one market. After a restart many clients resume at once, so few reads run at the same time. */
  read(market: StreamMarket, slots: SlotRange): Promise<Stored> {
    return this.#reads.add(() => this.#read(market, slots))
  }

  async #read(market: StreamMarket, slots: SlotRange): Promise<Stored> {
    const many = manyOf([market], market.intervalMs, slots)
    const [rows, gaps] = await Promise.all([this.#rowsOf(market, slots), this.#rows.gaps(many)])
    return { rows, gaps }
  }

  /** Rows of markets with the same interval, unordered; rows may be repeated. */
  async binaryRows(markets: readonly StreamMarket[], slots: SlotRange): Promise<StreamRow[]> {
    const [first] = markets
    if (first === undefined) return []
    const rows = await this.#rows.snapshots(manyOf(markets, first.intervalMs, slots))
    return Array.from({ length: rows.count }, (_, index) => binaryRowAt(rows, index))
  }

  async perpRows({ symbol = '', intervalMs }: StreamMarket, slots: SlotRange): Promise<StreamRow[]> {
    const range = { venue: PERP_VENUE, symbol, intervalMs, ...timeOf(slots, intervalMs) }
    const found = await this.#perps.range(range, { order: 'asc', limit: MAX_PERP_ROWS })
    return found.map(perpRowOf)
  }

  /** Counts rows of prediction markets, each in its own slot range. */
  count(markets: readonly (SampledMarket & SlotRange)[]): Promise<number> {
    return this.#rows.count(markets)
  }

  countTrades(range: ReceivedRange): Promise<number> {
    return this.#rows.countTrades(range)
  }

  async gaps(markets: readonly StreamMarket[], slots: SlotRange): Promise<Gap[]> {
    const [first] = markets
    return first === undefined ? [] : this.#rows.gaps(manyOf(markets, first.intervalMs, slots))
  }

  /** By receive time; the end is excluded. */
  async trades(markets: readonly StreamMarket[], range: TimeRange): Promise<Trade[]> {
    const marketIds = markets.filter(({ listed }) => listed !== undefined).map(({ id }) => id)
    return marketIds.length === 0 ? [] : this.#rows.trades({ marketIds, ...range })
  }

  async #rowsOf(market: StreamMarket, slots: SlotRange): Promise<StreamRow[]> {
    if (market.symbol !== undefined) return this.perpRows(market, slots)
    const rows = await this.binaryRows([market], slots)
    rows.sort((one, other) => one.seq - other.seq)
    return rows.filter(({ seq }, index) => seq !== rows[index + 1]?.seq)
  }
}

function manyOf(markets: readonly StreamMarket[], intervalMs: number, slots: SlotRange) {
  return { marketIds: markets.map(({ id }) => id), intervalMs, ...slots }
}
