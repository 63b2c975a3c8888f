import { setTimeout as sleep } from 'node:timers/promises'
import { type GapSegment, gapsBetween, isExplained } from '../../domain/hole.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import type { MarketStream } from '../channels/market-stream.ts'
import { RowFrames } from '../frames/row-frames.ts'
import type { StreamRow } from '../frames/stream-row.ts'
import { type Told, toldKey } from '../frames/told.ts'
import type { GatewayMeter } from '../gateway-metrics.ts'
import type { MarketStore } from './market-store.ts'
import { type RingBudget, RowRing } from './row-ring.ts'
import type { StreamMarket } from './stream-market.ts'

export interface LiveMarketDeps {
  readonly store: Pick<MarketStore, 'read'>
  readonly ringBudget: RingBudget
  readonly meter: GatewayMeter
  readonly nowMs: () => number
  readonly onTrouble: (error: unknown) => void
  readonly signal: AbortSignal
}

/** How long rows wait for missing rows before them. */
export const HEAL_WITHIN_MS = 15_000
const HEAL_EVERY_MS = 400
/** More rows than the fastest plan records in HEAL_WITHIN_MS. */
const MAX_HELD = 512
const RECORDS_KEPT = 256
const TOLD_KNOWN = 512
/** No right clock is ahead of another by this much. */
const CLOCK_MARGIN_MS = 60_000

/**
 * One live market: every slot once and in order, or a gap with its cause. Rows that are missing on the bus are read
 * from the store, and later rows wait for them.
 */
export class LiveMarket {
  readonly market: StreamMarket
  readonly ring: RowRing
  readonly streams = new Set<MarketStream>()
  readonly #deps: LiveMarketDeps
  readonly #held = new Map<number, StreamRow>()
  readonly #records = new Map<string, Gap>()
  readonly #told = new Set<string>()
  #lastSeq: number | undefined
  #isHealing = false
  #dark: { readonly sinceSeq: number; readonly cause: string } | undefined

  constructor(market: StreamMarket, deps: LiveMarketDeps) {
    this.market = market
    this.#deps = deps
    this.ring = new RowRing(deps.ringBudget, market.intervalMs)
  }

  /** Slot of the last row that was sent. */
  get lastSeq(): number | undefined {
    return this.#lastSeq
  }

  /** Set while the newest record of the market is a gap without rows. */
  get dark(): { readonly sinceSeq: number; readonly cause: string } | undefined {
    return this.#dark
  }

  get records(): Iterable<Gap> {
    return this.#records.values()
  }

