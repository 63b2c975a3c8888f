import type { CoinSymbol } from '../domain/market.ts'
import type { ContextFigures } from '../domain/rows/perp-context.ts'
import type { TapeRow } from '../domain/rows/tape-row.ts'
import type { PerpContextEvent, PerpEvent, PerpTradeEvent } from '../venues/perp-events.ts'
import type { Absence } from './gap-ledger.ts'

/** The venue sends contexts every second, also unchanged ones, so they show that the subscriptions of a coin are alive. */
const SILENCE_LIMIT_MS = 5_000
/** After a reconnect the venue repeats the last 30 trades. */
const REMEMBERED_TRADES = 1_000
const REPORT_EVERY_MS = 1_000
const NOT_OPEN: Absence = { cause: 'disconnected', detail: 'the socket of trades and contexts is not open yet' }

interface Followed {
  readonly tradeIds: Set<number>
  figures: string | undefined
  /** When the last context came. */
  signAtMs: number | undefined
  /** Why trades and contexts may be missing now. */
  doubt: Absence | undefined
  /** Doubts that have ended and are not reported. */
  over: Absence[]
  reportedAtMs: number
}

/** Trades and contexts of the perps of one venue: each trade once, each context when it has changed, and when some may be missing. */
export class PerpTape {
  readonly #venue: string
  readonly #nowMs: () => number
  readonly #coins: ReadonlyMap<string, Followed>
  #rows: TapeRow[] = []

  constructor(venue: string, coins: readonly CoinSymbol[], nowMs: () => number) {
    this.#venue = venue
    this.#nowMs = nowMs
    this.#coins = new Map(coins.map((coin) => [coin, { tradeIds: new Set(), ...notFollowed() }]))
  }

  /** Nothing is followed until further notice: what happens until then concerns only the process that records it. */
  pause(): void {
    for (const followed of this.#coins.values()) Object.assign(followed, notFollowed())
    this.#rows = []
  }

  take(event: PerpEvent, receivedAtMs: number): void {
    const followed = this.#coins.get(event.coin)
    if (followed === undefined) return
    if (event.kind === 'trade') this.#takeTrade(followed, event, receivedAtMs)
    else if (event.kind === 'context') this.#takeContext(followed, event, receivedAtMs)
  }

  /** Frames may be missing until the next context of each coin. */
  lost({ cause, detail }: Absence): void {
    for (const followed of this.#coins.values())
      followed.doubt ??= { cause, detail, rightUntilMs: followed.signAtMs ?? this.#nowMs() }
  }

  /** What has come since the last call. */
  takeRows(): TapeRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  /** Times at which trades and contexts of the coin may be missing; a time that goes on is told again every second. */
  takeLosses(coin: string): readonly Absence[] {
    const followed = this.#coins.get(coin)
    if (followed === undefined) return []
    const nowMs = this.#nowMs()
    const ended = followed.over
    followed.over = []
    followed.doubt = this.#doubtAt(followed, nowMs)
    if (followed.doubt === undefined || nowMs - followed.reportedAtMs < REPORT_EVERY_MS) return ended
    followed.reportedAtMs = nowMs
    return [...ended, followed.doubt]
  }

  #doubtAt({ doubt, signAtMs }: Followed, nowMs: number): Absence | undefined {
    if (doubt !== undefined) return { rightUntilMs: nowMs, ...doubt }
    if (signAtMs === undefined || nowMs - signAtMs <= SILENCE_LIMIT_MS) return undefined
    return { cause: 'venue_silent', detail: `no context for ${SILENCE_LIMIT_MS} ms`, rightUntilMs: signAtMs }
  }

  #takeTrade({ tradeIds }: Followed, { coin, trade }: PerpTradeEvent, receivedAtMs: number): void {
    if (tradeIds.has(trade.tradeId)) return
    tradeIds.add(trade.tradeId)
    const [oldest] = tradeIds
    if (tradeIds.size > REMEMBERED_TRADES && oldest !== undefined) tradeIds.delete(oldest)
    this.#rows.push({ kind: 'trade', row: { ...trade, venue: this.#venue, symbol: coin, receivedAtMs } })
  }

  #takeContext(followed: Followed, { coin, figures }: PerpContextEvent, receivedAtMs: number): void {
    followed.signAtMs = receivedAtMs
    if (followed.doubt !== undefined) followed.over.push(followed.doubt)
    followed.doubt = undefined
    const text = textOf(figures)
    if (text === followed.figures) return
    followed.figures = text
    this.#rows.push({ kind: 'context', row: { ...figures, venue: this.#venue, symbol: coin, receivedAtMs } })
  }
}

function notFollowed(): Omit<Followed, 'tradeIds'> {
  return { figures: undefined, signAtMs: undefined, doubt: NOT_OPEN, over: [], reportedAtMs: 0 }
}

function textOf({ book, ...figures }: ContextFigures): string {
  return [...Object.values(figures), ...Object.values(book ?? {})].join(' ')
}
