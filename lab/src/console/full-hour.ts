import { MADE_UP_INTERVAL_MS } from '../made-up-market.ts'
import { percentile } from '../percentile.ts'
import type { ConsoleBench } from './console-bench.ts'
import { HEAT_MAP } from './heat-map-drawing.ts'
import type { WatchedPage } from './watched-page.ts'

export interface FullHour {
  /** Milliseconds to decode, colour and draw it. */
  readonly ms: number
  readonly columns: number
  readonly rows: number
}

/**
 * Runs in the page. The page itself keeps 4,096 columns of at least a second, so the classes of its heat map are taken
 * from there and used with a longer ring, whose columns are single slots.
 */
const fullHourScript = (marketId: string, fromMs: number, toMs: number): string => `(async () => {
  const page = ${HEAT_MAP}.heatMap
  const [Data, View, Painter] = [page.data, page.view, page.painter].map((part) => part.constructor)
  const Ring = page.data.rings[0].constructor
  const form = { ...page.data.levels[0], slotsPerColumn: 1 }
  const { rows } = form
  const tileMs = 256 * ${MADE_UP_INTERVAL_MS}
  const slots = (${toMs} - ${fromMs}) / ${MADE_UP_INTERVAL_MS}
  const tiles = []
  for (let from = Math.floor(${fromMs} / tileMs) * tileMs; from < ${toMs}; from += tileMs) {
    const address = '/app/api/v1/markets/${marketId}/heatmap?side=UP&column_ms=${MADE_UP_INTERVAL_MS}&from=' + from
    const answer = await fetch(address, { headers: { 'x-requested-with': 'bookreel' } })
    if (!answer.ok) throw new Error(await answer.text())
    tiles.push(await answer.json())
  }
  const shown = document.querySelector('[role="img"] canvas')
  const times = []
  for (let time = 0; time < 5; time++) {
    const data = new Data([form])
    data.rings[0] = new Ring(2 ** Math.ceil(Math.log2(slots)), rows)
    const range = { fromMs: ${fromMs}, toMs: ${toMs}, isFollowing: false }
    const view = new View(range, { leastMs: tileMs, mostMs: ${toMs} - ${fromMs}, rows })
    const [base, overlay] = [document.createElement('canvas'), document.createElement('canvas')]
    const painter = new Painter({ base, overlay, data, view, clock: String, onContrast: () => {} })
    const startedAt = performance.now()
    for (const tile of tiles) data.addTile(0, tile)
    const decodeMs = performance.now() - startedAt
    painter.resize(shown.clientWidth, shown.clientHeight, 1)
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const readAt = performance.now()
    // The browser may put off drawing until somebody looks.
    const { data: pixels } = base.getContext('2d').getImageData(0, 0, base.width, base.height)
    times.push(decodeMs + painter.paintMs + (performance.now() - readAt))
    painter.stop()
    const ring = data.rings[0]
    for (let number = data.numberAt(0, ${fromMs}); number < data.numberAt(0, ${toMs}); number++)
      if (ring.placeOf(number) === undefined) throw new Error('a column of the hour is not known')
    if (new Set(new Uint32Array(pixels.buffer)).size < 10) throw new Error('the hour was not drawn')
  }
  return { times, columns: slots, rows }
})()`

/** All cells of the past hour, without the columns of several slots that pages load. */
export async function measureFullHour(
  { page }: WatchedPage,
  { id, fromMs, toMs }: ConsoleBench['past'],
): Promise<FullHour> {
  const { times, columns, rows } = (await page.evaluate(fullHourScript(id, fromMs, toMs))) as {
    readonly times: number[]
    readonly columns: number
    readonly rows: number
  }
  return { ms: percentile(times, 0.5), columns, rows }
}
