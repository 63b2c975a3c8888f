import type { Progress } from './render/progress.ts'
import type { Terminal } from './terminal.ts'

const REDRAW_EVERY_MS = 250
const REDRAW = '\r\u001b[K'

/** Progress on one line that is drawn over; where nothing can be, what is told goes line by line. */
export class ProgressLine {
  readonly #terminal: Terminal
  readonly #progress: Progress
  readonly #timer: NodeJS.Timeout | undefined

  constructor(terminal: Terminal, progress: Progress) {
    this.#terminal = terminal
    this.#progress = progress
    if (!terminal.isAsideLive) return
    this.#timer = setInterval(() => this.#draw(), REDRAW_EVERY_MS)
    this.#draw()
  }

  /** Above the line. */
  tell(text: string): void {
    this.#terminal.note(this.#timer === undefined ? text : `${REDRAW}${text}`)
    if (this.#timer !== undefined) this.#draw()
  }

  /** How far it came stays. */
  close(): void {
    if (this.#timer === undefined) return
    clearInterval(this.#timer)
    this.#draw()
    this.#terminal.note('')
  }

  #draw(): void {
    const { asideColumns: columns } = this.#terminal
    this.#terminal.aside(REDRAW + this.#progress.text(Date.now(), columns - 1))
  }
}
