import { BookreelError } from '@bookreel/sdk'
import type { HeatMapData } from '../../views/heat-map/heat-map-data.ts'
import type { LiveColumnsForm } from '../../views/heat-map/live-columns.ts'
import { newWorker } from '../new-worker.ts'
import { nextRequestMs } from '../next-request.ts'
import { MomentBooks } from './moment-books.ts'
import type { PlayerState } from './player.ts'
import type { ReplayCommand, ReplayFailure, ReplayRange, ReplayStatus, SlotBook, TokenSide } from './replay-messages.ts'
import workerAddress from './replay-worker.ts?worker&url'
import { bookOfColumn, type ShownBook } from './shown-book.ts'
import type { Speed } from './speeds.ts'

/** What the page shows of a playback. A new object for each change. */
export interface PlaybackView {
  readonly state: PlayerState
  readonly atMs: number
  readonly slot: number
  readonly book: ShownBook | undefined
  /** The first time that playing has to fetch; undefined when everything is known. */
  readonly unknownFromMs: number | undefined
  /** What the open replay may still cost; undefined when another one has to be opened. */
  readonly creditsLeft: number | undefined
  readonly failure: ReplayFailure | undefined
  /** Why the exact book of this moment could not be read. */
  readonly bookError: Error | undefined
}

export interface ExactBook extends SlotBook {
  readonly slot: number
}

interface PlaybackOptions {
  readonly intervalMs: number
  /** The row of the slot, or the last one before it. */
  readonly fetchBook: (slot: number, side: TokenSide, signal: AbortSignal) => Promise<ExactBook>
}

interface Shown {
  readonly side: TokenSide
  readonly data: HeatMapData
  readonly level: () => number
}

/** Changes faster than this are shown together: nobody reads more than ten texts in a second. */
const TELL_EVERY_MS = 100
const CALM_TELL_EVERY_MS = 500

/** The playhead of a history page: what it shows at a moment, and playing from there. */
export class Playback {
  /** How many exact books may be requested. */
  booksPerSecond = 1
  readonly #options: PlaybackOptions
  readonly #worker = newWorker(workerAddress)
  readonly #moments: MomentBooks<ExactBook>
  readonly #listeners = new Set<() => void>()
  readonly #moveListeners = new Set<() => void>()
  readonly #tellEveryMs = matchMedia('(prefers-reduced-motion: reduce)').matches ? CALM_TELL_EVERY_MS : TELL_EVERY_MS
  #shown: Shown | undefined
  #slot = 0
  /** The last stored row, and the slot for which it is shown. */
  #exact: { readonly forSlot: number; readonly book: ExactBook } | undefined
  #status: ReplayStatus | undefined
  #bookError: Error | undefined
  #view: PlaybackView
  #timer: ReturnType<typeof setTimeout> | undefined
  #againTimer: ReturnType<typeof setTimeout> | undefined
  #toldAtMs = 0
  #commands = 0

  constructor(options: PlaybackOptions) {
    this.#options = options
    this.#view = this.#viewNow()
    this.#moments = new MomentBooks({
      perSecond: () => this.booksPerSecond,
      fetch: (slot, signal) => options.fetchBook(slot, this.#shown?.side ?? 'up', signal),
      onBook: (slot, book) => this.#arrived(slot, book),
      onError: (slot, error) => {
        // No row within a minute before the slot: a long gap, of which the page tells the cause.
        if (slot !== this.#slot || (error instanceof BookreelError && error.code === 'no_snapshot')) return
        this.#bookError = error
        const againInMs = nextRequestMs(error, false)
        if (againInMs !== false) this.#againTimer = setTimeout(this.retryBook, againInMs)
        this.#tell()
      },
    })
    this.#worker.onmessage = ({ data }: MessageEvent<ReplayStatus>) => this.#heard(data)
    this.#worker.onerror = () => this.#heard({ ...STOPPED, commands: this.#commands, slot: this.#slot })
  }

  get view(): PlaybackView {
    return this.#view
  }

  get atMs(): number {
    return this.#slot * this.#options.intervalMs
  }

  /** Another token or other rings: what was known of moments is of the former token. */
  show(shown: Shown, levels: readonly LiveColumnsForm[]): void {
    this.#shown = shown
    this.#exact = undefined
    this.#moments.clear()
    this.#post({ kind: 'side', side: shown.side, levels })
    this.#tell()
  }

