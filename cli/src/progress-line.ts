import type { Progress } from './render/progress.ts'
import type { Terminal } from './terminal.ts'

const REDRAW_EVERY_MS = 250
const REDRAW = '\r\u001b[K'

/** Shows progress on one line that is redrawn in place; without a terminal only the messages are printed. */
export class ProgressLine {
  readonly #terminal: Terminal
  readonly #progress: Progress
  readonly #timer: NodeJS.Timeout | undefined

  constructor(terminal: Terminal, progress: Progress) {
    this.#terminal = terminal
    this.#progress = progress
    if (!terminal.canRedrawStderr) return
    this.#timer = setInterval(() => this.#draw(), REDRAW_EVERY_MS)
    this.#draw()
  }

  /** Prints a message above the progress line. */
  print(text: string): void {
    this.#terminal.note(this.#timer === undefined ? text : `${REDRAW}${text}`)
    if (this.#timer !== undefined) this.#draw()
  }

  /** Stops redrawing; the last progress stays visible. */
  close(): void {
    if (this.#timer === undefined) return
    clearInterval(this.#timer)
    this.#draw()
    this.#terminal.note('')
  }

  #draw(): void {
    const { stderrColumns: columns } = this.#terminal
    this.#terminal.writeStderr(REDRAW + this.#progress.text(Date.now(), columns - 1))
  }
}
