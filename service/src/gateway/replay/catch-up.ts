import { setTimeout as sleep } from 'node:timers/promises'
import { type GapSegment, gapsBetween, isExplained } from '../../domain/hole.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import { kindsOf, type MarketStream } from '../channels/market-stream.ts'
import { RowStream } from '../channels/row-stream.ts'
import { RowFrames } from '../frames/row-frames.ts'
import type { StreamRow } from '../frames/stream-row.ts'
import { type Told, toldKey } from '../frames/told.ts'
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
  #giveUpAtMs: number | undefined

  constructor(deps: CatchUpDeps, market: StreamMarket, streams: readonly MarketStream[], sinceSeq: number) {
    this.#deps = deps
    this.#market = market
    this.#streams = streams
    this.#sinceSeq = sinceSeq
    this.#position = sinceSeq
    // A slot in the future counts as now.
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
    if (rest === undefined) return false
    for (const item of rest) {
      if (isFull()) return false
      if ('row' in item) this.#sendRow(item.row, item.gaps)
    }
    this.#sendTold(ring.told(this.#sinceSeq * this.#market.intervalMs))
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
    if (signal.aborted) return
    const records = [...stored.gaps, ...live.records]
    const isTimeOver = this.#giveUpAtMs !== undefined && nowMs() >= this.#giveUpAtMs
    await this.#sendStored(stored.rows, records, isTimeOver, signal)
    await this.#sendStoredTold(before)
    if (this.#position > before) this.#giveUpAtMs = undefined
    else if (ringFrom !== undefined && (isTimeOver || isExplained(gapsBetween(before, ringFrom, records)))) {
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

  async #sendStoredTold(before: number): Promise<void> {
    const { intervalMs } = this.#market
    const kinds = kindsOf(this.#streams)
    if (this.#position <= before || kinds.size === 0) return
    // Trades are published with the next row, so those after the last row may not be stored yet.
    const range = { fromMs: before * intervalMs, toMs: this.#position * intervalMs }
    this.#sendTold(await this.#deps.store.told([{ market: this.#market, kinds }], range))
  }

  #sendTold(list: readonly Told[]): void {
    for (const told of list) {
      const key = toldKey(told)
      if (this.#sentTold.has(key)) continue
      this.#sentTold.add(key)
      for (const stream of this.#wanted) stream.told?.(told, this.#deps.nowMs())
    }
  }

  #sendRow(row: StreamRow, gaps: readonly GapSegment[]): void {
    const frames = new RowFrames(this.#market, row, this.#deps.nowMs())
    const newGaps = gapsAfter(gaps, this.#sinceSeq)
    for (const stream of this.#wanted) stream.row?.(frames, newGaps)
    this.#position = row.seq
  }
}

/** If the client resumes inside a hole, only the rest of it is reported. */
function gapsAfter(gaps: readonly GapSegment[], seq: number): GapSegment[] {
  return gaps
    .filter(({ toSlot, kind }) => kind === 'suspect' || toSlot > seq)
    .map((gap) => (gap.kind === 'suspect' || gap.fromSlot > seq ? gap : { ...gap, fromSlot: seq + 1 }))
}
