import type { Gap, GapCause } from '../domain/rows/gap.ts'
import { slotAt } from '../domain/slot.ts'

/** Why a market has no row at a slot. */
export interface Absence {
  cause: GapCause
  detail: string
  /** Until when the book is known to be right; rows sampled later are suspect. */
  rightUntilMs?: number | undefined
}

/** An open gap is published again when it has grown by this much, so the stored record lags by at most this. */
const EXTEND_EVERY_MS = 1_000

/**
 * The gaps of one market. It receives every slot in order, with a row or with the reason why there is none, and
 * returns the gap records to publish, so that every slot has a row or a record.
 */
export class GapLedger {
  readonly #marketId: string
  readonly #intervalMs: number
  #sampledSlot: number | undefined
  #accountedSlot: number | undefined
  #open: Gap | undefined
  #publishedToSlot = 0
  #isResumed: boolean
  #isClockStepped = false

  /** `leftAtSlot`: the last slot that an earlier recorder accounted for; later slots become a gap. */
  constructor(marketId: string, intervalMs: number, leftAtSlot?: number) {
    this.#marketId = marketId
    this.#intervalMs = intervalMs
    this.#accountedSlot = leftAtSlot
    this.#isResumed = leftAtSlot !== undefined
  }

  sampled(slot: number): Gap[] {
    const gaps = [...this.#close(), ...this.#skipped(slot)]
    this.#sampledSlot = slot
    this.#accountedSlot = slot
    return gaps
  }

  absent(slot: number, absence: Absence): Gap[] {
    const gaps: Gap[] = []
    if (this.#open !== undefined && this.#open.cause !== absence.cause) gaps.push(...this.#close())
    if (this.#open === undefined) {
      gaps.push(...this.#skipped(slot), ...this.#suspect(slot, absence))
      this.#open = this.#gap('missing', slot, slot, slot, absence)
      gaps.push(this.#publishOpen())
    } else {
      this.#open.toSlot = slot
      if ((slot - this.#publishedToSlot) * this.#intervalMs >= EXTEND_EVERY_MS) gaps.push(this.#publishOpen())
    }
    this.#accountedSlot = slot
    return gaps
  }

  /** The book was in doubt and proved again between two slots: only rows before this slot can be suspect. */
  doubted(slot: number, absence: Absence): Gap[] {
    return this.#suspect(slot, absence)
  }

  /** The sampling clock was moved ahead since the last slot. */
  clockStepped(): void {
    this.#isClockStepped = true
  }

  /** The market is no longer followed. */
  end(): Gap[] {
    return this.#close()
  }

  /** Slots without a row or a record: no recorder was running, the clock moved ahead, or this process could not keep up. */
  #skipped(slot: number): Gap[] {
    const from = (this.#accountedSlot ?? slot - 1) + 1
    const [isResumed, isClockStepped] = [this.#isResumed, this.#isClockStepped]
    this.#isResumed = false
    this.#isClockStepped = false
    if (from >= slot) return []
    const absence: Absence = isResumed
      ? { cause: 'capturer_down', detail: 'no recorder was running' }
      : isClockStepped
        ? { cause: 'clock_step', detail: 'the clock moved ahead to that of another recorder' }
        : { cause: 'late_slot', detail: `${slot - from} slots passed while the process was busy or suspended` }
    return [this.#gap('missing', from, slot - 1, slot, absence)]
  }

  /** Marks the rows since the book was last known to be right. */
  #suspect(slot: number, absence: Absence): Gap[] {
    if (absence.rightUntilMs === undefined || this.#sampledSlot === undefined) return []
    const from = slotAt(absence.rightUntilMs, this.#intervalMs) + 1
    return from > this.#sampledSlot ? [] : [this.#gap('suspect', from, this.#sampledSlot, slot, absence)]
  }

  #close(): Gap[] {
    const open = this.#open
    this.#open = undefined
    return open === undefined || this.#publishedToSlot >= open.toSlot ? [] : [open]
  }

  #publishOpen(): Gap {
    if (this.#open === undefined) throw new Error('no gap is open')
    this.#publishedToSlot = this.#open.toSlot
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
