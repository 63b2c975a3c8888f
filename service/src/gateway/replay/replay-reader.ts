import type { Gap } from '../../domain/rows/gap.ts'
import { slotsIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ReceivedRange } from '../../stores/books/stream-rows.ts'
import { kindsOf, type MarketStream } from '../channels/market-stream.ts'
import { turns } from '../connection/turns.ts'
import { capturedAtMs, type StreamRow } from '../frames/stream-row.ts'
import { type Told, toldMarketId } from '../frames/told.ts'
import type { MarketStore, WantedTold } from '../markets/market-store.ts'
import type { StreamMarket } from '../markets/stream-market.ts'

/** One market of a replay, with its time range and streams. */
export interface ReplayMarket extends TimeRange {
  readonly market: StreamMarket
  readonly streams: readonly MarketStream[]
}

export interface ReplayItem {
  readonly of: ReplayMarket
  /** Sort key: time of the slot, or receive time of the trade or context. */
  readonly atMs: number
  /** Decides when the item is sent. */
  readonly happenedAtMs: number
  readonly row?: StreamRow
  readonly told?: Told
}

export interface ReplayPiece {
  readonly items: readonly ReplayItem[]
  /** Start of the next piece. */
  readonly nextMs: number
}

/** Large enough for few queries, small enough that the pieces of many replays fit in memory and are sorted quickly. */
const ROWS_PER_PIECE = 2_500
/** A perpetual future has a deeper book than a prediction market. */
const BINARY_ROWS_PER_PERP_ROW = 8
const [SHORTEST_MS, LONGEST_MS] = [2_000, 600_000]

/** Reads all markets of a replay in pieces, ordered by time and market id. */
export class ReplayReader {
  readonly #store: MarketStore
  readonly #markets: readonly ReplayMarket[]
  readonly #byId: ReadonlyMap<string, ReplayMarket>

  constructor(store: MarketStore, markets: readonly ReplayMarket[]) {
    this.#store = store
    this.#markets = markets
    this.#byId = new Map(markets.map((each) => [each.market.id, each]))
  }

