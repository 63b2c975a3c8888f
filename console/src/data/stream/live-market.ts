import type { TradeFrame } from '@bookreel/sdk'
import { type HeatGap, HeatMapData } from '../../views/heat-map/heat-map-data.ts'
import type { LiveColumnsForm } from '../../views/heat-map/live-columns.ts'
import { LadderChanges } from '../../views/ladder/ladder-changes.ts'
import { causeName } from '../../words/proof-badges.ts'
import { discOf } from '../disc-of.ts'
import type { FeedBook, FeedEnd, FeedUpdate, FeedWindow } from './feed-messages.ts'

const MOST_TRADES = 200

/** What the tape and the discs need of a trade, live or stored. */
export type ShownTrade = Pick<TradeFrame, 'side' | 'action' | 'price' | 'size'> & {
  readonly atMs: number
  readonly id: string
}

/** Everything that the live view of a market draws. It is no state of React: the views read it when they draw. */
export class LiveMarket {
  readonly map: HeatMapData
  readonly side: 'up' | 'down'
  readonly intervalMs: number
  book: FeedBook | undefined
  readonly changes = new LadderChanges()
  /** Newest first. */
  trades: readonly ShownTrade[] = []
  windows: readonly FeedWindow[]
  skippedFrames = 0
  connection: 'opening' | 'live' | 'lost' | 'ended' = 'opening'
  /** Since when the recorder has no rows, and why. */
  dark: FeedUpdate['dark'] = null
  hasEnded = false
  /** The tier has no streams: the book is requested every few seconds. */
  isPolled = false
  end: FeedEnd | undefined
  /** The book is the last one of before the page was opened; none has come since. */
  isLastKnown = false
  /** When the last book arrived, by the clock of this computer. */
  #bookAtMs = 0
  readonly #listeners = new Set<() => void>()

  constructor(parts: { levels: readonly LiveColumnsForm[]; side: 'up' | 'down'; window: FeedWindow }) {
    this.map = new HeatMapData(parts.levels)
    this.side = parts.side
    this.intervalMs = parts.levels[0]?.intervalMs ?? 1
    this.windows = [parts.window]
  }

  get market(): string {
    return this.windows.at(-1)?.market ?? ''
  }

  apply(update: FeedUpdate, nowMs: number): void {
    for (const { level, column } of update.columns) this.map.join(level, column)
    if (update.gaps.length > 0 || update.rolledTo !== undefined || update.connection === 'lost')
      this.changes.book(undefined, nowMs)
    const trades = update.trades.map(shownTrade)
    for (const trade of trades) this.changes.trade(discOf(trade, this.side), nowMs)
    if (update.book !== undefined) {
      this.book = update.book
      this.isLastKnown = false
      this.#bookAtMs = nowMs
      this.changes.book(update.book, nowMs)
    }
    this.#addTrades(trades)
    this.map.addGaps(
      update.gaps.map(({ fromSlot, toSlot, kind, cause }) => {
        return { fromMs: fromSlot * this.intervalMs, toMs: (toSlot + 1) * this.intervalMs, kind, cause }
      }),
    )
    if (update.rolledTo !== undefined) this.#show([...this.windows, update.rolledTo])
    if (update.connection !== undefined) this.connection = update.connection
    if (update.dark !== undefined) this.dark = update.dark
    // The notice that rows come again may have been sent while the page was not connected.
    if (this.dark !== null && this.dark !== undefined && (this.book?.seq ?? 0) >= this.dark.fromSlot) this.dark = null
    if (update.hasEnded !== undefined) this.hasEnded = update.hasEnded
    this.skippedFrames += update.skippedFrames
    this.#tell(nowMs)
  }

  /** For a page that was opened while the market has no rows: the last book, and why no other one follows. */
  showLast(book: FeedBook | undefined, cause: string | null | undefined, nowMs: number): void {
    if (this.book !== undefined && !this.isLastKnown) return
    if (book !== undefined) {
      this.book = book
      this.isLastKnown = true
      this.#bookAtMs = nowMs
    }
    if (this.book !== undefined && cause !== undefined) this.dark ??= { fromSlot: this.book.seq + 1, cause }
    this.#tell(nowMs)
  }

