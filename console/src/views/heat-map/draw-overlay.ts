import { columnMsOf } from './detail-levels.ts'
import type { HeatMapData } from './heat-map-data.ts'
import type { HeatTheme } from './heat-theme.ts'
import type { HeatViewport } from './heat-viewport.ts'
import type { LiveColumnsForm } from './live-columns.ts'
import { timeTicks } from './time-axis.ts'

/** Space for the labels, in CSS pixels. */
export const PRICE_AXIS_PX = 46
export const TIME_AXIS_PX = 20

const TICK_EVERY_PX = 90
const ROW_TICK_EVERY_PX = 34
const MOST_RADIUS_PX = 8
/** What is below a disc stays visible. */
const DISC_ALPHA = 0.85
const LEAST_RADIUS_PX = 1.5
const FAILED_PX = 4

export interface Cross {
  readonly atMs: number
  readonly row: number
}

export interface Overlay {
  readonly data: HeatMapData
  readonly view: HeatViewport
  readonly level: number
  readonly theme: HeatTheme
  readonly cross: Cross | undefined
  readonly playheadMs: number | undefined
  readonly clock: (ms: number) => string
}

type Context = CanvasRenderingContext2D

interface Plot {
  readonly context: Context
  readonly width: number
  readonly height: number
  readonly xOf: (ms: number) => number
  readonly yOf: (row: number) => number
}

/** Axes, lines of the best prices, trades, ends of windows, playhead and cross-hair. Sizes are in CSS pixels. */
export function drawOverlay(context: Context, size: { width: number; height: number }, overlay: Overlay): void {
  const { view } = overlay
  const width = size.width - PRICE_AXIS_PX
  const height = size.height - TIME_AXIS_PX
  const plot: Plot = {
    context,
    width,
    height,
    xOf: (ms) => ((ms - view.fromMs) / view.spanMs) * width,
    yOf: (row) => height * (1 - (row - view.low) / (view.high - view.low)),
  }
  context.clearRect(0, 0, size.width, size.height)
  context.font = '11px system-ui, sans-serif'
  drawAxes(plot, overlay)
  context.save()
  context.beginPath()
  context.rect(0, 0, width, height)
  context.clip()
  drawBest(plot, overlay)
  drawTrades(plot, overlay)
  drawFailed(plot, overlay)
  drawMarks(plot, overlay)
  context.restore()
}

function formOf({ data, level }: Overlay): LiveColumnsForm | undefined {
  return data.levels[level]
}

/** Row of a price, in the middle of its step. */
export function rowOfPrice(price: number, { priceFrom, priceStep }: LiveColumnsForm): number {
  return Math.floor((price - priceFrom) / priceStep + 1e-6) + 0.5
}

function drawAxes(plot: Plot, overlay: Overlay): void {
  const { context, width, height, xOf, yOf } = plot
  const { view, theme, clock } = overlay
  context.strokeStyle = theme.grid
  context.fillStyle = theme.text
  context.lineWidth = 1
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.beginPath()
  for (const atMs of timeTicks(view.fromMs, view.toMs, Math.max(2, width / TICK_EVERY_PX))) {
    const x = Math.round(xOf(atMs)) + 0.5
    context.moveTo(x, 0)
    context.lineTo(x, height + 4)
    if (x > 24 && x < width - 24) context.fillText(clock(atMs), x, height + 13)
  }
  const form = formOf(overlay)
  context.textAlign = 'left'
  for (const row of form === undefined ? [] : rowTicks(view, height)) {
    const y = Math.round(yOf(row + 0.5)) + 0.5
    context.moveTo(0, y)
    context.lineTo(width + 4, y)
    if (y > 6) context.fillText(priceLabel(row, form), width + 8, y)
  }
  context.stroke()
}

function priceLabel(row: number, form: LiveColumnsForm | undefined): string {
  if (form === undefined) return ''
  const price = form.priceFrom + row * form.priceStep
  return price.toFixed(form.priceStep < 0.01 ? 3 : 2)
}

function rowTicks({ low, high }: HeatViewport, height: number): number[] {
  const most = Math.max(2, height / ROW_TICK_EVERY_PX)
  const step = [1, 2, 5, 10, 20, 50, 100, 200].find((each) => (high - low) / each <= most) ?? 500
  const ticks: number[] = []
  for (let row = Math.ceil(low / step) * step; row < high; row += step) ticks.push(row)
  return ticks
}

