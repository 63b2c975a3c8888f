import { renderLadder, type ShownBook } from './render/ladder.ts'
import { shorten } from './render/text.ts'
import type { Terminal } from './terminal.ts'

export interface BookScreenOptions {
  readonly depth: number
  readonly isJson: boolean
}

const REDRAW_EVERY_MS = 250
/** Where nothing can be drawn over, whole ladders follow each other, more slowly. */
const PRINT_EVERY_MS = 1_000
const OWN_SCREEN = '\u001b[?1049h\u001b[?25l'
const USERS_SCREEN = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const ERASE_LINE = '\u001b[K'
const ERASE_BELOW = '\u001b[J'

/** The newest book, drawn in place where that is possible. The last one stays when it closes. */
export class BookScreen {
  readonly #terminal: Terminal
  readonly #options: BookScreenOptions
  readonly #draws: boolean
  #timer: NodeJS.Timeout | undefined
  #stopListening: (() => void) | undefined
  #book: ShownBook | undefined
  #isNew = false
  #remark = ''

  constructor(terminal: Terminal, options: BookScreenOptions) {
    this.#terminal = terminal
    this.#options = options
    this.#draws = terminal.isLive && !options.isJson
  }

  open(): void {
    const everyMs = this.#draws || this.#options.isJson ? REDRAW_EVERY_MS : PRINT_EVERY_MS
    this.#timer = setInterval(() => this.#look(), everyMs)
    if (!this.#draws) return
    this.#stopListening = this.#terminal.onResize(() => this.#draw())
    this.#terminal.out(OWN_SCREEN)
    this.#draw()
  }

  show(book: ShownBook): void {
    const isFirst = this.#book === undefined
    this.#book = book
    this.#isNew = true
    if (isFirst) this.#look()
  }

  remark(text: string): void {
    this.#remark = text
    if (!this.#draws) this.#terminal.note(text)
  }

  print(book: ShownBook): void {
    if (this.#options.isJson) return this.#terminal.json(book)
    this.#terminal.line(this.#ladder(book, Number.POSITIVE_INFINITY))
  }

  close(): void {
    clearInterval(this.#timer)
    this.#stopListening?.()
    if (!this.#draws) return
    this.#terminal.out(USERS_SCREEN)
    if (this.#book !== undefined) this.#terminal.line(this.#ladder(this.#book, this.#terminal.rows - 2))
  }

  #look(): void {
    // A drawn book grows older before one's eyes; a printed one is only worth a new line when it is new.
    if (this.#draws) return this.#draw()
    if (!this.#isNew || this.#book === undefined) return
    this.#isNew = false
    this.print(this.#book)
    if (!this.#options.isJson) this.#terminal.line()
  }

  #draw(): void {
    const { columns, rows, paint } = this.#terminal
    const words = [this.#remark, this.#book === undefined ? 'Waiting for the first book …' : 'Ctrl-C ends.']
    const remark = paint('dim', shorten(`  ${words.filter(Boolean).join(' ')}`, columns))
    const ladder = this.#book === undefined ? '' : this.#ladder(this.#book, rows - 2)
    const lines = [...ladder.split('\n'), remark].slice(0, rows)
    this.#terminal.out(HOME + lines.map((line) => line + ERASE_LINE).join('\r\n') + ERASE_BELOW)
  }

  #ladder(book: ShownBook, rows: number): string {
    const { columns, paint } = this.#terminal
    return renderLadder(book, { columns, rows, depth: this.#options.depth, nowMs: Date.now(), paint })
  }
}