  /** Trades and gaps of before the page was opened. */
  addPast(trades: readonly ShownTrade[], gaps: readonly HeatGap[], nowMs: number): void {
    this.#addTrades(trades)
    this.map.addGaps(gaps)
    this.#tell(nowMs)
  }

  /** Windows of before the one that is open. */
  addFormerWindows(windows: readonly FeedWindow[]): void {
    const known = new Set(this.windows.map(({ fromMs }) => fromMs))
    const added = windows.filter(({ fromMs }) => !known.has(fromMs))
    this.#show([...added, ...this.windows].toSorted((one, other) => one.fromMs - other.fromMs))
    this.map.changed()
  }

  /** The next window, where no stream tells it. */
  roll(window: FeedWindow, nowMs: number): void {
    this.apply({ columns: [], trades: [], gaps: [], skippedFrames: 0, rolledTo: window, hasEnded: false }, nowMs)
  }

  #addTrades(trades: readonly ShownTrade[]): void {
    if (trades.length === 0) return
    const known = new Set(this.trades.map(({ id }) => id))
    const added = trades.filter(({ id }) => !known.has(id))
    this.trades = [...added, ...this.trades].toSorted((one, other) => other.atMs - one.atMs).slice(0, MOST_TRADES)
    this.map.addTrades(added.map((trade) => discOf(trade, this.side)))
  }

  /** While no update comes, time passes only in a gap: nothing else is drawn again. */
  tick(nowMs: number): void {
    if (this.#isQuiet) this.#tell(nowMs)
  }

  #tell(nowMs: number): void {
    this.map.nowMs = this.#presentMs(nowMs)
    this.map.openGap = this.#openGap()
    this.map.changed()
    for (const listener of this.#listeners) listener()
  }

  ended(end: FeedEnd, nowMs: number): void {
    this.end = end
    this.connection = 'ended'
    this.#tell(nowMs)
  }

  /** Age of the newest book without comparing the clocks of two computers. */
  bookAgeMs(nowMs: number): number {
    if (this.book === undefined) return 0
    return nowMs - this.#bookAtMs + Math.max(0, this.book.sentAt - this.book.capturedAt)
  }

  /** Why no book is recorded now; undefined when one is. */
  get gapCause(): string | null | undefined {
    return this.dark === null || this.dark === undefined ? undefined : this.dark.cause
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** By the clock of the service, as far as it is known: the last book, and what has passed since it arrived. */
  #presentMs(nowMs: number): number {
    if (this.book === undefined) return this.#isQuiet ? nowMs : this.map.nowMs
    const { capturedAt, sentAt } = this.book
    return this.#isQuiet ? Math.max(capturedAt, sentAt) + (nowMs - this.#bookAtMs) : capturedAt + this.intervalMs
  }

  get #isQuiet(): boolean {
    const isCut = this.connection === 'lost' || this.connection === 'ended'
    return isCut || this.gapCause !== undefined || this.isLastKnown
  }

  #openGap(): HeatMapData['openGap'] {
    if (!this.#isQuiet || this.hasEnded) return undefined
    const fromSlot = this.book === undefined ? this.dark?.fromSlot : this.book.seq + 1
    if (fromSlot === undefined || !Number.isFinite(fromSlot)) return undefined
    return { fromMs: fromSlot * this.intervalMs, text: this.#quietText }
  }

  get #quietText(): string {
    if (this.gapCause !== undefined) return `missing: ${causeName(this.gapCause)}`
    return this.isLastKnown ? 'no rows' : 'connection lost'
  }

  #show(windows: readonly FeedWindow[]): void {
    this.windows = windows
    this.map.boundaries = windows.slice(1).map(({ fromMs }) => ({ atMs: fromMs, text: 'next window' }))
  }
}

function shownTrade(frame: TradeFrame): ShownTrade {
  const { side, action, price, size, event_at: atMs } = frame
  return { side, action, price, size, atMs, id: tradeId(frame, atMs) }
}

/** The same for a trade of the stream and of the list of trades. */
export function tradeId(
  trade: Pick<TradeFrame, 'transaction_hash' | 'side' | 'action' | 'price' | 'size' | 'occurrence'>,
  atMs: number,
): string {
  const { transaction_hash: hash, side, action, price, size, occurrence } = trade
  return [hash, side, action, price, size, occurrence, atMs].join(' ')
}
