import { type ColourTables, colourTables } from './colours.ts'
import { autoContrast, type Contrast, histogramOf } from './contrast.ts'
import { columnMsOf, levelFor } from './detail-levels.ts'
import { drawColumns, fillPattern, type HeatPatterns, heatPatterns } from './draw-columns.ts'
import { type Cross, drawOverlay, PRICE_AXIS_PX, rowOfPrice, TIME_AXIS_PX } from './draw-overlay.ts'
import type { HeatMapData } from './heat-map-data.ts'
import { HeatMapImage } from './heat-map-image.ts'
import { type HeatTheme, themeOf } from './heat-theme.ts'
import type { HeatViewport } from './heat-viewport.ts'
import { rowsToShow } from './price-range.ts'
import { ViewChoice } from './view-choice.ts'

interface PainterParts {
  readonly base: HTMLCanvasElement
  readonly overlay: HTMLCanvasElement
  readonly data: HeatMapData
  readonly view: HeatViewport
  readonly clock: (ms: number) => string
  /** Called before each drawing with what is on the screen, to load what is not known yet. */
  readonly onNeed?: (level: number, fromMs: number, toMs: number) => void
  /** Called when another contrast is drawn. */
  readonly onContrast: (contrast: Contrast) => void
}

/** Draws a heat map in an animation frame after something has changed, and never otherwise. */
export class HeatPainter {
  cross: Cross | undefined
  playheadMs: number | undefined
  /** The level that was drawn last, and how long drawing took. */
  level = 0
  paintMs = 0
  contrast: Contrast = { low: 1, high: 255 }
  theme: HeatTheme
  readonly #parts: PainterParts
  readonly #baseContext: CanvasRenderingContext2D
  readonly #overlayContext: CanvasRenderingContext2D
  readonly #images = new Map<number, HeatMapImage>()
  readonly #removers: (() => void)[]
  #patterns: HeatPatterns
  #tables: ColourTables
  #formerLevel = 0
  #frame = 0
  #width = 0
  #height = 0
  #ratio = 1
  readonly #choice = new ViewChoice()

  constructor(parts: PainterParts) {
    this.#parts = parts
    this.#baseContext = contextOf(parts.base)
    this.#overlayContext = contextOf(parts.overlay)
    this.theme = themeOf(parts.base)
    this.#patterns = heatPatterns(this.#baseContext, this.theme)
    this.#tables = colourTables(this.theme.palette, this.contrast)
    const { data, view } = parts
    this.#removers = [
      data.onColumn((level, place) => this.#images.get(level)?.changed(place)),
      data.onChange(() => this.request()),
      view.onChange(() => {
        this.#choice.again()
        this.request()
      }),
    ]
  }

  /** The size in CSS pixels, and how many pixels of the screen each has. */
  resize(width: number, height: number, ratio: number): void {
    const { base, overlay } = this.#parts
    this.#width = width
    this.#height = height
    this.#ratio = ratio
    base.width = Math.max(1, Math.round((width - PRICE_AXIS_PX) * ratio))
    base.height = Math.max(1, Math.round((height - TIME_AXIS_PX) * ratio))
    overlay.width = Math.max(1, Math.round(width * ratio))
    overlay.height = Math.max(1, Math.round(height * ratio))
    this.request()
  }

