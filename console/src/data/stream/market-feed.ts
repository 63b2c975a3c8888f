import { BookKeeper, type KeptMarket, type StreamEvent, type TradeFrame } from '@bookreel/sdk'
import type { HeatColumn } from '../../views/heat-map/heat-column.ts'
import { LiveColumns } from '../../views/heat-map/live-columns.ts'
import type { FeedBook, FeedGap, FeedRequest, FeedUpdate, FeedWindow } from './feed-messages.ts'

/** Of single values the newest state since the last update. */
type News = Omit<FeedUpdate, 'columns' | 'trades' | 'gaps' | 'skippedFrames' | 'book'>

/**
 * Turns the events of a stream or a replay into what a page draws. Pages draw less often than events arrive: of a
 * column and of the book the newest state is kept, and nothing else is left out.
 */
export class MarketFeed {
  readonly #side: FeedRequest['side']
  readonly #levels: readonly LiveColumns[]
  readonly #intervalMs: number
  readonly #keeper = new BookKeeper()
  readonly #columns = new Map<string, { level: number; column: HeatColumn }>()
  #windows: readonly FeedWindow[]
  #book: KeptMarket | undefined
  #trades: TradeFrame[] = []
  #gaps: FeedGap[] = []
  #skippedFrames = 0
  #news: News = {}
  #hasNews = false

  constructor({ side, levels, window }: Omit<FeedRequest, 'selector'>) {
    this.#side = side
    this.#levels = levels.map((form) => new LiveColumns(form))
    this.#intervalMs = levels[0]?.intervalMs ?? 1
    this.#windows = [window]
  }

  apply(event: StreamEvent): void {
    const changed = this.#keeper.apply(event)
    this.#hasNews = true
    switch (event.type) {
      case 'snapshot':
      case 'delta':
        if (changed !== undefined) this.#drawBook(changed)
        break
      case 'trade':
        if ('token' in event) this.#trades.push(event)
        break
      case 'gap':
        if (event.channel === 'book') this.#drawGap(event)
        break
      case 'skipped':
        if (event.channel === 'book') this.#skippedFrames += event.frames
        break
      case 'rolled':
        this.#roll(event.market, event.at)
        break
      case 'settled':
      case 'resolved':
        if (event.market === this.#current.market) this.#tell({ hasEnded: true })
        break
      case 'dark':
        if (event.market === this.#current.market)
          this.#darken(event.since_seq ?? Number.POSITIVE_INFINITY, event.cause ?? null)
        break
      case 'live':
        if (event.market === this.#current.market) this.#tell({ dark: null })
        break
      case 'connected':
      case 'reconnected':
        this.#tell({ connection: 'live' })
        this.#compare(event)
        break
      case 'disconnected':
        this.#tell({ connection: 'lost' })
        break
      default:
    }
  }

  /** Undefined when nothing has changed. */
  take(): FeedUpdate | undefined {
    if (!this.#hasNews) return undefined
    const update: FeedUpdate = {
      columns: [...this.#columns.values()],
      ...(this.#book && { book: bookOf(this.#book, this.#side) }),
      trades: this.#trades,
      gaps: this.#gaps,
      skippedFrames: this.#skippedFrames,
      ...this.#news,
    }
    this.#columns.clear()
    this.#book = undefined
    this.#trades = []
    this.#gaps = []
    this.#skippedFrames = 0
    this.#news = {}
    this.#hasNews = false
    return update
  }

  get #current(): FeedWindow {
    const current = this.#windows.at(-1)
    if (current === undefined) throw new Error('A feed has a window from its beginning.')
    return current
  }

  #tell(news: News): void {
    this.#news = { ...this.#news, ...news }
  }

  #darken(fromSlot: number, cause: string | null): void {
    this.#tell({ dark: { fromSlot, cause } })
  }

  /** The window may have ended before the stream began, or during an interruption. */
  #compare({ accepted, at }: Extract<StreamEvent, { type: 'connected' | 'reconnected' }>): void {
    const markets = accepted.filter(({ channel }) => channel === 'book').flatMap((each) => each.markets)
    const newest = markets.at(-1)
    if (newest !== undefined && !markets.includes(this.#current.market)) this.#roll(newest, at)
  }

  /** The next window begins where the last one ends; rows of the last one may still arrive. */
  #roll(market: string, atMs: number): void {
    const { market: former, fromMs, toMs } = this.#current
    if (former === market || !Number.isFinite(toMs - fromMs)) return
    const lengthMs = toMs - fromMs
    const missed = Math.max(0, Math.floor((atMs - toMs) / lengthMs))
    const startMs = toMs + missed * lengthMs
    const next = { market, fromMs: startMs, toMs: startMs + lengthMs }
    this.#windows = [...this.#windows.slice(-1), next]
    this.#tell({ rolledTo: next, dark: null, hasEnded: false })
  }

  /** The market whose row of this slot is drawn. */
  #isDrawn(market: string, slot: number): boolean {
    const atMs = slot * this.#intervalMs
    return this.#windows.some((window) => window.market === market && atMs >= window.fromMs && atMs < window.toMs)
  }

  #drawBook(changed: KeptMarket): void {
    if (!this.#isDrawn(changed.market, changed.seq)) return
    if (changed.market === this.#current.market) this.#book = changed
    const { bids, asks } = changed[this.#side]
    for (const [level, columns] of this.#levels.entries()) this.#note(level, columns.book(changed.seq, { bids, asks }))
  }

  #drawGap({ market, from_seq, to_seq, kind, cause }: Extract<StreamEvent, { type: 'gap' }>): void {
    const window = this.#windows.find((each) => each.market === market)
    if (window === undefined) return
    const fromSlot = Math.max(from_seq, Math.ceil(window.fromMs / this.#intervalMs))
    const toSlot = Math.min(to_seq, Math.ceil(window.toMs / this.#intervalMs) - 1)
    if (fromSlot > toSlot) return
    this.#gaps.push({ fromSlot, toSlot, kind, cause })
    for (const [level, columns] of this.#levels.entries())
      for (const column of columns.gap(fromSlot, toSlot, kind)) this.#note(level, column)
  }

  #note(level: number, column: HeatColumn): void {
    this.#columns.set(`${level} ${column.number}`, { level, column })
  }
}

function bookOf({ market, frame, up, down }: KeptMarket, side: FeedRequest['side']): FeedBook {
  const { bids, asks } = side === 'up' ? up : down
  return {
    market,
    seq: frame.seq,
    bids,
    asks,
    ...(up.mid !== undefined && { upMid: up.mid }),
    ...(down.mid !== undefined && { downMid: down.mid }),
    flags: frame.flags,
    proof: frame.proof,
    eventAt: frame.event_at,
    receivedAt: frame.received_at,
    capturedAt: frame.captured_at,
    sentAt: frame.sent_at,
  }
}