  setRange(range: ReplayRange, atMs: number): void {
    this.#slot = Math.floor(atMs / this.#options.intervalMs)
    this.#post({ kind: 'range', range, slot: this.#slot })
    this.#moved()
  }

  /** Shows what is known of a moment at once. */
  moveTo(atMs: number): void {
    this.#slot = Math.floor(atMs / this.#options.intervalMs)
    this.#post({ kind: 'move', slot: this.#slot })
    this.#moved()
  }

  /** Requests the exact book of the playhead again. */
  readonly retryBook = (): void => {
    clearTimeout(this.#againTimer)
    this.#moments.again()
  }

  play(): void {
    clearTimeout(this.#againTimer)
    this.#moments.close()
    this.#post({ kind: 'play' })
  }

  pause(): void {
    this.#post({ kind: 'pause' })
  }

  setSpeed(speed: Speed): void {
    this.#post({ kind: 'speed', speed })
  }

  close(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#againTimer)
    this.#moments.close()
    this.#worker.terminate()
  }

  /** Called at most ten times a second; for `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called with every movement of the playhead. */
  onMove(listener: () => void): () => void {
    this.#moveListeners.add(listener)
    return () => this.#moveListeners.delete(listener)
  }

  #post(command: ReplayCommand): void {
    this.#commands++
    this.#worker.postMessage(command)
  }

  #heard(status: ReplayStatus): void {
    for (const { level, column } of status.columns) this.#shown?.data.join(level, column)
    if (status.columns.length > 0) this.#shown?.data.changed()
    // Of before the last command: the playhead has been moved since.
    if (status.commands < this.#commands) return
    this.#status = status
    if (status.slot !== this.#slot) {
      this.#slot = status.slot
      for (const listener of this.#moveListeners) listener()
    }
    this.#takeBook(status)
    this.#tell()
  }

  #moved(): void {
    clearTimeout(this.#againTimer)
    this.#bookError = undefined
    for (const listener of this.#moveListeners) listener()
    this.#tell()
  }

  #takeBook({ book, slot, state }: ReplayStatus): void {
    if (book) this.#exact = { forSlot: slot, book: { ...book, slot } }
    else if (state === 'paused') this.#want(slot)
    // In a gap that is played the last book stays.
    else if (book === null && this.#exact !== undefined) this.#exact = { forSlot: slot, book: this.#exact.book }
  }

  /** The book of this slot was not replayed. */
  #want(slot: number): void {
    if (this.#exact?.forSlot === slot) return
    const known = this.#moments.want(slot)
    if (known !== undefined) this.#exact = { forSlot: slot, book: known }
  }

  #arrived(slot: number, book: ExactBook): void {
    if (slot !== this.#slot) return
    this.#exact = { forSlot: slot, book }
    this.#bookError = undefined
    this.#tell()
  }

  #tell(): void {
    if (this.#timer !== undefined) return
    const waitMs = Math.max(0, this.#toldAtMs + this.#tellEveryMs - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#toldAtMs = performance.now()
      this.#view = this.#viewNow()
      for (const listener of this.#listeners) listener()
    }, waitMs)
  }

  #viewNow(): PlaybackView {
    const { intervalMs } = this.#options
    const { state = 'paused', firstUnknown, creditsLeft, failure } = this.#status ?? {}
    return {
      state,
      slot: this.#slot,
      atMs: this.atMs,
      book: this.#bookNow(),
      unknownFromMs: firstUnknown === undefined ? undefined : firstUnknown * intervalMs,
      creditsLeft,
      failure,
      bookError: this.#bookError,
    }
  }

  #bookNow(): ShownBook | undefined {
    if (this.#exact?.forSlot === this.#slot) {
      const { book } = this.#exact
      return { ...book, kind: book.slot === this.#slot ? 'exact' : 'earlier' }
    }
    if (this.#shown === undefined) return undefined
    return bookOfColumn(this.#shown.data, this.#shown.level(), this.atMs)
  }
}

const STOPPED = {
  state: 'paused',
  book: undefined,
  firstUnknown: undefined,
  creditsLeft: undefined,
  columns: [],
  failure: { code: 'internal', message: 'The part of the page that plays has failed. Reload the page.' },
} as const
