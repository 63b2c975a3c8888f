import type { Market } from '../../domain/market.ts'
import { decodeBooks } from '../../venues/polymarket/decode.ts'
import { readWinner } from '../../venues/polymarket/resolutions.ts'
import type { BookEvent, VenueEvent } from '../../venues/venue.ts'
import { HttpRefusal } from '../../venues/venue-http.ts'
import { type FieldSocket, isSoWithin, median, pause, seconds } from '../field.ts'
import { BOOK_WITHIN_MS, type Check, openMarketSocket } from './check.ts'
import { WatchedMarket } from './watched-market.ts'

const SETTLE_EVERY_MS = 50
const ASK_RESULTS_EVERY_MS = 3_000
const REFRESH_EVERY_MS = 5_000
const MOST_LAG_MS = 2_000
const LEAST_CHANGES = 10
/** An announcement may come this much later than the result over REST. */
const ANNOUNCED_WITHIN_MS = 2_000
const SLOW_CONSUMER = 1013
/** In a run that is shorter than the limit, so many of them count as no answer. */
const UNANSWERED_PINGS = 3

/** Follows some markets over one socket, as the recorder does, for the whole run. */
export class FollowedSocket {
  readonly markets: ReadonlyMap<string, WatchedMarket>
  readonly #check: Check
  readonly #socket: FieldSocket
  readonly #lagsMs: number[] = []
  readonly #resultSeenAtMs = new Map<string, number>()
  readonly #refreshedAtMs = new Map<string, number>()
  readonly #comparing = new Set<string>()

  constructor(check: Check, stream: string, markets: readonly Market[]) {
    this.#check = check
    this.markets = new Map(markets.map((market) => [market.id, new WatchedMarket(market, check.ledger)]))
    this.#socket = openMarketSocket(
      check,
      stream,
      markets.flatMap(({ tokenIds }) => tokenIds),
      ({ events }, receivedAtMs) => {
        for (const event of events) this.#take(event, receivedAtMs)
      },
      { onLost: () => this.#interrupt() },
    )
  }

  async run(): Promise<void> {
    await Promise.all([this.#noteFirstBooks(), this.#settle(), this.#askResults()])
  }

  #take(event: VenueEvent, receivedAtMs: number): void {
    const { ledger } = this.#check
    const marketId = event.kind === 'trade' ? event.trade.marketId : event.marketId
    const watched = this.markets.get(marketId)
    if (event.kind !== 'created')
      ledger.observe('only-subscribed', watched !== undefined, `${event.kind} of market ${marketId}`)
    if (watched === undefined) return
    if (event.kind === 'change') this.#lagsMs.push(receivedAtMs - event.eventAtMs)
    watched.take(event, receivedAtMs)
  }

  #interrupt(): void {
    for (const watched of this.markets.values()) {
      watched.interrupt()
      this.#refreshedAtMs.set(watched.market.id, Date.now())
    }
  }

  async #noteFirstBooks(): Promise<void> {
    const { run, ledger } = this.#check
    const watched = [...this.markets.values()]
    await isSoWithin(run, BOOK_WITHIN_MS, () => this.#socket.openedAtMs !== undefined)
    const openedAtMs = Date.now()
    const haveAll = await isSoWithin(run, BOOK_WITHIN_MS, () => watched.every(({ awaited }) => awaited.size === 0))
    if (!haveAll && run.signal.aborted) return
    for (const { market, awaited } of watched)
      for (const tokenId of market.tokenIds)
        ledger.observe('first-book', !awaited.has(tokenId), `token ${tokenId} of ${market.slug}`)
    ledger.note('first-book', `the books of the last socket took ${seconds(Date.now() - openedAtMs)}`)
  }

