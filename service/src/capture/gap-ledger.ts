import { type Gap, type GapCause, TRADES_KIND, type TradeGap } from '../domain/rows/gap.ts'
import { slotAt } from '../domain/slot.ts'
import type { TimeRange } from '../domain/time-range.ts'

/** Why a market has no row at a slot. */
export interface Absence {
  cause: GapCause
  detail: string
  /** Until when the book is known to be right; rows sampled later are suspect. */
  rightUntilMs?: number | undefined
}

/** An open gap is published again when it has grown by this much, so the stored record lags by at most this. */
const EXTEND_EVERY_MS = 1_000
const NO_RECORDER: Absence = { cause: 'capturer_down', detail: 'no recorder was running' }

/** A trade is told up to this long after it happened, so trades from before a loss may be among the lost ones. */
export const TRADE_DELAY_MS = 2_000

export interface LedgerCheckpoint {
  readonly sampledSlot?: number | undefined
  readonly accountedSlot?: number | undefined
  readonly open?: Gap | undefined
  readonly publishedToSlot: number
  readonly awayBecause?: Absence | undefined
  readonly isClockStepped: boolean
}

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
  /** Why no slot was accounted for before the first one; undefined when there is nothing before it. */
  #awayBecause: Absence | undefined
  #isClockStepped = false

  /** `leftAtSlot`: the last slot that was accounted for before; later slots become a gap, with `awayBecause`. */
  constructor(marketId: string, intervalMs: number, leftAtSlot?: number, awayBecause: Absence = NO_RECORDER) {
    this.#marketId = marketId
    this.#intervalMs = intervalMs
    this.#accountedSlot = leftAtSlot
    this.#awayBecause = leftAtSlot === undefined ? undefined : awayBecause
  }

  checkpoint(): LedgerCheckpoint {
    return {
      sampledSlot: this.#sampledSlot,
      accountedSlot: this.#accountedSlot,
      open: this.#open && { ...this.#open },
      publishedToSlot: this.#publishedToSlot,
      awayBecause: this.#awayBecause,
      isClockStepped: this.#isClockStepped,
    }
  }

  restore({ sampledSlot, accountedSlot, open, publishedToSlot, awayBecause, isClockStepped }: LedgerCheckpoint): void {
    this.#sampledSlot = sampledSlot
    this.#accountedSlot = accountedSlot
    this.#open = open && { ...open }
    this.#publishedToSlot = publishedToSlot
    this.#awayBecause = awayBecause
    this.#isClockStepped = isClockStepped
  }

  /** The first slot of the gap that has not ended; undefined while there is none. */
  get openSinceSlot(): number | undefined {
    return this.#open?.fromSlot
  }

  /** The last slot with a row or a record, also one of an earlier recorder. */
  get accountedSlot(): number | undefined {
    return this.#accountedSlot
  }

  sampled(slot: number): Gap[] {
    const gaps = [...this.#close(), ...this.#skipped(slot)]
    this.#sampledSlot = slot
    this.#accountedSlot = slot
    return gaps
  }

  /** The slot has a row or a record of the recorder before this one. */
  recordedBefore(slot: number): Gap[] {
    if (slot <= (this.#accountedSlot ?? slot)) return []
    const away = this.#awayBecause
    const gaps = this.#skipped(slot)
    this.#awayBecause = away
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

  /** Frames were lost since `rightUntilMs`: trades may be missing also where every slot has a row. */
  tradesLost(slot: number, { cause, detail, rightUntilMs }: Absence): TradeGap {
    const sinceMs = (rightUntilMs ?? slot * this.#intervalMs) - TRADE_DELAY_MS
    const fromSlot = Math.min(slot, slotAt(sinceMs, this.#intervalMs))
    return { ...this.#gap('missing', fromSlot, slot, slot, { cause, detail }), kind: TRADES_KIND }
  }

  /** The sampling clock was corrected since the last slot. */
  clockStepped(): void {
    this.#isClockStepped = true
  }

  /** An earlier recorder's clock was ahead: the slots of its rows are not the time at which they were sampled. */
  numberedWrongly(slot: number, { fromMs, toMs }: TimeRange): Gap {
    const [from, to] = [slotAt(fromMs, this.#intervalMs), slotAt(toMs, this.#intervalMs)]
    const detail = 'recorded with a clock that was ahead'
    return this.#gap('suspect', from, to, slot, { cause: 'clock_step', detail })
  }

  /** The market is no longer followed. */
  end(): Gap[] {
    return this.#close()
  }

  /** Slots without a row or a record: no recorder was running, the clock moved ahead, or this process could not keep up. */
  #skipped(slot: number): Gap[] {
    const from = (this.#accountedSlot ?? slot - 1) + 1
    const [awayBecause, isClockStepped] = [this.#awayBecause, this.#isClockStepped]
    this.#awayBecause = undefined
    this.#isClockStepped = false
    if (from >= slot) return []
    const absence: Absence = isClockStepped
      ? { cause: 'clock_step', detail: 'a clock of a recorder was wrong and has been corrected' }
      : (awayBecause ?? {
          cause: 'late_slot',
          detail: `${slot - from} slots passed while the process was busy or suspended`,
        })
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