  row(row: StreamRow): void {
    if (this.#isFromTheFuture(row.seq)) this.#startAgain()
    if (this.#lastSeq !== undefined && row.seq <= this.#lastSeq) {
      this.#deps.meter.dropped()
      return
    }
    if (this.#held.size === 0 && this.#isNext(row.seq)) this.#deliver(row)
    else this.#hold(row)
  }

  gap(record: Gap): void {
    const key = `${record.fromSlot} ${record.cause} ${record.kind}`
    const known = this.#records.get(key)
    if (known !== undefined && known.toSlot >= record.toSlot) return
    this.#records.delete(key)
    this.#records.set(key, record)
    if (this.#records.size > RECORDS_KEPT) this.#records.delete(this.#records.keys().next().value ?? '')
    const isNow = record.kind === 'missing' && record.toSlot > (this.#lastSeq ?? 0)
    if (isNow && this.#dark === undefined) {
      this.#dark = { sinceSeq: record.fromSlot, cause: record.cause }
      this.notify('status', { type: 'dark', since_seq: record.fromSlot, cause: record.cause })
    }
  }

  told(told: Told): void {
    const key = toldKey(told)
    if (this.#told.has(key)) return
    this.#told.add(key)
    if (this.#told.size > TOLD_KNOWN) this.#told.delete(this.#told.values().next().value ?? '')
    this.ring.push({ told })
    const nowMs = this.#deps.nowMs()
    for (const stream of this.streams) stream.told?.(told, nowMs)
  }

  /** Sends a frame to all streams of this channel. */
  notify(channel: 'market' | 'status', fields: Record<string, unknown>): void {
    const nowMs = this.#deps.nowMs()
    const frame = JSON.stringify({ channel, market: this.market.name, ...fields, at: nowMs, sent_at: nowMs })
    for (const stream of this.streams) if (stream.channel === channel) stream.notice?.(frame)
  }

  /** The last row was recorded with a clock that was ahead and has been corrected since. */
  #isFromTheFuture(nextSeq: number): boolean {
    const { intervalMs } = this.market
    const latestMs = this.#deps.nowMs() + CLOCK_MARGIN_MS
    return (this.#lastSeq ?? 0) * intervalMs > latestMs && nextSeq * intervalMs <= latestMs
  }

  #startAgain(): void {
    this.#lastSeq = undefined
    this.#held.clear()
    this.#records.clear()
  }

  #isNext(seq: number): boolean {
    if (this.#lastSeq === undefined) return true
    return isExplained(gapsBetween(this.#lastSeq, seq, this.#records.values()))
  }

  #deliver(row: StreamRow): void {
    const before = this.#lastSeq
    const gaps: GapSegment[] = before === undefined ? [] : gapsBetween(before, row.seq, this.#records.values())
    this.#lastSeq = row.seq
    this.ring.push({ row, gaps })
    if (this.#dark !== undefined) {
      this.#dark = undefined
      this.notify('status', { type: 'live', since_seq: row.seq })
    }
    if (this.streams.size === 0) return
    const frames = new RowFrames(this.market, row, this.#deps.nowMs())
    for (const stream of this.streams) stream.row?.(frames, gaps)
  }

  #hold(row: StreamRow): void {
    this.#held.set(row.seq, row)
    if (this.#held.size > MAX_HELD) this.#deliverHeld(true)
    else if (!this.#isHealing) void this.#heal()
  }

  /** Reads the store until all slots before the held rows have a row or a gap record, or the time limit is over. */
  async #heal(): Promise<void> {
    const { meter, nowMs, onTrouble, signal } = this.#deps
    this.#isHealing = true
    let giveUpAtMs = nowMs() + HEAL_WITHIN_MS
    while (this.#held.size > 0 && this.#lastSeq !== undefined && !signal.aborted) {
      const hole = { fromSlot: this.#lastSeq + 1, toSlot: smallest(this.#held.keys()) - 1 }
      try {
        const { rows, gaps } = await this.#deps.store.read(this.market, hole)
        for (const gap of gaps) this.gap(gap)
        for (const row of rows) if (row.seq > this.#lastSeq) this.#held.set(row.seq, row)
      } catch (error) {
        onTrouble(error)
      }
      const isLate = nowMs() >= giveUpAtMs
      const before = this.#lastSeq
      this.#deliverHeld(isLate)
      if (this.#lastSeq > before) {
        meter.healed(isLate ? 'given_up' : 'healed')
        giveUpAtMs = nowMs() + HEAL_WITHIN_MS
      }
      if (this.#held.size > 0) await sleep(HEAL_EVERY_MS, undefined, { signal }).catch(() => {})
    }
    this.#isHealing = false
  }

  /** Sends held rows in order up to the next unexplained hole; `isForced` skips the first one. */
  #deliverHeld(isForced: boolean): void {
    let maySkip = isForced
    for (const seq of [...this.#held.keys()].sort((one, other) => one - other)) {
      const row = this.#held.get(seq)
      if (row === undefined) continue
      if (!this.#isNext(seq)) {
        if (!maySkip) return
        maySkip = false
      }
      this.#held.delete(seq)
      if (this.#lastSeq === undefined || seq > this.#lastSeq) this.#deliver(row)
    }
  }
}

function smallest(values: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY
  for (const value of values) if (value < least) least = value
  return least
}
