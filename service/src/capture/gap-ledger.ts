import type { Gap, GapCause } from '../domain/rows/gap.ts'
import { slotAt } from '../domain/slot.ts'

/** Why a market has no row at a slot. */
export interface Absence {
  cause: GapCause
  detail: string
  /** The last moment at which its book was known to be right; rows sampled since then are in doubt. */
  rightUntilMs?: number | undefined
}

/** An open gap is told again when it has grown by so much; the record in the store is never older than this. */
const EXTEND_EVERY_MS = 1_000

/**
 * One market's account of its slots. It is told of every slot, in order, whether there was a row or why not,
 * and answers with the gap records that make the account whole: no slot without a row or a record.
 */
export class GapLedger {
  readonly #marketId: string
  readonly #intervalMs: number
  #sampledSlot: number | undefined
  #accountedSlot: number | undefined
  #open: Gap | undefined
  #toldToSlot = 0
  #isResumed: boolean

  /** `leftAtSlot`: up to where an earlier recorder accounted for this market; the time since then is ours to explain. */
  constructor(marketId: string, intervalMs: number, leftAtSlot?: number) {
    this.#marketId = marketId
    this.#intervalMs = intervalMs
    this.#accountedSlot = leftAtSlot
    this.#isResumed = leftAtSlot !== undefined
  }

  /** A row was taken at this slot. */
  sampled(slot: number): Gap[] {
    const gaps = [...this.#close(), ...this.#passedOver(slot)]
    this.#sampledSlot = slot
    this.#accountedSlot = slot
    return gaps
  }

  /** There is no row at this slot. */
  absent(slot: number, absence: Absence): Gap[] {
    const gaps: Gap[] = []
    if (this.#open !== undefined && this.#open.cause !== absence.cause) gaps.push(...this.#close())
    if (this.#open === undefined) {
      gaps.push(...this.#passedOver(slot), ...this.#suspect(slot, absence))
      this.#open = this.#gap('missing', slot, slot, slot, absence)
      gaps.push(this.#tellOpen())
    } else {
      this.#open.toSlot = slot
      if ((slot - this.#toldToSlot) * this.#intervalMs >= EXTEND_EVERY_MS) gaps.push(this.#tellOpen())
    }
    this.#accountedSlot = slot
    return gaps
  }

  /** The book was doubted and proved again between two slots: only rows that stand already can be concerned. */
  doubted(slot: number, absence: Absence): Gap[] {
    return this.#suspect(slot, absence)
  }

  /** The market is followed no longer: its account ends here. */
  end(): Gap[] {
    return this.#close()
  }

  /** Slots that nobody accounted for: there was no recorder, or this process could not keep up. */
  #passedOver(slot: number): Gap[] {
    const from = (this.#accountedSlot ?? slot - 1) + 1
    const isResumed = this.#isResumed
    this.#isResumed = false
    if (from >= slot) return []
    const absence: Absence = isResumed
      ? { cause: 'capturer_down', detail: 'nobody was recording' }
      : { cause: 'late_slot', detail: `${slot - from} slots passed while the process was busy or stopped` }
    return [this.#gap('missing', from, slot - 1, slot, absence)]
  }

  /** Rows stored since the book was last known to be right. */
  #suspect(slot: number, absence: Absence): Gap[] {
    if (absence.rightUntilMs === undefined || this.#sampledSlot === undefined) return []
    const from = slotAt(absence.rightUntilMs, this.#intervalMs) + 1
    return from > this.#sampledSlot ? [] : [this.#gap('suspect', from, this.#sampledSlot, slot, absence)]
  }

  #close(): Gap[] {
    const open = this.#open
    this.#open = undefined
    return open === undefined || this.#toldToSlot >= open.toSlot ? [] : [open]
  }

  #tellOpen(): Gap {
    if (this.#open === undefined) throw new Error('no gap is open')
    this.#toldToSlot = this.#open.toSlot
    return { ...this.#open }
  }

  #gap(kind: Gap['kind'], fromSlot: number, toSlot: number, knownAtSlot: number, { cause, detail }: Absence): Gap {
    return {
      marketId: this.#marketId,
      fromSlot,
      toSlot,
      knownAtSlot,
      cause,
      kind,
      intervalMs: this.#intervalMs,
      detail,
    }
  }
}
