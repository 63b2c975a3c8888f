import { columnMsOf } from '../heat-map/detail-levels.ts'
import type { HeatMapData, HeatTrade } from '../heat-map/heat-map-data.ts'
import type { HeatRing } from '../heat-map/heat-ring.ts'
import type { LiveColumnsForm } from '../heat-map/live-columns.ts'
import { sizeOfCode } from '../heat-map/size-code.ts'
import { BEST_LEVELS } from './figures-of-book.ts'

/** What the strips show of one column of the map. A figure is undefined where no book is stored, or one side is empty. */
export interface StripColumn {
  readonly fromMs: number
  readonly spread: number | undefined
  /** Of the five best prices, from -1 (only asks) to 1 (only bids). Columns keep the largest sizes, so it is not exact. */
  readonly imbalance: number | undefined
  /** Traded shares; undefined where trades are not loaded. */
  readonly bought: number | undefined
  readonly sold: number | undefined
}

const NOTHING = { bought: 0, sold: 0 }

export function stripColumns(data: HeatMapData, level: number, range: { fromMs: number; toMs: number }): StripColumn[] {
  const ring = data.rings[level]
  const form = data.levels[level]
  if (ring === undefined || form === undefined) return []
  const columnMs = columnMsOf(form)
  const traded = tradedByColumn(data.trades, columnMs)
  const columns: StripColumn[] = []
  for (let number = Math.floor(range.fromMs / columnMs); number * columnMs < range.toMs; number++) {
    const isLoaded = number * columnMs >= data.tradesFromMs
    const { bought, sold } = isLoaded ? (traded.get(number) ?? NOTHING) : { bought: undefined, sold: undefined }
    columns.push({ fromMs: number * columnMs, ...figuresOf(ring, number, form), bought, sold })
  }
  return columns
}

function figuresOf(ring: HeatRing, number: number, form: LiveColumnsForm): Pick<StripColumn, 'spread' | 'imbalance'> {
  const place = ring.placeOf(number)
  if (place === undefined || ring.stored[place] === 0) return { spread: undefined, imbalance: undefined }
  const bid = ring.bestBid[place] ?? Number.NaN
  const ask = ring.bestAsk[place] ?? Number.NaN
  const isWhole = !Number.isNaN(bid) && !Number.isNaN(ask) && bid !== form.emptyBid && ask !== form.emptyAsk
  const bids = bestSizes(ring.bids, place, { form, price: bid, step: -1 })
  const asks = bestSizes(ring.asks, place, { form, price: ask, step: 1 })
  return {
    spread: isWhole ? ask - bid : undefined,
    imbalance: bids + asks === 0 ? undefined : (bids - asks) / (bids + asks),
  }
}

/** From the best price on, which way worse prices are. */
function bestSizes(
  codes: Uint8Array,
  place: number,
  { form, price, step }: { form: LiveColumnsForm; price: number; step: 1 | -1 },
): number {
  if (Number.isNaN(price)) return 0
  let sum = 0
  let found = 0
  const first = Math.floor((price - form.priceFrom) / form.priceStep + 1e-6)
  for (let row = first; row >= 0 && row < form.rows && found < BEST_LEVELS; row += step) {
    const code = codes[place * form.rows + row] ?? 0
    if (code === 0) continue
    sum += sizeOfCode(code, form.scale)
    found++
  }
  return sum
}

function tradedByColumn(trades: readonly HeatTrade[], columnMs: number): Map<number, { bought: number; sold: number }> {
  const sums = new Map<number, { bought: number; sold: number }>()
  for (const { atMs, size, action } of trades) {
    const number = Math.floor(atMs / columnMs)
    const sum = sums.get(number) ?? { bought: 0, sold: 0 }
    sum[action === 'buy' ? 'bought' : 'sold'] += size
    sums.set(number, sum)
  }
  return sums
}
