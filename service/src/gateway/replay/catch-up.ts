import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../domain/api-error.ts'
import { type GapSegment, gapsBetween, isExplained } from '../../domain/hole.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import { kindsOf, type MarketStream } from '../channels/market-stream.ts'
import { RowStream } from '../channels/row-stream.ts'
import { ToldStream } from '../channels/told-stream.ts'
import { RowFrames } from '../frames/row-frames.ts'
import type { StreamRow } from '../frames/stream-row.ts'
import { type Told, type ToldKind, toldKey } from '../frames/told.ts'
import type { Hub } from '../markets/hub.ts'
import { HEAL_WITHIN_MS } from '../markets/live-market.ts'
import type { MarketStore, Stored } from '../markets/market-store.ts'
import type { StreamMarket } from '../markets/stream-market.ts'

export interface CatchUpDeps {
  readonly hub: Hub
  readonly store: Pick<MarketStore, 'read' | 'told'>
  readonly nowMs: () => number
  readonly isFull: () => boolean
  /** False when the client has unsubscribed. */
  readonly isWanted: (stream: MarketStream) => boolean
  /** Resolves when the client has read most of its frames. */
  readonly untilRead: (signal: AbortSignal) => Promise<void>
  readonly onTrouble: (error: unknown) => void
}

const CHUNK_SLOTS = 400
const READ_AGAIN_MS = 300

/**
 * Sends everything after a slot and then continues live, without missing or repeated rows: from the ring if it
 * reaches back that far, else from the store up to the first row of the ring.
 */
export class CatchUp {
  readonly #deps: CatchUpDeps
  readonly #streams: readonly MarketStream[]
  readonly #market: StreamMarket
  readonly #sinceSeq: number
  readonly #sentTold = new Set<string>()
  #position: number
  /** The slot up to which trades and contexts were read from the store. */
  #toldSeq: number
  #giveUpAtMs: number | undefined

  constructor(deps: CatchUpDeps, market: StreamMarket, streams: readonly MarketStream[], sinceSeq: number) {
    this.#deps = deps
    this.#market = market
    this.#streams = streams
    this.#sinceSeq = sinceSeq
    this.#position = sinceSeq
    this.#toldSeq = sinceSeq
    // A slot in the future counts as now.
    const lastSeq = Math.min(sinceSeq, Math.floor(deps.nowMs() / market.intervalMs))
    for (const stream of streams) {
      if (stream instanceof RowStream) stream.continues(lastSeq)
    }
  }

  /** Throws when trades or contexts can't be read for HEAL_WITHIN_MS, because no gap frame could tell the client. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#wanted.length > 0) {
      await this.#untilRead(signal)
      if (signal.aborted || this.#joinLive()) return
      await this.#readOn(signal)
    }
  }

  /** A row can have several frames, and the outlet may become full between them. */
  async #untilRead(signal: AbortSignal): Promise<void> {
    await this.#deps.untilRead(signal)
    for (const stream of this.#wanted) stream.drained?.(this.#deps.nowMs())
  }

