import type { Gap } from '../../domain/rows/gap.ts'
import { type SlotRange, timeOf } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { PerpSnapshotStore } from '../../stores/books/perp-snapshots.ts'
import type { PerpTapeStore } from '../../stores/books/perp-tape.ts'
import type { SampledMarket } from '../../stores/books/slot-sql.ts'
import type { ReceivedRange, StreamRowStore } from '../../stores/books/stream-rows.ts'
import { DEFAULT_PERP_VENUE } from '../../venue-registry.ts'
import { binaryRowAt, perpRowOf, type StreamRow } from '../frames/stream-row.ts'
import type { Told, ToldKind } from '../frames/told.ts'
import type { StreamMarket } from './stream-market.ts'

export interface Stored {
  /** Ordered by slot, without repeats. */
  readonly rows: readonly StreamRow[]
  readonly gaps: readonly Gap[]
}

type PerpRows = Pick<PerpSnapshotStore, 'range' | 'count'>
type PerpTape = Pick<PerpTapeStore, 'receivedTrades' | 'contexts' | 'countReceived'>

/** A market, and what is wanted of it besides rows. */
export interface WantedTold {
  readonly market: StreamMarket
  readonly kinds: ReadonlySet<ToldKind>
}

/** What a replay would send. */
export interface Countable {
  readonly binary: readonly (SampledMarket & SlotRange)[]
  readonly perps: readonly ({ readonly symbol: string; readonly intervalMs: number } & SlotRange)[]
  readonly trades: ReceivedRange | undefined
  readonly tape: readonly (WantedTold & TimeRange)[]
}

export interface RowCounts {
  readonly binaryRows: number
  readonly perpRows: number
  readonly trades: number
  readonly tapeRows: number
}

const MAX_PERP_ROWS = 100_000
const MAX_CONTEXTS = 100_000

/** Stored rows, gaps and trades of binary and perpetual markets, in the shape that streams send. */
export class MarketStore {
  readonly #rows: StreamRowStore
  readonly #perps: PerpRows
  readonly #tape: PerpTape

  constructor(rows: StreamRowStore, perps: PerpRows, tape: PerpTape) {
    this.#rows = rows
    this.#perps = perps
    this.#tape = tape
  }

  /** Rows and gaps of one market. */
  async read(market: StreamMarket, slots: SlotRange): Promise<Stored> {
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
    const range = { venue: DEFAULT_PERP_VENUE, symbol, intervalMs, ...timeOf(slots, intervalMs) }
    const found = await this.#perps.range(range, { order: 'asc', limit: MAX_PERP_ROWS })
    return found.map(perpRowOf)
  }

  /** Counts rows without reading them: of prediction markets and perpetual futures, each in its own slots, and what was told besides. */
  async count({ binary, perps, trades, tape }: Countable): Promise<RowCounts> {
    const [binaryRows, perpRows, tradeRows, tapeRows] = await Promise.all([
      this.#rows.count(binary),
      Promise.all(perps.map((perp) => this.#perps.count({ venue: DEFAULT_PERP_VENUE, ...perp }))),
      trades === undefined ? 0 : this.#rows.countTrades(trades),
      Promise.all(tape.map((wanted) => this.#countTape(wanted))),
    ])
    return { binaryRows, perpRows: sumOf(perpRows), trades: tradeRows, tapeRows: sumOf(tapeRows) }
  }

  async gaps(markets: readonly StreamMarket[], slots: SlotRange): Promise<Gap[]> {
    const [first] = markets
    return first === undefined ? [] : this.#rows.gaps(manyOf(markets, first.intervalMs, slots))
  }

  /** By receive time; the end is excluded. */
  async told(wanted: readonly WantedTold[], range: TimeRange): Promise<Told[]> {
    const marketIds = wanted
      .filter(({ market, kinds }) => market.listed !== undefined && kinds.has('fill'))
      .map(({ market }) => market.id)
    const [fills, ...tapes] = await Promise.all([
      marketIds.length === 0 ? [] : this.#rows.trades({ marketIds, ...range }),
      ...wanted.map((each) => this.#tapeOf(each, range)),
    ])
    return [...fills.map((row): Told => ({ kind: 'fill', row })), ...tapes.flat()]
  }

  async #tapeOf({ market: { venue, symbol }, kinds }: WantedTold, { fromMs, toMs }: TimeRange): Promise<Told[]> {
    if (symbol === undefined) return []
    const perp = { venue, symbol, fromMs, toMs }
    const [trades, contexts] = await Promise.all([
      kinds.has('trade') ? this.#tape.receivedTrades(perp) : [],
      kinds.has('context') ? this.#tape.contexts(perp, { order: 'asc', limit: MAX_CONTEXTS }) : [],
    ])
    return [
      ...trades.map((row): Told => ({ kind: 'trade', row })),
      ...contexts.map((row): Told => ({ kind: 'context', row })),
    ]
  }

  async #countTape({ market: { venue, symbol = '' }, kinds, fromMs, toMs }: WantedTold & TimeRange): Promise<number> {
    const tables = [
      ...(kinds.has('trade') ? ['trades' as const] : []),
      ...(kinds.has('context') ? ['contexts' as const] : []),
    ]
    return sumOf(
      await Promise.all(tables.map((table) => this.#tape.countReceived({ venue, symbol, fromMs, toMs }, table))),
    )
  }

  async #rowsOf(market: StreamMarket, slots: SlotRange): Promise<StreamRow[]> {
    if (market.symbol !== undefined) return this.perpRows(market, slots)
    const rows = await this.binaryRows([market], slots)
    rows.sort((one, other) => one.seq - other.seq)
    return rows.filter(({ seq }, index) => seq !== rows[index + 1]?.seq)
  }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

function manyOf(markets: readonly StreamMarket[], intervalMs: number, slots: SlotRange) {
  return { marketIds: markets.map(({ id }) => id), intervalMs, ...slots }
}