/** Steps from column to column; a line never crosses a column without a row, nor the end of a window. */
function drawBest(plot: Plot, overlay: Overlay): void {
  const { data, view, level, theme } = overlay
  const form = formOf(overlay)
  const ring = data.rings[level]
  if (form === undefined || ring === undefined) return
  const { context, xOf, yOf } = plot
  const columnMs = columnMsOf(form)
  const firstOfWindows = new Set(data.boundaries.map(({ atMs }) => Math.floor(atMs / columnMs)))
  const lines = [
    { prices: ring.bestBid, colour: theme.bidLine, empty: form.emptyBid },
    { prices: ring.bestAsk, colour: theme.askLine, empty: form.emptyAsk },
  ]
  for (const { prices, colour, empty } of lines) {
    context.beginPath()
    let isDrawing = false
    for (let number = Math.floor(view.fromMs / columnMs); number * columnMs < view.toMs; number++) {
      const place = ring.placeOf(number)
      const price = place === undefined || ring.stored[place] === 0 ? Number.NaN : (prices[place] ?? Number.NaN)
      if (Number.isNaN(price) || price === empty) {
        isDrawing = false
        continue
      }
      const y = yOf(rowOfPrice(price, form))
      if (isDrawing && !firstOfWindows.has(number)) context.lineTo(xOf(number * columnMs), y)
      else context.moveTo(xOf(number * columnMs), y)
      context.lineTo(xOf((number + 1) * columnMs), y)
      isDrawing = true
    }
    // The edge keeps the line visible on cells of its own colour.
    context.lineWidth = 3.5
    context.strokeStyle = theme.edge
    context.stroke()
    context.lineWidth = 1.5
    context.strokeStyle = colour
    context.stroke()
  }
}

function drawTrades({ context, xOf, yOf }: Plot, overlay: Overlay): void {
  const { data, view, theme } = overlay
  const form = formOf(overlay)
  if (form === undefined) return
  const shown = data.trades.filter(
    ({ atMs, size }) => atMs >= view.fromMs && atMs <= view.toMs && size >= view.leastTrade,
  )
  const largest = shown.reduce((most, { size }) => Math.max(most, size), 1)
  context.lineWidth = 1
  context.strokeStyle = theme.edge
  context.globalAlpha = DISC_ALPHA
  for (const { atMs, price, size, action } of shown) {
    context.fillStyle = action === 'buy' ? theme.buy : theme.sell
    context.beginPath()
    const radius = Math.max(LEAST_RADIUS_PX, MOST_RADIUS_PX * Math.sqrt(size / largest))
    context.arc(xOf(atMs), yOf(rowOfPrice(price, form)), radius, 0, 2 * Math.PI)
    context.fill()
    context.stroke()
  }
  context.globalAlpha = 1
}

/** A bar above what could not be loaded. What the stream has told of it stays visible. */
function drawFailed({ context, xOf }: Plot, { data, level, theme }: Overlay): void {
  context.textAlign = 'left'
  for (const failed of data.failedTiles) {
    if (failed.level !== level) continue
    const x = Math.max(0, xOf(failed.fromMs))
    context.fillStyle = theme.notch
    context.fillRect(x, 0, Math.max(0, xOf(failed.toMs) - x), FAILED_PX)
    context.fillStyle = theme.text
    context.fillText('not loaded', x + 5, FAILED_PX + 18)
  }
}

function drawMarks(plot: Plot, { data, theme, cross, playheadMs }: Overlay): void {
  const { context, width, height, xOf, yOf } = plot
  context.strokeStyle = theme.text
  context.fillStyle = theme.text
  context.setLineDash([5, 4])
  for (const { atMs, text } of data.boundaries) {
    line(context, xOf(atMs), 0, xOf(atMs), height)
    const isNearEdge = xOf(atMs) + context.measureText(text).width + 10 > width
    context.textAlign = isNearEdge ? 'right' : 'left'
    context.fillText(text, xOf(atMs) + (isNearEdge ? -5 : 5), 10)
  }
  context.setLineDash([])
  context.strokeStyle = theme.cross
  if (playheadMs !== undefined) {
    context.lineWidth = 2
    line(context, xOf(playheadMs), 0, xOf(playheadMs), height)
  }
  if (cross === undefined) return
  context.lineWidth = 1
  context.setLineDash([2, 3])
  line(context, xOf(cross.atMs), 0, xOf(cross.atMs), height)
  line(context, 0, yOf(cross.row + 0.5), width, yOf(cross.row + 0.5))
  context.setLineDash([])
}

function line(context: Context, fromX: number, fromY: number, toX: number, toY: number): void {
  context.beginPath()
  context.moveTo(fromX, fromY)
  context.lineTo(toX, toY)
  context.stroke()
}