  get #wanted(): MarketStream[] {
    return this.#streams.filter(this.#deps.isWanted)
  }

  /** Has no `await`, so that no row arrives between the last row of the ring and the start of the live streams. */
  #joinLive(): boolean {
    const { hub, isFull } = this.#deps
    const { ring } = hub.market(this.#market)
    const rest = ring.after(this.#position)
    if (rest === undefined || this.#lacksToldBefore(ring.firstSeq)) return false
    for (const item of rest) {
      if (isFull()) return false
      if ('row' in item) this.#sendRow(item.row, item.gaps)
    }
    for (const told of ring.told(this.#sinceSeq * this.#market.intervalMs)) {
      if (isFull()) return false
      this.#sendTold(told)
    }
    for (const stream of this.#wanted) hub.add(stream)
    return true
  }

  async #readOn(signal: AbortSignal): Promise<void> {
    const { hub, nowMs } = this.#deps
    const live = hub.market(this.#market)
    const ringFrom = live.ring.firstSeq
    if (ringFrom !== undefined && ringFrom <= this.#position + 1) return this.#sendStoredTold(ringFrom, signal)
    const before = this.#position
    const toSlot = Math.min(before + CHUNK_SLOTS, (ringFrom ?? Number.POSITIVE_INFINITY) - 1)
    const stored = await this.#stored(before + 1, toSlot)
    if (signal.aborted) return
    if (stored === 'busy') {
      await sleep(READ_AGAIN_MS, undefined, { signal }).catch(() => {})
      return
    }
    const records = [...stored.gaps, ...live.records]
    const isTimeOver = this.#giveUpAtMs !== undefined && nowMs() >= this.#giveUpAtMs
    await this.#sendStored(stored.rows, records, isTimeOver, signal)
    await this.#sendStoredTold(this.#position, signal)
    if (this.#position > before) this.#giveUpAtMs = undefined
    else if (ringFrom !== undefined && (isTimeOver || isExplained(gapsBetween(before, ringFrom, records)))) {
      if (!isExplained(gapsBetween(before, ringFrom, records))) this.#tellLost(before + 1, ringFrom - 1)
      const meeting = live.ring.after(ringFrom - 1)?.find((item) => 'row' in item)
      if (meeting !== undefined && 'row' in meeting)
        this.#sendRow(meeting.row, gapsBetween(before, meeting.row.seq, records))
    } else if (ringFrom === undefined || toSlot < ringFrom - 1) {
      // No row yet after the last one; gaps are sent with the next row.
      await sleep(READ_AGAIN_MS, undefined, { signal }).catch(() => {})
    } else {
      // The archive is behind, so wait for the missing rows, but only up to a time limit.
      this.#giveUpAtMs ??= nowMs() + HEAL_WITHIN_MS
      await sleep(READ_AGAIN_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** If a chunk has no rows, reads on up to the ring or the current time, to find the rows after a long hole. */
  async #stored(fromSlot: number, toSlot: number): Promise<Stored | 'busy'> {
    const { store, nowMs, onTrouble } = this.#deps
    try {
      const piece = await store.read(this.#market, { fromSlot, toSlot })
      if (piece.rows.length > 0) return piece
      const ringFrom = this.#deps.hub.market(this.#market).ring.firstSeq
      const last = (ringFrom ?? Math.floor(nowMs() / this.#market.intervalMs) + 1) - 1
      return last > toSlot ? await store.read(this.#market, { fromSlot, toSlot: last }) : piece
    } catch (error) {
      if (isBusy(error)) return 'busy'
      onTrouble(error)
      return { rows: [], gaps: [] }
    }
  }

  /** Sends rows up to the next unexplained hole. */
  async #sendStored(
    rows: readonly StreamRow[],
    records: readonly Gap[],
    isTimeOver: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    let maySkip = isTimeOver
    for (const row of rows) {
      const gaps = gapsBetween(this.#position, row.seq, records)
      if (!isExplained(gaps)) {
        if (!maySkip) {
          this.#giveUpAtMs ??= this.#deps.nowMs() + HEAL_WITHIN_MS
          return
        }
        maySkip = false
      }
      if (this.#deps.isFull()) await this.#untilRead(signal)
      if (signal.aborted) return
      this.#sendRow(row, gaps)
    }
  }

  /** What was told before the first row of the ring is only in the store, also when a hole is before that row. */
  #lacksToldBefore(ringFrom: number | undefined): boolean {
    return this.#kinds.size > 0 && ringFrom !== undefined && ringFrom > this.#toldSeq
  }

  get #kinds(): ReadonlySet<ToldKind> {
    return kindsOf(this.#streams)
  }

  /** Sends what was received up to the end of a slot, because a late tick publishes it with the row of the slot. */
  async #sendStoredTold(toSeq: number, signal: AbortSignal): Promise<void> {
    while (this.#kinds.size > 0 && this.#toldSeq < toSeq && !signal.aborted) {
      const nextSeq = Math.min(this.#toldSeq + CHUNK_SLOTS, toSeq)
      for (const told of await this.#storedTold(this.#toldSeq, nextSeq, signal)) {
        if (this.#deps.isFull()) await this.#untilRead(signal)
        if (signal.aborted) return
        this.#sendTold(told)
      }
      this.#toldSeq = nextSeq
    }
  }

  async #storedTold(fromSeq: number, toSeq: number, signal: AbortSignal): Promise<Told[]> {
    const { store, nowMs, onTrouble } = this.#deps
    const { intervalMs } = this.#market
    const range = { fromMs: fromSeq * intervalMs, toMs: (toSeq + 1) * intervalMs }
    let giveUpAtMs = nowMs() + HEAL_WITHIN_MS
    while (!signal.aborted) {
      try {
        return await store.told([{ market: this.#market, kinds: this.#kinds }], range)
      } catch (error) {
        if (isBusy(error)) giveUpAtMs = nowMs() + HEAL_WITHIN_MS
        else if (nowMs() >= giveUpAtMs) throw error
        else onTrouble(error)
      }
      await sleep(READ_AGAIN_MS, undefined, { signal }).catch(() => {})
    }
    return []
  }

  /** The rows of the hole did not come in time, so what was told in it may come later still. */
  #tellLost(fromSeq: number, toSeq: number): void {
    for (const stream of this.#wanted) if (stream instanceof ToldStream) stream.lost(fromSeq, toSeq, this.#deps.nowMs())
  }

  #sendTold(told: Told): void {
    const key = toldKey(told)
    if (this.#sentTold.has(key)) return
    this.#sentTold.add(key)
    for (const stream of this.#wanted) stream.told?.(told, this.#deps.nowMs())
  }

  #sendRow(row: StreamRow, gaps: readonly GapSegment[]): void {
    const frames = new RowFrames(this.#market, row, this.#deps.nowMs())
    const newGaps = gapsAfter(gaps, this.#sinceSeq)
    for (const stream of this.#wanted) stream.row?.(frames, newGaps)
    this.#position = row.seq
  }
}

/** The account reads too much at once or in a minute: the store works, so nothing is lost, and the read gets its turn later. */
function isBusy(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'overloaded' || error.code === 'rate_limited')
}

/** If the client resumes inside a hole, only the rest of it is reported. */
function gapsAfter(gaps: readonly GapSegment[], seq: number): GapSegment[] {
  return gaps
    .filter(({ toSlot, kind }) => kind === 'suspect' || toSlot > seq)
    .map((gap) => (gap.kind === 'suspect' || gap.fromSlot > seq ? gap : { ...gap, fromSlot: seq + 1 }))
}