  changeTheme(): void {
    this.theme = themeOf(this.#parts.base)
    this.#patterns = heatPatterns(this.#baseContext, this.theme)
    this.#recolour(this.contrast)
    this.request()
  }

  request(): void {
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.#paint()
    })
  }

  stop(): void {
    cancelAnimationFrame(this.#frame)
    for (const remove of this.#removers) remove()
  }

  /** The time and the row at a place of the screen, in CSS pixels from the upper left corner. */
  at(x: number, y: number): Cross {
    const { view } = this.#parts
    const height = this.#height - TIME_AXIS_PX
    const row = view.low + (1 - y / height) * (view.high - view.low)
    return { atMs: view.fromMs + (x / (this.#width - PRICE_AXIS_PX)) * view.spanMs, row: Math.floor(row) }
  }

  /** Length of a column of the level that is drawn. */
  get columnMs(): number {
    const form = this.#parts.data.levels[this.level]
    return form === undefined ? 1 : columnMsOf(form)
  }

  get plotSize(): { width: number; height: number } {
    return { width: this.#width - PRICE_AXIS_PX, height: this.#height - TIME_AXIS_PX }
  }

  #paint(): void {
    const { data, view, clock, onNeed } = this.#parts
    if (this.#width <= PRICE_AXIS_PX || data.levels.length === 0) return
    const startedMs = performance.now()
    if (view.isFollowing && data.nowMs > 0) view.follow(data.nowMs)
    const level = levelFor(data.levels, view.spanMs, this.plotSize.width)
    if (level !== this.level) {
      this.#formerLevel = this.level
      this.level = level
      this.#choice.again()
    }
    onNeed?.(level, view.fromMs, view.toMs)
    this.#chooseView()
    this.#paintColumns()
    this.#overlayContext.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0)
    const size = { width: this.#width, height: this.#height }
    const { theme, cross, playheadMs } = this
    drawOverlay(this.#overlayContext, size, { data, view, level, theme, cross, playheadMs, clock })
    this.paintMs = performance.now() - startedMs
  }

  #paintColumns(): void {
    const { data, view } = this.#parts
    const context = this.#baseContext
    context.fillStyle = this.theme.background
    context.fillRect(0, 0, context.canvas.width, context.canvas.height)
    // The level of before is stretched where the new one is not loaded yet.
    for (const level of new Set([this.#formerLevel, this.level])) {
      const ring = data.rings[level]
      const form = data.levels[level]
      if (ring === undefined || form === undefined) continue
      const columnMs = columnMsOf(form)
      const shown = { from: view.fromMs / columnMs, to: view.toMs / columnMs, low: view.low, high: view.high }
      const image = this.#imageOf(level)
      drawColumns(context, { ring, image, view: shown, patterns: this.#patterns, notch: this.theme.notch })
    }
    if (data.openGap === undefined) return
    const xOf = (ms: number): number => ((ms - view.fromMs) / view.spanMs) * context.canvas.width
    const from = Math.max(0, xOf(data.openGap.fromMs))
    fillPattern(context, this.#patterns.hatch, from, Math.max(0, xOf(data.nowMs) - from))
  }

  #imageOf(level: number): HeatMapImage {
    const known = this.#images.get(level)
    if (known !== undefined) return known
    const ring = this.#parts.data.rings[level]
    if (ring === undefined) throw new Error(`The heat map has no level ${level}.`)
    const image = new HeatMapImage(ring, this.#tables)
    this.#images.set(level, image)
    return image
  }

  /** Contrast and prices follow from what is on the screen. Prices are also chosen again when the best ones leave it. */
  #chooseView(): void {
    const { data, view } = this.#parts
    const ring = data.rings[this.level]
    const form = data.levels[this.level]
    if (ring === undefined || form === undefined) return
    const columnMs = columnMsOf(form)
    const range = { from: Math.floor(view.fromMs / columnMs), to: Math.ceil(view.toMs / columnMs) }
    let known = 0
    for (let number = range.from; number < range.to; number++) {
      const place = ring.placeOf(number)
      if (place !== undefined && (ring.stored[place] ?? 0) > 0) known++
    }
    const isDue = this.#choice.isDue(known, data.loaded[this.level] ?? 0)
    if (known === 0 || (!isDue && !this.#leavesPrices())) return
    if (!view.hasOwnPrices) {
      const { low, high } = rowsToShow(ring, { ...range, priceFrom: form.priceFrom, priceStep: form.priceStep })
      view.low = low
      view.high = high
    }
    if (!isDue) return
    const cells = { ...range, low: view.low, high: view.high }
    const contrast = view.contrast ?? autoContrast(histogramOf(ring, cells))
    if (contrast.low !== this.contrast.low || contrast.high !== this.contrast.high) this.#recolour(contrast)
  }

  /** Whether the newest best prices are no longer on the screen. */
  #leavesPrices(): boolean {
    const { data, view } = this.#parts
    const ring = data.rings[this.level]
    const form = data.levels[this.level]
    if (view.hasOwnPrices || !view.isFollowing || ring?.newest === undefined || form === undefined) return false
    const place = ring.placeOf(ring.newest)
    if (place === undefined || ring.stored[place] === 0) return false
    const bid = rowOfPrice(ring.bestBid[place] ?? 0, form)
    const ask = rowOfPrice(ring.bestAsk[place] ?? 0, form)
    return bid < view.low || (ask > view.high && ask < form.rows)
  }

  #recolour(contrast: Contrast): void {
    this.contrast = contrast
    this.#tables = colourTables(this.theme.palette, contrast)
    for (const image of this.#images.values()) image.recolour(this.#tables)
    this.#parts.onContrast(contrast)
  }
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('This browser has no canvas to draw on.')
  return context
}
