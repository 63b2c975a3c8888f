import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../domain/api-error.ts'
import { gapsBetween } from '../../domain/hole.ts'
import { creditsOfRows } from '../../domain/prices.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { instantOf } from '../../endpoints/schemas/instant.ts'
import { forCaller } from '../../stores/engines/waiting-caller.ts'
import type { SocketWriter } from '../connection/socket-writer.ts'
import { turns } from '../connection/turns.ts'
import { RowFrames } from '../frames/row-frames.ts'
import type { MarketStore } from '../markets/market-store.ts'
import { ChargedRows, MAX_PARTS } from './charged-rows.ts'
import { type ReplayItem, type ReplayMarket, type ReplayPiece, ReplayReader } from './replay-reader.ts'

export type Speed = number | 'max'

export interface ReplayDeps {
  readonly store: MarketStore
  readonly writer: SocketWriter
  /** Charges for the rows that are sent next. */
  readonly charge: (credits: number) => Promise<unknown>
  readonly nowMs: () => number
  readonly onRows: (rows: number) => void
}

/** Creates new streams, because every channel starts again after a seek. */
export type MarketsOf = () => readonly ReplayMarket[]

export interface ReplayEnd {
  readonly reason: 'complete' | 'stopped' | 'out_of_credits' | 'failed'
  readonly at: number
  /** Charged rows: each once, however often it was sent. */
  readonly rows: number
  readonly credits: number
  readonly error?: unknown
}

/** All replays together run at most this long before the event loop handles other work. */
const YIELD_AFTER_MS = 5

/** A prediction market row is two rows, one for each token. */
function rowsOf({ row }: ReplayItem): number {
  return row?.kind === 'binary' ? 2 : 1
}

/** Sends recorded rows as live frames, in time order, at a chosen speed, and no faster than the client reads. */
export class Replay {
  readonly #deps: ReplayDeps
  readonly #marketsOf: MarketsOf
  readonly #range: TimeRange
  readonly #stop = new AbortController()
  readonly #charged = new ChargedRows()
  #speed: Speed
  #isPaused = false
  #seekMs: number | undefined
  #wake = Promise.withResolvers<void>()
  /** A pair of replay time and real time, from which the pace is computed. */
  #anchor: { readonly replayMs: number; readonly realMs: number } | undefined
  #atMs: number
  #rows = 0
  #credits = 0
  #yieldedAtMs = 0

  constructor(deps: ReplayDeps, marketsOf: MarketsOf, range: TimeRange, speed: Speed) {
    this.#deps = deps
    this.#marketsOf = marketsOf
    this.#range = range
    this.#speed = speed
    this.#atMs = range.fromMs
  }

  /** The time that the replay has reached. */
  get atMs(): number {
    return this.#atMs
  }

  pause(): void {
    this.#isPaused = true
    this.#changed()
  }

  resume(): void {
    this.#isPaused = false
    this.#changed()
  }

  set speed(speed: Speed) {
    this.#speed = speed
    this.#changed()
  }

  seek(toMs: number): void {
    const { fromMs, toMs: endMs } = this.#range
    if (toMs < fromMs || toMs >= endMs)
      throw new ApiError(
        'invalid_request',
        `to must be from ${instantOf(fromMs)} and before ${instantOf(endMs)}, as in the replay; got ${instantOf(toMs)}.`,
      )
    if (!this.#charged.canStartAt(toMs)) {
      throw new ApiError(
        'invalid_request',
        `A replay remembers at most ${MAX_PARTS} separate parts that it has sent. Seek to a time that was already sent, or start a new replay.`,
      )
    }
    this.#seekMs = toMs
    this.#atMs = toMs
    this.#changed()
  }

  stop(): void {
    this.#stop.abort()
    this.#changed()
  }

