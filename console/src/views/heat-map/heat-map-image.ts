import { type ColourTables, colourColumn } from './colours.ts'
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
    for (let place = 0; place < this.#ring.columns; place++) colourColumn(this.#ring, place, tables, this.#pixels)
    this.#changed.clear()
    this.#context.putImageData(this.#image, 0, 0)
  }

  changed(place: number): void {
    this.#changed.add(place)
  }

  /** Call it before the canvas is drawn. */
  flush(): void {
    for (const place of this.#changed) {
      colourColumn(this.#ring, place, this.#tables, this.#pixels)
      this.#context.putImageData(this.#image, 0, 0, place, 0, 1, this.#ring.rows)
    }
    this.#changed.clear()
  }
}
