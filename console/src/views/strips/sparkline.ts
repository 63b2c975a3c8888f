const MOST_POINTS = 240

/** The newest values of a figure; undefined where there was none, which is drawn as a hole. */
export class Sparkline {
  readonly #values: (number | undefined)[] = []

  add(value: number | undefined): void {
    this.#values.push(value)
    if (this.#values.length > MOST_POINTS) this.#values.shift()
  }

  draw(canvas: HTMLCanvasElement | null): void {
    const context = canvas?.getContext('2d')
    if (!canvas || !context) return
    const { width, height } = canvas
    const known = this.#values.filter((value) => value !== undefined)
    const low = Math.min(...known)
    const high = Math.max(...known)
    context.clearRect(0, 0, width, height)
    context.strokeStyle = getComputedStyle(canvas).color
    context.lineWidth = 1.5
    context.beginPath()
    let isDrawing = false
    for (const [index, value] of this.#values.entries()) {
      if (value === undefined) {
        isDrawing = false
        continue
      }
      const x = ((MOST_POINTS - this.#values.length + index) / MOST_POINTS) * width
      const y = high === low ? height / 2 : height - 2 - ((value - low) / (high - low)) * (height - 4)
      if (isDrawing) context.lineTo(x, y)
      else context.moveTo(x, y)
      isDrawing = true
    }
    context.stroke()
  }
}
