import { type ColourTables, colourColumns, type Places } from './colours.ts'
import type { HeatRing } from './heat-ring.ts'

/** The ring as an image of the same shape; only columns that changed are coloured again. */
export class HeatMapImage {
  readonly canvas: OffscreenCanvas
  readonly #ring: HeatRing
  readonly #context: OffscreenCanvasRenderingContext2D
  readonly #image: ImageData
  readonly #pixels: Uint32Array
  readonly #changed = new Set<number>()
  #tables: ColourTables

  constructor(ring: HeatRing, tables: ColourTables) {
    this.#ring = ring
    this.#tables = tables
    this.canvas = new OffscreenCanvas(ring.columns, ring.rows)
    const context = this.canvas.getContext('2d', { alpha: false })
    if (context === null) throw new Error('This browser has no canvas to draw on.')
    this.#context = context
    this.#image = new ImageData(ring.columns, ring.rows)
    this.#pixels = new Uint32Array(this.#image.data.buffer)
    this.recolour(tables)
  }

  /** For other colours or another contrast. */
  recolour(tables: ColourTables): void {
    this.#tables = tables
    const { stored } = this.#ring
    // Most of a ring is empty when a page begins.
    this.#pixels.fill(tables.background)
    const places = Array.from(stored.keys()).filter((place) => (stored[place] ?? 0) > 0)
    for (const run of runsOf(places)) colourColumns(this.#ring, run, tables, this.#pixels)
    this.#changed.clear()
    this.#context.putImageData(this.#image, 0, 0)
  }

  changed(place: number): void {
    this.#changed.add(place)
  }

  /** Call it before the canvas is drawn. */
  flush(): void {
    for (const run of runsOf([...this.#changed].sort((one, other) => one - other))) {
      colourColumns(this.#ring, run, this.#tables, this.#pixels)
      this.#context.putImageData(this.#image, 0, 0, run.from, 0, run.to - run.from, this.#ring.rows)
    }
    this.#changed.clear()
  }
}

/** Neighbours among places in order. */
function runsOf(places: readonly number[]): Places[] {
  const runs: { from: number; to: number }[] = []
  for (const place of places) {
    const last = runs.at(-1)
    if (last?.to === place) last.to = place + 1
    else runs.push({ from: place, to: place + 1 })
  }
  return runs
}
