import { type Batch, rowsIn } from '../bus/batch.ts'
import { textOf } from '../domain/decimal.ts'
import { type Gap, gapSchema, type StoredGap } from '../domain/rows/gap.ts'
import { PERP_DECIMALS, type PerpSnapshot, perpSnapshotSchema } from '../domain/rows/perp-snapshot.ts'
import { SNAPSHOT_FLAGS, type Snapshot, snapshotSchema } from '../domain/rows/snapshot.ts'

const RATE_OVER_MS = 5_000
/** An open gap is published again at least this often. */
const GAP_IS_OPEN_MS = 3_000
const { verifiedUp, verifiedDown } = SNAPSHOT_FLAGS

interface Arrival {
  atMs: number
  rows: number
  proved: number
  trades: number
  bytes: number
}

/** Statistics of the batches on the bus, as text for a terminal. */
export class LiveBoard {
  readonly #newest = new Map<string, Snapshot>()
  readonly #busy = new Map<string, number>()
  readonly #perps = new Map<string, PerpSnapshot>()
  readonly #gaps = new Map<string, { gap: Gap; receivedAtMs: number }>()
  #arrivals: Arrival[] = []
  #lagMs = 0

  take(batch: Batch, receivedAtMs: number): void {
    const arrival: Arrival = { atMs: receivedAtMs, rows: 0, proved: 0, trades: 0, bytes: 0 }
    for (const { table, bytes, rowCount } of batch.sections) {
      arrival.bytes += bytes.length
      if (table === 'trades') arrival.trades += rowCount
    }
    for (const row of rowsIn(batch, 'snapshots', snapshotSchema)) this.#takeRow(row, arrival)
    for (const gap of rowsIn(batch, 'gaps', gapSchema)) this.#takeGap(gap, receivedAtMs)
    for (const perp of rowsIn(batch, 'perp_snapshots', perpSnapshotSchema)) this.#takePerp(perp)
    this.#lagMs = receivedAtMs - batch.tickAtMs
    this.#arrivals.push(arrival)
    this.#arrivals = this.#arrivals.filter(({ atMs }) => receivedAtMs - atMs < RATE_OVER_MS)
  }

  /** Markets with the most changes, busiest first. */
  busiest(count: number): string[] {
    return [...this.#busy]
      .sort(([, one], [, other]) => other - one)
      .slice(0, count)
      .map(([marketId]) => marketId)
  }

  render(nowMs: number, names: ReadonlyMap<string, string>, lines = 12): string {
    const sum = (count: (arrival: Arrival) => number): number =>
      this.#arrivals.reduce((total, each) => total + count(each), 0)
    const perSecond = (value: number): string => (value / (RATE_OVER_MS / 1000)).toFixed(0)
    const rows = sum((each) => each.rows)
    const open = [...this.#gaps.values()].filter(({ receivedAtMs }) => nowMs - receivedAtMs < GAP_IS_OPEN_MS)
    const head = [
      `markets ${this.#newest.size}`,
      `rows/s ${perSecond(rows)}`,
      `proved ${rows === 0 ? '–' : ((100 * sum((each) => each.proved)) / rows).toFixed(2)} %`,
      `trades/s ${perSecond(sum((each) => each.trades))}`,
      `${(sum((each) => each.bytes) / RATE_OVER_MS / 1000).toFixed(2)} MB/s`,
      `lag ${this.#lagMs.toFixed(0)} ms`,
      `open gaps ${open.length}`,
    ]
    return [
      head.join('   '),
      '',
      ...this.busiest(lines).map((id) => this.#bookLine(id, names.get(id) ?? id, nowMs)),
      '',
      ...[...this.#perps.values()].map((perp) => perpLine(perp, nowMs)),
      ...(open.length === 0 ? [] : ['', ...causesOf(open.map(({ gap }) => gap))]),
    ].join('\n')
  }

  #takeRow(row: Snapshot, arrival: Arrival): void {
    arrival.rows++
    if ((row.flags & (verifiedUp | verifiedDown)) === (verifiedUp | verifiedDown)) arrival.proved++
    this.#newest.set(row.marketId, row)
    this.#busy.set(row.marketId, (this.#busy.get(row.marketId) ?? 0) * 0.9 + row.changes)
  }

  #takeGap(gap: StoredGap, receivedAtMs: number): void {
    if (gap.kind === 'missing') this.#gaps.set(gap.marketId, { gap, receivedAtMs })
  }

  #takePerp(row: PerpSnapshot): void {
    this.#perps.set(`${row.venue} ${row.symbol}`, row)
  }

  #bookLine(marketId: string, name: string, nowMs: number): string {
    const row = this.#newest.get(marketId)
    if (row === undefined) return name
    const { bids, asks } = row.up
    const [bid, ask] = [bids[0], asks[0]]
    const touch = `${bid === undefined ? '–' : textOf(bid.price, 4)} / ${ask === undefined ? '–' : textOf(ask.price, 4)}`
    const spot = row.flags & SNAPSHOT_FLAGS.hasSpot ? `spot ${(row.spotPrice / 1e8).toFixed(2)}` : ''
    const age = `${Math.max(0, Math.round(nowMs - row.eventAtMs))} ms`
    return `${name.slice(0, 52).padEnd(54)}${touch.padEnd(16)}${`${bids.length}+${asks.length} levels`.padEnd(16)}${age.padStart(9)}  ${spot}`
  }
}

function perpLine({ symbol, touch, ladders, eventAtMs }: PerpSnapshot, nowMs: number): string {
  const prices = `${textOf(touch.bidPrice, PERP_DECIMALS)} / ${textOf(touch.askPrice, PERP_DECIMALS)}`
  const ages = `touch ${Math.round(nowMs - touch.eventAtMs)} ms, book ${Math.round(nowMs - eventAtMs)} ms`
  return `${`${symbol} perp`.padEnd(54)}${prices.padEnd(24)}${ladders.bids.length}+${ladders.asks.length} levels  ${ages}`
}

function causesOf(gaps: readonly Gap[]): string[] {
  const counts = new Map<string, number>()
  for (const { cause } of gaps) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  return [...counts].map(([cause, count]) => `${cause}: ${count} markets`)
}
