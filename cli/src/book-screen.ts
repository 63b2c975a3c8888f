import { renderLadder, type ShownBook } from './render/ladder.ts'
import { shorten } from './render/text.ts'
import type { Terminal } from './terminal.ts'

export interface BookScreenOptions {
  readonly depth: number
  readonly isJson: boolean
}

const REDRAW_EVERY_MS = 250
/** Without cursor control every update prints a whole ladder, so print less often. */
const PRINT_EVERY_MS = 1_000
const ALTERNATE_SCREEN = '\u001b[?1049h\u001b[?25l'
const NORMAL_SCREEN = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const ERASE_LINE = '\u001b[K'
const ERASE_BELOW = '\u001b[J'

/** Shows the newest book, redrawn in place on a terminal. The last book stays visible after `close`. */
export class BookScreen {
  readonly #terminal: Terminal
  readonly #options: BookScreenOptions
  readonly #redraws: boolean
  #timer: NodeJS.Timeout | undefined
  #stopListening: (() => void) | undefined
  #book: ShownBook | undefined
  #hasUnprinted = false
  #status = ''

  constructor(terminal: Terminal, options: BookScreenOptions) {
    this.#terminal = terminal
    this.#options = options
    this.#redraws = terminal.canRedraw && !options.isJson
  }

  open(): void {
    const everyMs = this.#redraws || this.#options.isJson ? REDRAW_EVERY_MS : PRINT_EVERY_MS
    this.#timer = setInterval(() => this.#refresh(), everyMs)
    if (!this.#redraws) return
    this.#stopListening = this.#terminal.onResize(() => this.#draw())
    this.#terminal.out(ALTERNATE_SCREEN)
    this.#draw()
  }

  show(book: ShownBook): void {
    const isFirst = this.#book === undefined
    this.#book = book
    this.#hasUnprinted = true
    if (isFirst) this.#refresh()
  }

  /** Before `open` also a redrawn screen prints the text, so that it stays visible after `close`. */
  showStatus(text: string): void {
    this.#status = text
    if (!this.#redraws || this.#timer === undefined) this.#terminal.note(text)
  }

  print(book: ShownBook): void {
    if (this.#options.isJson) return this.#terminal.json(book)
    this.#terminal.line(this.#ladder(book, Number.POSITIVE_INFINITY))
  }

  close(): void {
    clearInterval(this.#timer)
    this.#stopListening?.()
    if (!this.#redraws) return
    this.#terminal.out(NORMAL_SCREEN)
    if (this.#book !== undefined) this.#terminal.line(this.#ladder(this.#book, this.#terminal.rows - 2))
  }

  #refresh(): void {
    // A redrawn screen also updates the age of the book; printed output needs a line only for a new book.
    if (this.#redraws) return this.#draw()
    if (!this.#hasUnprinted || this.#book === undefined) return
    this.#hasUnprinted = false
    this.print(this.#book)
    if (!this.#options.isJson) this.#terminal.line()
  }

  #draw(): void {
    const { columns, rows, paint } = this.#terminal
    const parts = [this.#book === undefined ? 'Waiting for the first book …' : 'Press Ctrl-C to quit.', this.#status]
    const status = paint('dim', shorten(`  ${parts.filter(Boolean).join(' ')}`, columns))
    const ladder = this.#book === undefined ? '' : this.#ladder(this.#book, rows - 2)
    const lines = [...ladder.split('\n'), status].slice(0, rows)
    this.#terminal.out(HOME + lines.map((line) => line + ERASE_LINE).join('\r\n') + ERASE_BELOW)
  }

  #ladder(book: ShownBook, rows: number): string {
    const { columns, paint } = this.#terminal
    return renderLadder(book, { columns, rows, depth: this.#options.depth, nowMs: Date.now(), paint })
  }
}
