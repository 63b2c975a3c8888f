import { columnRuns, incompleteColumns } from './column-runs.ts'
import type { HeatMapImage } from './heat-map-image.ts'
import type { HeatRing } from './heat-ring.ts'
import type { HeatTheme } from './heat-theme.ts'

/** The part of a ring that is on the screen. */
interface ColumnView {
  /** Numbers of columns at the left and right edge; they need not be whole. */
  readonly from: number
  readonly to: number
  /** Rows at the lower and upper edge. */
  readonly low: number
  readonly high: number
}

interface Layer {
  readonly ring: HeatRing
  readonly image: HeatMapImage
  readonly view: ColumnView
  readonly patterns: HeatPatterns
  readonly notch: string
}

export interface HeatPatterns {
  readonly hatch: CanvasPattern
  readonly dots: CanvasPattern
}

type Context = CanvasRenderingContext2D

const TILE_PX = 6
const NOTCH_PX = 3

/** Draws the sizes, and over them what is missing or suspect. Columns of which nothing is known stay as they are. */
export function drawColumns(context: Context, layer: Layer): void {
  const { ring, image, view, patterns, notch } = layer
  const { height } = context.canvas
  const left = Math.floor(view.from)
  const right = Math.ceil(view.to)
  const xOf = columnX(context, view)
  image.flush()
  context.imageSmoothingEnabled = false
  for (const run of columnRuns(ring, left, right)) {
    const x = xOf(run.from)
    if (run.kind === 'sizes' || run.kind === 'suspect') drawSizes(context, { ...layer, run, xOf })
    if (run.kind === 'missing') fillPattern(context, patterns.hatch, x, xOf(run.to) - x)
    if (run.kind === 'suspect') fillPattern(context, patterns.dots, x, xOf(run.to) - x)
  }
  context.fillStyle = notch
  for (const number of incompleteColumns(ring, left, right))
    context.fillRect(xOf(number), height - NOTCH_PX, Math.max(1, xOf(number + 1) - xOf(number)), NOTCH_PX)
}

/** Whole pixels, so that neighbouring columns meet without a seam. */
function columnX({ canvas }: Context, { from, to }: ColumnView): (number: number) => number {
  return (number) => Math.round(((number - from) / (to - from)) * canvas.width)
}

interface Sizes extends Layer {
  readonly run: { readonly from: number; readonly to: number }
  readonly xOf: (number: number) => number
}

/** In two pieces when the ring begins again within the run. */
function drawSizes(context: Context, { ring, image, view, run, xOf }: Sizes): void {
  const rows = view.high - view.low
  for (let from = run.from; from < run.to; ) {
    const place = from & (ring.columns - 1)
    const length = Math.min(run.to - from, ring.columns - place)
    const top = ring.rows - view.high
    const x = xOf(from)
    context.drawImage(image.canvas, place, top, length, rows, x, 0, xOf(from + length) - x, context.canvas.height)
    from += length
  }
}

export function fillPattern(context: Context, pattern: CanvasPattern, x: number, width: number): void {
  context.fillStyle = pattern
  context.fillRect(x, 0, width, context.canvas.height)
}

/** Patterns for one theme. */
export function heatPatterns(context: Context, { background, hatch }: HeatTheme): HeatPatterns {
  return {
    hatch: patternOf(context, (tile) => {
      tile.fillStyle = background
      tile.fillRect(0, 0, TILE_PX, TILE_PX)
      tile.strokeStyle = hatch
      tile.beginPath()
      // Three lines, so that the corners of neighbouring tiles meet.
      for (const offset of [-TILE_PX, 0, TILE_PX]) {
        tile.moveTo(offset, TILE_PX)
        tile.lineTo(offset + TILE_PX, 0)
      }
      tile.stroke()
    }),
    dots: patternOf(context, (tile) => {
      tile.fillStyle = hatch
      tile.fillRect(1, 1, 1, 1)
      tile.fillRect(4, 4, 1, 1)
    }),
  }
}

function patternOf(context: Context, draw: (tile: OffscreenCanvasRenderingContext2D) => void): CanvasPattern {
  const canvas = new OffscreenCanvas(TILE_PX, TILE_PX)
  const tile = canvas.getContext('2d')
  if (tile !== null) draw(tile)
  const pattern = context.createPattern(canvas, 'repeat')
  if (pattern === null) throw new Error('This browser has no patterns to draw with.')
  return pattern
}
