import { setTimeout as sleep } from 'node:timers/promises'
import { type GapSegment, gapsBetween, isExplained } from '../../domain/hole.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import type { Trade } from '../../domain/rows/trade.ts'
import type { MarketStream } from '../channels/market-stream.ts'
import { RowStream } from '../channels/row-stream.ts'
import { RowFrames } from '../frames/row-frames.ts'
import type { StreamRow } from '../frames/stream-row.ts'
import type { Hub } from '../markets/hub.ts'
import { HEAL_WITHIN_MS, tradeKey } from '../markets/live-market.ts'
import type { MarketStore, Stored } from '../markets/market-store.ts'
import type { StreamMarket } from '../markets/stream-market.ts'

export interface CatchUpDeps {
  readonly hub: Hub
  readonly store: Pick<MarketStore, 'read' | 'trades'>
  readonly nowMs: () => number
  readonly isFull: () => boolean
  /** Whether the client has not let go of it meanwhile. */
  readonly isWanted: (stream: MarketStream) => boolean
  /** Until the reader has taken most of what was sent. */
  readonly untilRead: (signal: AbortSignal) => Promise<void>
  readonly onTrouble: (error: unknown) => void
}

const CHUNK_SLOTS = 400
const ASK_AGAIN_MS = 300

/**
 * Sends everything behind a slot and then lets the streams of a market go on with what is live, without a seam: from
 * the ring if that reaches back, else from the store until it meets the ring.
 */
export class CatchUp {
  readonly #deps: CatchUpDeps
  readonly #streams: readonly MarketStream[]
  readonly #market: StreamMarket
  readonly #sinceSeq: number
  readonly #toldTrades = new Set<string>()
  #position: number
  #giveUpAtMs: number | undefined

  constructor(deps: CatchUpDeps, market: StreamMarket, streams: readonly MarketStream[], sinceSeq: number) {
    this.#deps = deps
    this.#market = market
    this.#streams = streams
    this.#sinceSeq = sinceSeq
    this.#position = sinceSeq
    // Whoever names a slot of the future is told of what comes now.
    const lastSeq = Math.min(sinceSeq, Math.floor(deps.nowMs() / market.intervalMs))
    for (const stream of streams) {
      if (stream instanceof RowStream) stream.continues(lastSeq)
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#wanted.length > 0) {
      await this.#untilRead(signal)
      if (signal.aborted || this.#joinLive()) return
      await this.#readOn(signal)
    }
  }

  /** One row may be several frames, of which the first may have been one too many for the others. */
  async #untilRead(signal: AbortSignal): Promise<void> {
    await this.#deps.untilRead(signal)
    for (const stream of this.#wanted) stream.drained?.(this.#deps.nowMs())
  }

  get #wanted(): MarketStream[] {
    return this.#streams.filter(this.#deps.isWanted)
  }