  async #settle(): Promise<void> {
    const { run } = this.#check
    while (!run.signal.aborted) {
      const nowMs = Date.now()
      for (const watched of this.markets.values()) {
        watched.settle(nowMs)
        if (watched.book.isToBeCompared(nowMs)) void this.#compare(watched)
        if (watched.book.doubt !== undefined) this.#refresh(watched, nowMs)
      }
      await pause(run, SETTLE_EVERY_MS)
    }
  }

  #refresh(watched: WatchedMarket, nowMs: number): void {
    const { id, tokenIds } = watched.market
    if (watched.resolved !== undefined || nowMs - (this.#refreshedAtMs.get(id) ?? 0) < REFRESH_EVERY_MS) return
    this.#refreshedAtMs.set(id, nowMs)
    watched.awaited = new Set(tokenIds)
    this.#socket.subscriptions.refresh(tokenIds)
  }

  async #compare(watched: WatchedMarket): Promise<void> {
    const { id, tokenIds } = watched.market
    if (this.#comparing.has(id)) return
    this.#comparing.add(id)
    const books = await fetchBooks(this.#check, tokenIds).catch(() => [])
    this.#comparing.delete(id)
    watched.book.compare(books, Date.now())
  }

  /** A market whose books were emptied, or whose end has passed, may have a result. */
  async #askResults(): Promise<void> {
    const { run } = this.#check
    while (!run.signal.aborted) {
      for (const watched of this.markets.values()) {
        const { id, endsAtMs } = watched.market
        const isDue = endsAtMs < Date.now() || watched.wasEmptied
        if (isDue && !this.#resultSeenAtMs.has(id) && (await this.#hasResult(watched.market)))
          this.#resultSeenAtMs.set(id, Date.now())
      }
      await pause(run, Math.min(ASK_RESULTS_EVERY_MS, run.durationMs / 10))
    }
  }

  async #hasResult({ id, tokenIds }: Market): Promise<boolean> {
    const { clob, run } = this.#check
    try {
      const answer: unknown = JSON.parse(await clob.get(`/markets/${id}`, run.signal))
      return readWinner({ id, tokenIds }, answer, Date.now())?.resolution !== undefined
    } catch {
      return false
    }
  }

  /** At the end of the run. */
  judge(): void {
    const { ledger } = this.#check
    const { openedAtMs, closings, answerDelaysMs, heartbeatEveryMs = 0 } = this.#socket
    if (openedAtMs === undefined) return
    const overload = closings.find(({ closing }) => closing?.code === SLOW_CONSUMER)
    ledger.observe('stays-open', overload === undefined, overload?.detail)
    const hasPinged = Date.now() - openedAtMs > UNANSWERED_PINGS * heartbeatEveryMs + ANNOUNCED_WITHIN_MS
    if (answerDelaysMs.length > 0 || hasPinged)
      ledger.observe('heartbeat', answerDelaysMs.length > 0, `no answer in ${seconds(Date.now() - openedAtMs)}`)
    this.#judgeLag()
    this.#judgeResults()
  }

  get answerDelaysMs(): readonly number[] {
    return this.#socket.answerDelaysMs
  }

  #judgeLag(): void {
    const { ledger } = this.#check
    const lagMs = median(this.#lagsMs)
    if (lagMs === undefined || this.#lagsMs.length < LEAST_CHANGES) return
    ledger.observe('frames-on-time', Math.abs(lagMs) <= MOST_LAG_MS, `half of the changes came ${seconds(lagMs)} late`)
    ledger.note('frames-on-time', `median of the last socket ${seconds(lagMs)}`)
  }

  #judgeResults(): void {
    const { ledger, rules } = this.#check
    const watched = [...this.markets.values()]
    for (const { market, resolved } of watched) {
      const seenAtMs = this.#resultSeenAtMs.get(market.id)
      const winner = resolved?.winningTokenId
      if (resolved !== undefined)
        ledger.observe('resolution-event', winner !== undefined && market.tokenIds.includes(winner), market.slug)
      else if (seenAtMs !== undefined && Date.now() - seenAtMs > ANNOUNCED_WITHIN_MS)
        ledger.observe('resolution-event', false, `${market.slug} has a result, and no market_resolved came`)
    }
    const { closings } = this.#socket
    const areResolved = watched.every(({ market, resolved }) => resolved ?? this.#resultSeenAtMs.has(market.id))
    if (!areResolved || closings.length === 0) return
    const isKnown = closings.some(({ closing }) => closing && rules.meaningOf(closing) === 'all_resolved')
    ledger.observe('close-when-resolved', isKnown, closings.map(({ detail }) => detail).join(', '))
  }
}

export async function fetchBooks({ clob, run }: Check, tokenIds: readonly string[]): Promise<readonly BookEvent[]> {
  const body = tokenIds.map((token_id) => ({ token_id }))
  return decodeBooks(await clob.post('/books', body, run.signal)).events
}

/** Compares REST books with the states of the sockets, again and again. */
export async function checkRestBooks(check: Check, sockets: readonly FollowedSocket[]): Promise<void> {
  const { run, ledger } = check
  const everyMs = Math.min(COMPARE_EVERY_MS, run.durationMs / 10)
  const watched = sockets.flatMap(({ markets }) => [...markets.values()]).slice(0, MOST_COMPARED)
  await isSoWithin(run, BOOK_WITHIN_MS, () => watched.every(({ awaited }) => awaited.size === 0))
  await checkUnknownToken(check, watched[0]?.market)
  while (!run.signal.aborted) {
    const ready = watched.filter(({ awaited, book }) => awaited.size === 0 && book.doubt === undefined)
    const askedAtMs = Date.now()
    const books = await fetchBooks(
      check,
      ready.map(({ market }) => market.tokenIds[0]),
    ).catch(() => [])
    for (const book of books) {
      const market = ready.find(({ market }) => market.id === book.marketId)
      if (market === undefined) continue
      const { interruptions } = market
      void isSoWithin(run, REACHED_WITHIN_MS, () => market.hadState(book, askedAtMs - REACHED_WITHIN_MS)).then(
        (isReached) => {
          const isSteady = market.book.doubt === undefined && market.interruptions === interruptions
          const isJudged = isReached || (!run.signal.aborted && isSteady)
          if (isJudged) ledger.observe('rest-book', isReached, `hash ${book.hash} of ${market.market.slug}`)
        },
      )
    }
    await pause(run, everyMs)
  }
}

const REACHED_WITHIN_MS = 2_000
const COMPARE_EVERY_MS = 5_000
const MOST_COMPARED = 20
const UNKNOWN_TOKEN = '1'

async function checkUnknownToken(check: Check, market: Market | undefined): Promise<void> {
  if (market === undefined) return
  const { ledger, run } = check
  const [known] = market.tokenIds
  try {
    const books = await fetchBooks(check, [known, UNKNOWN_TOKEN])
    const isSo = books.length === 1 && books[0]?.tokenId === known
    ledger.observe('rest-unknown-token', isSo, `${books.length} books for one known and one unknown token`)
  } catch (error) {
    if (run.signal.aborted) return
    const status = error instanceof HttpRefusal ? ` (status ${error.status})` : ''
    ledger.observe('rest-unknown-token', false, `the request failed${status}`)
  }
}
