import { PRICE_AXIS_PX } from '../heat-map/draw-overlay.ts'
import type { HeatTheme } from '../heat-map/heat-theme.ts'
import type { StripColumn } from './strip-columns.ts'

/** Height of one strip in CSS pixels. */
export const STRIP_PX = 32
/** Space above the highest value, in which the name of the strip is. */
const HEAD_PX = 12
const FOOT_PX = 3
/** Space for the name of the strip and the words beside it. */
const WORDS_PX = 110

interface Span {
  readonly fromMs: number
  readonly toMs: number
}

interface Drawing {
  readonly context: CanvasRenderingContext2D
  readonly theme: HeatTheme
  readonly width: number
  readonly xOf: (ms: number) => number
  readonly columnPx: number
}

/** Strips below a heat map, on its time axis: spread, imbalance, traded size. Sizes are in CSS pixels. */
export function drawStrips(
  context: CanvasRenderingContext2D,
  size: { width: number; height: number },
  { columns, span, theme }: { columns: readonly StripColumn[]; span: Span; theme: HeatTheme },
): void {
  const width = size.width - PRICE_AXIS_PX
  const xOf = (ms: number): number => ((ms - span.fromMs) / (span.toMs - span.fromMs)) * width
  const [first, second] = columns
  const columnPx = first === undefined || second === undefined ? 1 : xOf(second.fromMs) - xOf(first.fromMs)
  const drawing = { context, theme, width, xOf, columnPx }
  context.clearRect(0, 0, size.width, size.height)
  context.font = '11px system-ui, sans-serif'
  context.textBaseline = 'middle'
  const spread = columns.map(({ fromMs, spread: value }) => ({ fromMs, value }))
  const widest = Math.max(0, ...known(spread))
  const imbalance = columns.map(({ fromMs, imbalance: value }) => ({ fromMs, value }))
  strip(drawing, 0, { name: 'Spread', top: `${Number((widest * 100).toFixed(2))}¢` }, () =>
    steps(drawing, spread, { low: 0, high: widest, top: 0 }),
  )
  strip(drawing, 1, { name: '≈ Imbalance', top: '+1' }, () =>
    steps(drawing, imbalance, { low: -1, high: 1, top: STRIP_PX }),
  )
  const most = Math.max(0, ...columns.map(({ bought = 0, sold = 0 }) => bought + sold))
  strip(drawing, 2, { name: 'Traded', top: most === 0 ? '' : `${Math.round(most)}` }, () => {
    tradedBars(drawing, columns, most)
    notLoaded(drawing, columns)
  })
}

function known(values: readonly { readonly value: number | undefined }[]): number[] {
  return values.flatMap(({ value }) => (value === undefined ? [] : [value]))
}

/** Its values are cut at the edges of the map; its labels are not. */
function strip(
  { context, theme, width }: Drawing,
  index: number,
  { name, top }: { name: string; top: string },
  draw: () => void,
): void {
  const y = index * STRIP_PX
  context.strokeStyle = theme.grid
  context.lineWidth = 1
  context.beginPath()
  context.moveTo(0, y + 0.5)
  context.lineTo(width, y + 0.5)
  context.stroke()
  context.save()
  context.beginPath()
  context.rect(0, y, width, STRIP_PX)
  context.clip()
  draw()
  context.restore()
  context.fillStyle = theme.text
  context.textAlign = 'left'
  context.fillText(name, 4, y + HEAD_PX / 2 + 2)
  context.fillText(top, width + 8, y + HEAD_PX / 2 + 2)
}

interface Scale {
  readonly low: number
  readonly high: number
  readonly top: number
}

/** A step for each column; a column without a value is a hole. */
function steps(
  { context, theme, xOf, columnPx }: Drawing,
  values: readonly { readonly fromMs: number; readonly value: number | undefined }[],
  { low, high, top }: Scale,
): void {
  const room = STRIP_PX - HEAD_PX - FOOT_PX
  const yOf = (value: number): number => top + HEAD_PX + (1 - (value - low) / (high - low || 1)) * room
  context.beginPath()
  let isDrawing = false
  for (const { fromMs, value } of values) {
    if (value === undefined) {
      isDrawing = false
      continue
    }
    const x = xOf(fromMs)
    if (isDrawing) context.lineTo(x, yOf(value))
    else context.moveTo(x, yOf(value))
    context.lineTo(x + columnPx, yOf(value))
    isDrawing = true
  }
  context.strokeStyle = theme.bidLine
  context.lineWidth = 1.5
  context.stroke()
}

/** What takers bought, and above it what they sold. */
function tradedBars({ context, theme, xOf, columnPx }: Drawing, columns: readonly StripColumn[], most: number): void {
  if (most === 0) return
  const room = STRIP_PX - HEAD_PX - FOOT_PX
  const foot = 3 * STRIP_PX - FOOT_PX
  const width = Math.max(1.5, columnPx)
  for (const { fromMs, bought = 0, sold = 0 } of columns) {
    if (bought + sold === 0) continue
    const buyPx = (bought / most) * room
    const sellPx = (sold / most) * room
    context.fillStyle = theme.buy
    context.fillRect(xOf(fromMs), foot - buyPx, width, buyPx)
    context.fillStyle = theme.sell
    context.fillRect(xOf(fromMs), foot - buyPx - sellPx, width, sellPx)
  }
}

/** A ground and words where nobody knows whether there were trades. */
function notLoaded({ context, theme, xOf, columnPx }: Drawing, columns: readonly StripColumn[]): void {
  const last = columns.findLast(({ bought }) => bought === undefined)
  if (last === undefined) return
  const endX = xOf(last.fromMs) + columnPx
  context.fillStyle = theme.grid
  context.fillRect(0, 2 * STRIP_PX, endX, STRIP_PX)
  if (endX < WORDS_PX) return
  context.fillStyle = theme.text
  context.textAlign = 'right'
  context.fillText('not loaded', endX - 4, 2.5 * STRIP_PX)
}
