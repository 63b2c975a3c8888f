import type { Playback } from '../../../data/history/playback.ts'
import { type GapSpan, gapAt } from '../../../data/history/steps.ts'
import type { LadderSource } from '../../../views/ladder/ladder.tsx'
import { causeName } from '../../../words/proof-badges.ts'

/** The ladder of the moment at the playhead. */
export class LadderOfPlayback implements LadderSource {
  readonly #playback: Playback
  readonly #gaps: readonly GapSpan[]

  constructor(playback: Playback, gaps: readonly GapSpan[]) {
    this.#playback = playback
    this.#gaps = gaps
  }

  get book(): LadderSource['book'] {
    return this.#playback.view.book
  }

  get isAbout(): boolean {
    return this.#playback.view.book?.kind === 'near'
  }

  get doubt(): string | undefined {
    const { book, atMs } = this.#playback.view
    const gap = gapAt(this.#gaps, atMs)
    const last = book?.kind === 'earlier' ? '; the last book before it' : ''
    if (gap?.kind === 'missing') return `No row: ${causeName(gap.cause)}${last}`
    if (gap !== undefined) return `In doubt: ${causeName(gap.cause)}`
    return book?.kind === 'earlier' ? `No row at this slot${last}` : undefined
  }

  onChange(listener: () => void): () => void {
    return this.#playback.subscribe(listener)
  }
}
