import { percentile } from '../percentile.ts'
import type { WatchedPage } from './watched-page.ts'

export const HEAT_MAP = `document.querySelector('[role="img"]:has(canvas)')`

/** Something that was recorded is on the screen. */
export const IS_DRAWN = `${HEAT_MAP}?.heatMap?.painter.paintMs > 0 && ${HEAT_MAP}.heatMap.data.rings.some(({ newest }) => newest !== undefined)`

interface RecordedRange {
  readonly fromMs: number
  readonly toMs: number
}

/** Every column on the screen is known that lies in the recorded range, at the level of detail that is drawn. */
export const isWhollyDrawn = ({ fromMs, toMs }: RecordedRange): string => `(() => {
  const { data, view, painter } = ${HEAT_MAP}?.heatMap ?? {}
  if (!(painter?.paintMs > 0)) return false
  const { level, columnMs } = painter
  const first = Math.ceil(Math.max(view.fromMs, ${fromMs}) / columnMs)
  const end = Math.floor(Math.min(view.toMs, ${toMs}) / columnMs)
  for (let number = first; number < end; number++)
    if (data.rings[level].placeOf(number) === undefined) return false
  return end > first
})()`

export interface Drawing {
  /** Milliseconds to decode all free tiles of an hour, and to colour and draw them. */
  readonly hourMs: number
  readonly contrastMs: number
  readonly columnMs: number
  /** Of the tiles. */
  readonly columns: number
}

/** Runs in the page; the element of a heat map has its parts as a property. */
const measureScript = (marketId: string, fromMs: number, toMs: number): string => `(async () => {
  const { data, view, painter } = ${HEAT_MAP}.heatMap
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  const painted = async (change) => {
    change()
    await frame()
    return painter.paintMs
  }
  const { intervalMs, slotsPerColumn } = data.levels[0]
  const tileMs = 256 * intervalMs * slotsPerColumn
  const tiles = []
  for (let from = Math.floor(${fromMs} / tileMs) * tileMs; from < ${toMs}; from += tileMs) {
    const address = '/app/api/v1/markets/${marketId}/heatmap?side=UP&column_ms=' + intervalMs * slotsPerColumn + '&from=' + from
    const answer = await fetch(address, { headers: { 'x-requested-with': 'bookreel' } })
    tiles.push(await answer.json())
  }
  const hours = []
  for (let time = 0; time < 5; time++) {
    const startedAt = performance.now()
    for (const tile of tiles) data.addTile(0, tile)
    const decodeMs = performance.now() - startedAt
    await frame()
    hours.push(decodeMs + painter.paintMs)
  }
  const contrasts = []
  for (let time = 0; time < 10; time++)
    contrasts.push(await painted(() => { view.contrast = { low: 20 + time, high: 200 - time }; view.changed() }))
  const { level } = painter
  const ring = data.rings[level]
  const place = ring.placeOf(ring.newest)
  const cells = (values) => values.slice(place * ring.rows, (place + 1) * ring.rows)
  const column = {
    number: ring.newest, bids: cells(ring.bids), asks: cells(ring.asks), stored: ring.stored[place],
    expected: ring.expected[place], suspect: ring.suspect[place], bestBid: ring.bestBid[place], bestAsk: ring.bestAsk[place],
  }
  const [plain, withColumn] = [[], []]
  for (let time = 0; time < 30; time++) {
    plain.push(await painted(() => data.changed()))
    withColumn.push(await painted(() => { data.join(level, column); data.changed() }))
  }
  return { hours, contrasts, plain, withColumn, columns: 256 * tiles.length }
})()`

interface Measured {
  readonly hours: number[]
  readonly contrasts: number[]
  readonly plain: number[]
  readonly withColumn: number[]
  readonly columns: number
}

export async function measureDrawing(
  { page }: WatchedPage,
  { id, fromMs, toMs }: RecordedRange & { readonly id: string },
): Promise<Drawing> {
  const measured = (await page.evaluate(measureScript(id, fromMs, toMs))) as Measured
  const { hours, contrasts, plain, withColumn, columns } = measured
  const median = (values: readonly number[]): number => percentile(values, 0.5)
  return {
    hourMs: median(hours),
    contrastMs: median(contrasts),
    columnMs: Math.max(0, median(withColumn) - median(plain)),
    columns,
  }
}
