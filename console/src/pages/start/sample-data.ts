import type { HeatMap, Sample } from '@bookreel/sdk'
import { HeatMapData } from '../../views/heat-map/heat-map-data.ts'
import { HeatViewport } from '../../views/heat-map/heat-viewport.ts'
import { sizeOfCode } from '../../views/heat-map/size-code.ts'

const HOUR_MS = 3_600_000
/** Tiles of samples have columns of this many slots. */
const SLOTS_PER_COLUMN = 16
const LEAST_COLUMNS = 30

export interface SampleMap {
  readonly data: HeatMapData
  readonly view: HeatViewport
  readonly fromMs: number
  readonly toMs: number
  readonly columnMs: number
}

/** The hour of a sample as a heat map has it. Undefined for a sample without tiles. */
export function sampleMap({ hour, gaps }: Sample, tiles: readonly HeatMap[]): SampleMap | undefined {
  const [first] = tiles
  if (first === undefined) return undefined
  const { column_ms: columnMs, rows } = first
  const data = new HeatMapData([
    {
      intervalMs: columnMs / SLOTS_PER_COLUMN,
      slotsPerColumn: SLOTS_PER_COLUMN,
      rows,
      priceFrom: first.price_from,
      priceStep: first.price_step,
      scale: { unit: first.scale.unit, stepsPerOctave: first.scale.steps_per_octave },
      emptyBid: 0,
      emptyAsk: 1,
    },
  ])
  const fromMs = Date.parse(hour)
  const toMs = fromMs + HOUR_MS
  data.addGaps(
    gaps.map(({ from, to, kind, cause }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to), kind, cause })),
  )
  for (const tile of tiles) data.addTile(0, tile, { fromMs, toMs })
  const limits = { leastMs: LEAST_COLUMNS * columnMs, mostMs: HOUR_MS, rows }
  return { data, view: new HeatViewport({ fromMs, toMs, isFollowing: false }, limits), fromMs, toMs, columnMs }
}

interface SampleLevel {
  readonly price: number
  readonly size: number
}

interface SampleColumn {
  readonly bids: readonly SampleLevel[]
  readonly asks: readonly SampleLevel[]
  readonly isSuspect: boolean
}

/** The best levels of a column, as the tile has them; undefined where nothing is stored. */
export function sampleColumn({ data }: SampleMap, atMs: number, levels: number): SampleColumn | undefined {
  const [ring, form] = [data.rings[0], data.levels[0]]
  const place = ring?.placeOf(data.numberAt(0, atMs))
  if (ring === undefined || form === undefined || place === undefined || ring.stored[place] === 0) return undefined
  const side = (codes: Uint8Array): SampleLevel[] =>
    [...codes.subarray(place * ring.rows, (place + 1) * ring.rows)].flatMap((code, row) =>
      code === 0 ? [] : [{ price: exact(form.priceFrom + row * form.priceStep), size: sizeOfCode(code, form.scale) }],
    )
  return {
    bids: side(ring.bids).slice(-levels).reverse(),
    asks: side(ring.asks).slice(0, levels),
    isSuspect: (ring.suspect[place] ?? 0) > 0,
  }
}

/** Without the last digits of a binary fraction. */
function exact(price: number): number {
  return Number(price.toFixed(4))
}
