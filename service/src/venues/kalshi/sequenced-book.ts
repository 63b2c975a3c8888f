import { Book, firstAtOrAbove, type Ladders, type Level, mirrorOf, type Side } from '../../domain/book.ts'
import type { Doubt } from '../../domain/doubt.ts'
import type { Market } from '../../domain/market.ts'
import type { BinaryBook, BookEvent, BookUpdate, DeltaEvent, ProvedState, RaisedDoubt } from '../venue.ts'
import { Fingerprint, RecentStates } from './recent-states.ts'

const MOST_RAISED = 100
/** A REST book may be this much older than the request for it. */
const REST_LAG_MS = 2_000

export interface SequencedBookCheckpoint {
  /** Undefined while there is no whole book. */
  readonly ladders?: Ladders | undefined
  readonly doubt?: Doubt | undefined
  readonly eventAtMs: number
  readonly receivedAtMs: number
  readonly provedAtMs?: number | undefined
  readonly changeCount: number
  readonly raised: readonly RaisedDoubt[]
}

/**
 * The two books of one market. The venue numbers its frames, and the connection raises a doubt when one is missing;
 * without that doubt, a snapshot and all changes after it are the book of the venue.
 */
export class SequencedBook implements BinaryBook {
  readonly market: Market
  /** The book of YES; that of NO is its mirror. */
  readonly #book = new Book()
  readonly #recent = new RecentStates()
  #fingerprint = new Fingerprint()
  #isWhole = false
  /** Made when it is asked for: a busy market changes hundreds of times between two samples. */
  #state: ProvedState | undefined
  #doubt: Doubt | undefined
  #eventAtMs = 0
  #receivedAtMs = 0
  #provedAtMs: number | undefined
  #changeCount = 0
  #raised: RaisedDoubt[] = []

  constructor(market: Market) {
    this.market = market
  }

  get proved(): ProvedState | undefined {
    if (!this.#isWhole) return undefined
    this.#state ??= this.#stateNow()
    return this.#state
  }

  get doubt(): Doubt | undefined {
    return this.#doubt
  }

  get provedAtMs(): number | undefined {
    return this.#provedAtMs
  }

  takeChangeCount(): number {
    const count = this.#changeCount
    this.#changeCount = 0
    return count
  }

  takeDoubts(): readonly RaisedDoubt[] {
    const raised = this.#raised
    if (raised.length > 0) this.#raised = []
    return raised
  }

  take(update: BookUpdate, receivedAtMs: number): void {
    if (update.kind !== 'book' && update.kind !== 'delta') return
    if (update.marketId !== this.market.id || update.tokenId !== this.market.tokenIds[0]) return
    if (update.kind === 'book') this.#replace(update, receivedAtMs)
    else if (this.#isWhole) this.#change(update, receivedAtMs)
  }

  /** Nothing that REST says is better proved than a frame with its number. */
  isToBeCompared(): boolean {
    return false
  }

  compare(): void {}

  /**
   * A REST book has no time and no number, so it is equal when this book had the same levels at any time since shortly
   * before the request. An empty one is also the answer for an unknown market, so it never contradicts.
   */
  relationTo({ bids, asks }: BookEvent, requestedAtMs: number): 'equal' | 'older' | 'other' {
    const relation = this.#recent.relationOf(fingerprintOf({ bids, asks }).value, requestedAtMs - REST_LAG_MS)
    const isEmpty = bids.length === 0 && asks.length === 0
    return isEmpty && relation === 'other' ? 'older' : relation
  }

  settle(): void {}

  distrust(doubt: Doubt): void {
    this.#doubt = doubt
    this.#isWhole = false
    this.#state = undefined
    this.#recent.clear()
  }

  checkpoint(): SequencedBookCheckpoint {
    return {
      ladders: this.#isWhole ? this.#book.ladders() : undefined,
      doubt: this.#doubt,
      eventAtMs: this.#eventAtMs,
      receivedAtMs: this.#receivedAtMs,
      provedAtMs: this.#provedAtMs,
      changeCount: this.#changeCount,
      raised: [...this.#raised],
    }
  }

  /** Only the last of the recent states is known then. */
  restore(checkpoint: unknown): void {
    const { ladders, ...own } = checkpoint as SequencedBookCheckpoint
    this.#recent.clear()
    this.#state = undefined
    this.#isWhole = ladders !== undefined
    if (ladders !== undefined) this.#hold(ladders, own.receivedAtMs)
    this.#doubt = own.doubt
    this.#eventAtMs = own.eventAtMs
    this.#receivedAtMs = own.receivedAtMs
    this.#provedAtMs = own.provedAtMs
    this.#changeCount = own.changeCount
    this.#raised = [...own.raised]
  }

  #replace(event: BookEvent, atMs: number): void {
    try {
      this.#hold(event, atMs)
    } catch (error) {
      return this.#raise(error instanceof Error ? error.message : String(error), atMs)
    }
    this.#isWhole = true
    this.#noteChange(event.eventAtMs, atMs)
  }

  #hold(ladders: Ladders, atMs: number): void {
    this.#book.replace(ladders)
    this.#fingerprint = fingerprintOf(ladders)
    this.#recent.add(this.#fingerprint.value, atMs)
  }

  #change({ side, price, sizeChange, eventAtMs }: DeltaEvent, atMs: number): void {
    const before = this.#sizeAt(side, price)
    const size = before + sizeChange
    if (size < 0 || !Number.isSafeInteger(size))
      return this.#raise(`a level of ${before} at ${price} was changed by ${sizeChange}`, atMs)
    if (before > 0) this.#fingerprint.remove(side, { price, size: before })
    if (size > 0) this.#fingerprint.add(side, { price, size })
    this.#book.set(side, price, size)
    this.#recent.add(this.#fingerprint.value, atMs)
    this.#noteChange(eventAtMs, atMs)
  }

  #sizeAt(side: Side, price: number): number {
    const levels = this.#book[side]
    const level: Level | undefined = levels[firstAtOrAbove(levels, price)]
    return level?.price === price ? level.size : 0
  }

  #noteChange(eventAtMs: number, atMs: number): void {
    this.#state = undefined
    if (this.#book.isCrossed) {
      const { bestBid, bestAsk } = this.#book
      return this.#raise(`crossed: bid ${bestBid}, ask ${bestAsk}`, atMs)
    }
    this.#changeCount++
    this.#doubt = undefined
    this.#eventAtMs = eventAtMs
    this.#receivedAtMs = atMs
    this.#provedAtMs = atMs
  }

  #stateNow(): ProvedState {
    const up = this.#book.ladders()
    return {
      up,
      down: mirrorOf(up),
      isUpVerified: true,
      isDownVerified: true,
      eventAtMs: this.#eventAtMs,
      receivedAtMs: this.#receivedAtMs,
    }
  }

  #raise(detail: string, atMs: number): void {
    const doubt: Doubt = { cause: 'impossible_book', detail }
    if (this.#raised.length >= MOST_RAISED) this.#raised.shift()
    this.#raised.push({ ...doubt, provedAtMs: this.#provedAtMs, raisedAtMs: atMs })
    this.distrust(doubt)
  }
}

function fingerprintOf({ bids, asks }: Ladders): Fingerprint {
  const fingerprint = new Fingerprint()
  for (const level of bids) fingerprint.add('bids', level)
  for (const level of asks) fingerprint.add('asks', level)
  return fingerprint
}
