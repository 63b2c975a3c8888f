import { BookKeeper, type StreamEvent } from '@bookreel/sdk'
import type { HeatColumn } from '../../views/heat-map/heat-column.ts'
import { LiveColumns, type LiveColumnsForm } from '../../views/heat-map/live-columns.ts'
import type { FrameCache } from './frame-cache.ts'
import { PackedBook } from './packed-book.ts'
import type { TokenSide } from './replay-messages.ts'

/** Turns the events of a replay into cached books and columns of the heat map. */
export class ReplayFeed {
  readonly #cache: FrameCache
  #side: TokenSide = 'up'
  #forms: readonly LiveColumnsForm[] = []
  #levels: readonly LiveColumns[] = []
  #keeper = new BookKeeper()
  /** The slot after the last one of which something is known; undefined until the first frame of a replay from anywhere. */
  #nextSlot: number | undefined
  readonly #columns = new Map<string, { level: number; column: HeatColumn }>()

  constructor(cache: FrameCache) {
    this.#cache = cache
  }

  show(side: TokenSide, forms: readonly LiveColumnsForm[]): void {
    this.#side = side
    this.#forms = forms
    this.restart()
  }

  /** The next frames do not follow the last ones. They begin with a slot, unless it has no row. */
  restart(firstSlot?: number): void {
    this.#keeper = new BookKeeper()
    this.#levels = this.#forms.map((form) => new LiveColumns(form, firstSlot))
    this.#nextSlot = firstSlot
    this.#columns.clear()
  }

  /** The replay is complete. It tells of no slots without a row after its last frame, nor before its first one. */
  complete(lastSlot: number): void {
    if (this.#nextSlot !== undefined) this.#missUntil(lastSlot + 1)
  }

  /** Returns the slot whose book is known now. */
  apply(event: StreamEvent): number | undefined {
    const changed = this.#keeper.apply(event)
    if (event.type === 'gap' && event.channel === 'book') {
      this.#gap(event.from_seq, event.to_seq, event.kind)
      return undefined
    }
    if (changed === undefined) return undefined
    const { seq, up, down, frame } = changed
    this.#missUntil(seq)
    this.#nextSlot = Math.max(seq + 1, this.#nextSlot ?? 0)
    this.#cache.put(seq, new PackedBook({ up, down, capturedAt: frame.captured_at, flags: frame.flags }))
    const { bids, asks } = changed[this.#side]
    for (const [level, columns] of this.#levels.entries()) this.#note(level, columns.book(seq, { bids, asks }))
    return seq
  }

  /** The columns that changed since the last call. */
  takeColumns(): { level: number; column: HeatColumn }[] {
    const taken = [...this.#columns.values()]
    this.#columns.clear()
    return taken
  }

  #gap(fromSlot: number, toSlot: number, kind: 'missing' | 'suspect'): void {
    if (kind === 'missing') this.#cache.putMissing(fromSlot, toSlot)
    for (const [level, columns] of this.#levels.entries())
      for (const column of columns.gap(fromSlot, toSlot, kind)) this.#note(level, column)
  }

  /** A replay sends every row, so the slots that it has left out have none. */
  #missUntil(slot: number): void {
    if (this.#nextSlot !== undefined && this.#nextSlot < slot) this.#gap(this.#nextSlot, slot - 1, 'missing')
  }

  #note(level: number, column: HeatColumn): void {
    this.#columns.set(`${level} ${column.number}`, { level, column })
  }
}