  /** All gap records of the range, by market. */
  async gaps(): Promise<Map<string, Gap[]>> {
    const groups = [...Map.groupBy(this.#markets, ({ market }) => market.intervalMs)]
    const found = await Promise.all(
      groups.map(([intervalMs, group]) => {
        const fromMs = Math.min(...group.map((each) => each.fromMs))
        const toMs = Math.max(...group.map((each) => each.toMs))
        return this.#store.gaps(
          group.map(({ market }) => market),
          slotsIn({ fromMs, toMs }, intervalMs),
        )
      }),
    )
    return Map.groupBy(found.flat(), ({ marketId }) => marketId)
  }

  /** Maximum rows to charge: two per prediction market row (one per token), one per perp row, trade or context. */
  async count(): Promise<number> {
    const withRows = this.#markets.filter(wantsRows).map(({ market, fromMs, toMs }) => {
      const { id: marketId, symbol, intervalMs } = market
      return { marketId, symbol, intervalMs, ...slotsIn({ fromMs, toMs }, intervalMs) }
    })
    const { binaryRows, perpRows, trades, tapeRows } = await this.#store.count({
      binary: withRows.filter(({ symbol }) => symbol === undefined),
      perps: withRows.flatMap(({ symbol, ...own }) => (symbol === undefined ? [] : [{ ...own, symbol }])),
      trades: this.#tradesToCount(),
      tape: this.#markets.filter(({ market }) => market.symbol !== undefined).map(wantedOf),
    })
    return binaryRows * 2 + perpRows + trades + tapeRows
  }

  /** Reads the next piece from a time on. */
  async piece(fromMs: number, endMs: number): Promise<ReplayPiece> {
    const nearby = this.#markets.filter((each) => each.fromMs < fromMs + LONGEST_MS && each.toMs > fromMs)
    const rowsPerMs = nearby.reduce(
      (sum, { market }) => sum + (market.symbol === undefined ? 1 : BINARY_ROWS_PER_PERP_ROW) / market.intervalMs,
      0,
    )
    const lengthMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.floor(ROWS_PER_PIECE / Math.max(rowsPerMs, 1e-6))))
    const nextMs = Math.min(endMs, fromMs + lengthMs)
    const wanted = nearby.filter((each) => each.fromMs < nextMs)
    const [rows, told] = await Promise.all([
      this.#rows(wanted.filter(wantsRows), fromMs, nextMs),
      this.#told(wanted, fromMs, nextMs),
    ])
    // The pieces of many replays may arrive at the same time.
    await turns.next()
    const items = [...rows, ...told].filter(({ of, atMs }) => atMs >= of.fromMs && atMs < of.toMs)
    items.sort(inOrder)
    // A slot may be stored more than once.
    return { items: items.filter((item, index) => !isRepeat(item, items[index - 1])), nextMs }
  }

  async #rows(wanted: readonly ReplayMarket[], fromMs: number, toMs: number) {
    const groups = Map.groupBy(wanted, ({ market }) => (market.symbol === undefined ? market.intervalMs : 0))
    const found = await Promise.all(
      [...groups].map(async ([intervalMs, group]) => {
        if (intervalMs > 0) {
          const markets = group.map(({ market }) => market)
          const rows = await this.#store.binaryRows(markets, slotsIn({ fromMs, toMs }, intervalMs))
          await turns.next()
          return this.#binaryItems(rows, intervalMs)
        }
        const perps = group.map(async (of) => {
          const rows = await this.#store.perpRows(of.market, slotsIn({ fromMs, toMs }, of.market.intervalMs))
          return rows.map((row) => itemOf(of, row))
        })
        return (await Promise.all(perps)).flat()
      }),
    )
    return found.flat()
  }

  #binaryItems(rows: readonly StreamRow[], intervalMs: number): ReplayItem[] {
    const items: ReplayItem[] = []
    for (const row of rows) {
      if (row.kind !== 'binary') continue
      const of = this.#byId.get(row.rows.marketId(row.index))
      if (of !== undefined && of.market.intervalMs === intervalMs) items.push(itemOf(of, row))
    }
    return items
  }

  async #told(wanted: readonly ReplayMarket[], fromMs: number, toMs: number): Promise<ReplayItem[]> {
    const found = await this.#store.told(wanted.map(wantedOf), { fromMs, toMs })
    return found.flatMap((told) => {
      const of = this.#byId.get(toldMarketId(told))
      const { receivedAtMs } = told.row
      return of === undefined ? [] : [{ of, told, atMs: receivedAtMs, happenedAtMs: receivedAtMs }]
    })
  }

  #tradesToCount(): ReceivedRange | undefined {
    const wanted = this.#markets.filter((each) => wantedOf(each).kinds.has('fill') && each.market.symbol === undefined)
    if (wanted.length === 0) return undefined
    const fromMs = Math.min(...wanted.map((each) => each.fromMs))
    const toMs = Math.max(...wanted.map((each) => each.toMs))
    return { marketIds: wanted.map(({ market }) => market.id), fromMs, toMs }
  }
}

function itemOf(of: ReplayMarket, row: StreamRow): ReplayItem {
  return { of, row, atMs: row.seq * of.market.intervalMs, happenedAtMs: capturedAtMs(row) }
}

/** What was told comes before the row of the same time, because it was received before the slot was sampled. */
function inOrder(one: ReplayItem, other: ReplayItem): number {
  if (one.atMs !== other.atMs) return one.atMs - other.atMs
  if (one.of !== other.of) return one.of.market.id < other.of.market.id ? -1 : 1
  return (one.row === undefined ? 0 : 1) - (other.row === undefined ? 0 : 1)
}

function isRepeat({ of, row }: ReplayItem, before: ReplayItem | undefined): boolean {
  return row !== undefined && before?.of === of && before.row?.seq === row.seq
}

function wantsRows({ streams }: ReplayMarket): boolean {
  return streams.some((stream) => stream.row !== undefined)
}

function wantedOf({ market, fromMs, toMs, streams }: ReplayMarket): WantedTold & TimeRange {
  return { market, fromMs, toMs, kinds: kindsOf(streams) }
}
