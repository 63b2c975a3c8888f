import { chosenZone } from '../../data/preferences.ts'
import type { LiveMarket } from '../../data/stream/live-market.ts'
import type { LadderSource } from '../../views/ladder/ladder.tsx'
import type { LadderChange } from '../../views/ladder/ladder-changes.ts'
import { clockText, durationText } from '../../words/formats.ts'
import { causeName } from '../../words/proof-badges.ts'

const MINUTE_MS = 60_000

/** The ladder of a live market: the last book, and whether it can still be trusted. */
export class LadderOfLive implements LadderSource {
  readonly #live: LiveMarket

  constructor(live: LiveMarket) {
    this.#live = live
  }

  get book(): LadderSource['book'] {
    return this.#live.book
  }

  get doubt(): string | undefined {
    const why = this.#whyNot
    const { book } = this.#live
    if (why === undefined) return undefined
    if (book === undefined) return `No book is known · ${why}`
    const ageMs = this.#live.bookAgeMs(Date.now())
    // A text that changed every second would be read out every second.
    const age = ageMs < MINUTE_MS ? '' : `, ${durationText(ageMs)} ago`
    return `Not to be trusted since ${clockText(book.capturedAt, chosenZone())}${age} · ${why}`
  }

  get #whyNot(): string | undefined {
    const { gapCause, connection, isLastKnown } = this.#live
    if (gapCause !== undefined) return causeName(gapCause)
    if (connection === 'lost' || connection === 'ended') return 'connection lost'
    return isLastKnown ? 'no newer row' : undefined
  }

  changes(step: number): ReadonlyMap<number, LadderChange> {
    return this.#live.changes.bySteps(step, Date.now())
  }

  onChange(listener: () => void): () => void {
    return this.#live.onChange(listener)
  }
}