  /** Its reads end when it is stopped. */
  run(): Promise<ReplayEnd> {
    return forCaller({ signal: this.#stop.signal }, () => this.#run())
  }

  async #run(): Promise<ReplayEnd> {
    try {
      let fromMs = this.#range.fromMs
      while (!(await this.#play(fromMs))) {
        if (this.#stop.signal.aborted) return this.#end('stopped')
        fromMs = this.#seekMs ?? fromMs
        this.#seekMs = undefined
      }
      this.#atMs = this.#range.toMs
      return this.#end('complete')
    } catch (error) {
      if (this.#stop.signal.aborted) return this.#end('stopped')
      if (error instanceof ApiError && error.code === 'out_of_credits') return this.#end('out_of_credits')
      return { ...this.#end('failed'), error }
    }
  }

  /** Plays to the end of the range; false when it was stopped or a seek was requested. */
  async #play(fromMs: number): Promise<boolean> {
    const reader = new ReplayReader(this.#deps.store, this.#marketsOf())
    const records = await reader.gaps()
    this.#charged.startAt(fromMs)
    const lastSeqs = new Map<string, number>()
    const read = (atMs: number): Promise<ReplayPiece> | undefined => {
      if (atMs >= this.#range.toMs) return undefined
      const piece = reader.piece(atMs, this.#range.toMs)
      // A failure is handled when the piece is awaited.
      piece.catch(() => {})
      return piece
    }
    for (let next = read(fromMs); next !== undefined; ) {
      const { items, nextMs } = await next
      next = read(nextMs)
      for (const item of items) {
        if (!this.#isDue(item) && !(await this.#untilDue(item))) return false
        const rows = this.#charged.advanceTo(item) ? rowsOf(item) : 0
        const due = creditsOfRows(this.#rows + rows) - this.#credits
        if (due > 0) {
          await this.#deps.charge(due)
          this.#credits += due
          // A command may have arrived meanwhile; what was paid is then used for the next rows.
          if (!this.#isDue(item) && !(await this.#untilDue(item))) return false
        }
        this.#charged.add()
        this.#rows += rows
        this.#deps.onRows(rowsOf(item))
        this.#send(item, lastSeqs, records)
        if (this.#deps.writer.isFull) await this.#deps.writer.untilRead(this.#stop.signal)
        if (performance.now() - this.#yieldedAtMs > YIELD_AFTER_MS) await this.#yieldToOthers()
      }
    }
    return !this.#isInterrupted
  }

  #send({ of, row, told, atMs }: ReplayItem, lastSeqs: Map<string, number>, records: Map<string, Gap[]>): void {
    this.#atMs = Math.max(this.#range.fromMs, atMs)
    const nowMs = this.#deps.nowMs()
    if (told !== undefined) for (const stream of of.streams) stream.told?.(told, nowMs)
    if (row === undefined) return
    const { market } = of
    const before = lastSeqs.get(market.id)
    if (before !== undefined && row.seq <= before) return
    lastSeqs.set(market.id, row.seq)
    const gaps = before === undefined ? [] : gapsBetween(before, row.seq, records.get(market.id) ?? [])
    const frames = new RowFrames(market, row, nowMs)
    for (const stream of of.streams) stream.row?.(frames, gaps)
  }

  get #isInterrupted(): boolean {
    return this.#stop.signal.aborted || this.#seekMs !== undefined
  }

  #isDue({ happenedAtMs }: ReplayItem): boolean {
    if (this.#isPaused || this.#isInterrupted) return false
    return this.#speed === 'max' || this.#waitMs(happenedAtMs, this.#speed) <= 0
  }

  /** False when the replay was stopped or a seek was requested. */
  async #untilDue(item: ReplayItem): Promise<boolean> {
    while (!this.#isDue(item)) {
      if (this.#isInterrupted) return false
      const woken = this.#wake.promise
      if (this.#isPaused || this.#speed === 'max') await woken
      else {
        const over = new AbortController()
        // Time has passed since the item was not due.
        const waitMs = Math.max(0, this.#waitMs(item.happenedAtMs, this.#speed))
        const due = sleep(waitMs, undefined, { signal: over.signal }).catch(() => {})
        await Promise.race([due, woken])
        over.abort()
      }
    }
    return true
  }

  #waitMs(replayMs: number, speed: number): number {
    this.#anchor ??= { replayMs, realMs: performance.now() }
    return this.#anchor.realMs + (replayMs - this.#anchor.replayMs) / speed - performance.now()
  }

  async #yieldToOthers(): Promise<void> {
    await turns.next()
    this.#yieldedAtMs = performance.now()
  }

  #changed(): void {
    this.#anchor = undefined
    this.#wake.resolve()
    this.#wake = Promise.withResolvers<void>()
  }

  #end(reason: ReplayEnd['reason']): ReplayEnd {
    return { reason, at: this.#atMs, rows: this.#rows, credits: this.#credits }
  }
}