  /** Nothing is awaited from the last slot of the ring to the moment in which the streams hear the market themselves. */
  #joinLive(): boolean {
    const { hub, isFull } = this.#deps
    const { ring } = hub.market(this.#market)
    const rest = ring.after(this.#position)
    if (rest === undefined) return false
    for (const item of rest) {
      if (isFull()) return false
      if ('row' in item) this.#tellRow(item.row, item.gaps)
    }
    this.#tellTrades(ring.trades(this.#sinceSeq * this.#market.intervalMs))
    for (const stream of this.#wanted) hub.add(stream)
    return true
  }

  async #readOn(signal: AbortSignal): Promise<void> {
    const { hub, nowMs } = this.#deps
    const live = hub.market(this.#market)
    const ringFrom = live.ring.firstSeq
    if (ringFrom !== undefined && ringFrom <= this.#position + 1) return
    const before = this.#position
    const toSlot = Math.min(before + CHUNK_SLOTS, (ringFrom ?? Number.POSITIVE_INFINITY) - 1)
    const stored = await this.#stored(before + 1, toSlot)
    const records = [...stored.gaps, ...live.records]
    const isUrgent = this.#giveUpAtMs !== undefined && nowMs() >= this.#giveUpAtMs
    await this.#tellStored(stored.rows, records, isUrgent, signal)
    await this.#tellStoredTrades(before)
    if (this.#position > before) this.#giveUpAtMs = undefined
    else if (ringFrom !== undefined && (isUrgent || isExplained(gapsBetween(before, ringFrom, records)))) {
      const meeting = live.ring.after(ringFrom - 1)?.find((item) => 'row' in item)
      if (meeting !== undefined && 'row' in meeting)
        this.#tellRow(meeting.row, gapsBetween(before, meeting.row.seq, records))
    } else if (ringFrom === undefined || toSlot < ringFrom - 1) {
      // A long hole that is told of is stepped over; it is told when the row behind it comes.
      await sleep(ASK_AGAIN_MS, undefined, { signal }).catch(() => {})
    } else {
      // The archive is behind. What neither it nor the bus ever brings is waited for in vain, but not for ever.
      this.#giveUpAtMs ??= nowMs() + HEAL_WITHIN_MS
      await sleep(ASK_AGAIN_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** When a piece is empty, all that is left up to the ring or the present: what lies behind a long hole is found too. */
  async #stored(fromSlot: number, toSlot: number): Promise<Stored> {
    const { store, nowMs, onTrouble } = this.#deps
    try {
      const piece = await store.read(this.#market, { fromSlot, toSlot })
      if (piece.rows.length > 0) return piece
      const ringFrom = this.#deps.hub.market(this.#market).ring.firstSeq
      const last = (ringFrom ?? Math.floor(nowMs() / this.#market.intervalMs) + 1) - 1
      return last > toSlot ? await store.read(this.#market, { fromSlot, toSlot: last }) : piece
    } catch (error) {
      onTrouble(error)
      return { rows: [], gaps: [] }
    }
  }

  /** As far as nothing is missing between the rows. */
  async #tellStored(
    rows: readonly StreamRow[],
    records: readonly Gap[],
    isUrgent: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    let mayPass = isUrgent
    for (const row of rows) {
      const gaps = gapsBetween(this.#position, row.seq, records)
      if (!isExplained(gaps)) {
        if (!mayPass) {
          this.#giveUpAtMs ??= this.#deps.nowMs() + HEAL_WITHIN_MS
          return
        }
        mayPass = false
      }
      if (this.#deps.isFull()) await this.#untilRead(signal)
      if (signal.aborted) return
      this.#tellRow(row, gaps)
    }
  }

  async #tellStoredTrades(before: number): Promise<void> {
    const { intervalMs } = this.#market
    if (this.#position <= before || this.#streams.every((stream) => stream.trade === undefined)) return
    // A trade is told with the next row, so those behind the last row may not be stored yet.
    const range = { fromMs: before * intervalMs, toMs: this.#position * intervalMs }
    this.#tellTrades(await this.#deps.store.trades([this.#market], range))
  }

  #tellTrades(trades: readonly Trade[]): void {
    for (const trade of trades) {
      const key = tradeKey(trade)
      if (this.#toldTrades.has(key)) continue
      this.#toldTrades.add(key)
      for (const stream of this.#wanted) stream.trade?.(trade, this.#deps.nowMs())
    }
  }

  #tellRow(row: StreamRow, gaps: readonly GapSegment[]): void {
    const frames = new RowFrames(this.#market, row, this.#deps.nowMs())
    const told = behind(gaps, this.#sinceSeq)
    for (const stream of this.#wanted) stream.row?.(frames, told)
    this.#position = row.seq
  }
}

/** A client that named a moment inside a hole is told of the rest of it. */
function behind(gaps: readonly GapSegment[], seq: number): GapSegment[] {
  return gaps
    .filter(({ toSlot, kind }) => kind === 'suspect' || toSlot > seq)
    .map((gap) => (gap.kind === 'suspect' || gap.fromSlot > seq ? gap : { ...gap, fromSlot: seq + 1 }))
}
