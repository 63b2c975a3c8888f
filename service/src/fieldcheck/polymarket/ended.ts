import type { Market } from '../../domain/market.ts'
import { expectedWindows } from '../../venues/polymarket/crypto-windows.ts'
import { GammaMarketSchema } from '../../venues/polymarket/gamma.ts'
import { fetchEvent } from '../../venues/polymarket/list-events.ts'
import { readMarket } from '../../venues/polymarket/listed-market.ts'
import { fetchEndings, readWinner } from '../../venues/polymarket/resolutions.ts'
import { fetchWindowPrices } from '../../venues/polymarket/window-prices.ts'
import { isSoWithin, pause } from '../field.ts'
import { BOOK_WITHIN_MS, bookTokens, type Check, hasFirstBooks, openMarketSocket } from './check.ts'
import { planOf } from './windows.ts'

const MINUTE_MS = 60_000
/** Results, and the prices of a window, are shown some minutes after its end. */
const ENDED_BEFORE_MS = 10 * MINUTE_MS
const ENDED_AFTER_MS = 40 * MINUTE_MS
const SHORT_WINDOW = /^(?:btc|eth|sol)-updown-(?:5m|15m)-/
const MOST_WINDOWS = 12
const WATCHED_FOR_MS = 2_000

/** What REST and sockets say about windows that ended some time ago. */
export async function checkEnded(check: Check, live: Market): Promise<void> {
  const windows = await endedWindows(check)
  if (windows.length === 0) return
  await checkResults(check, windows)
  for (const window of windows) await checkPrices(check, window)
  await checkSettledTokens(check, windows.slice(0, 2), live)
}

async function endedWindows({ gamma, run }: Check): Promise<Market[]> {
  const nowMs = Date.now()
  const slugs = new Set<string>()
  for (let atMs = nowMs; atMs > nowMs - ENDED_AFTER_MS; atMs -= 5 * MINUTE_MS)
    for (const {
      slugs: [slug = ''],
      endMs,
    } of expectedWindows(atMs))
      if (SHORT_WINDOW.test(slug) && endMs <= nowMs - ENDED_BEFORE_MS && endMs > nowMs - ENDED_AFTER_MS) slugs.add(slug)
  const found: Market[] = []
  for (const slug of [...slugs].slice(0, MOST_WINDOWS)) {
    const event = await fetchEvent(gamma, slug, run.signal, () => {})
    const { data } = GammaMarketSchema.safeParse(event?.markets[0])
    // A closed market is not followed, but it is described in the same way.
    const market =
      event === undefined || data === undefined
        ? 'invalid'
        : readMarket(event, { ...data, closed: false }, planOf('crypto'))
    if (typeof market !== 'string') found.push(market)
  }
  return found
}

async function checkResults({ gamma, clob, run, ledger }: Check, windows: readonly Market[]): Promise<void> {
  // Without token ids, only the catalogue is asked.
  const asked = windows.map(({ id }) => ({ id }))
  const endings = await fetchEndings({ gamma, clob, onProblem: () => {} }, asked, Date.now(), run.signal)
  for (const { id, tokenIds, slug } of windows) {
    const listed = endings.find(({ marketId }) => marketId === id)?.resolution
    ledger.observe('result-in-catalogue', listed !== undefined, slug)
    const answer = await clob.get(`/markets/${id}`, run.signal).catch(() => undefined)
    if (run.signal.aborted) return
    const marked =
      answer === undefined ? undefined : readWinner({ id, tokenIds }, JSON.parse(answer), Date.now())?.resolution
    const isSame = marked !== undefined && (listed === undefined || listed.winner === marked.winner)
    ledger.observe('result-in-clob', isSame, answer ?? `no answer about ${slug}`)
  }
}

async function checkPrices({ gamma, run, ledger }: Check, { eventSlug }: Market): Promise<void> {
  const { start, end } = await fetchWindowPrices(gamma, eventSlug, run.signal)
  ledger.observe('window-prices', start !== undefined && end !== undefined, `${eventSlug}: ${start}, ${end}`)
}

async function checkSettledTokens(check: Check, settled: readonly Market[], live: Market): Promise<void> {
  const { run, ledger } = check
  const settledTokens = settled.flatMap(({ tokenIds }) => tokenIds)
  const books = new Set<string>()
  const socket = openMarketSocket(check, 'settled tokens', [...settledTokens, ...live.tokenIds], ({ events }) => {
    for (const token of bookTokens(events)) books.add(token)
  })
  const hasLive = await isSoWithin(run, BOOK_WITHIN_MS, () => live.tokenIds.every((token) => books.has(token)))
  await pause(run, WATCHED_FOR_MS)
  if (!run.signal.aborted && (hasLive || hasFirstBooks(check))) {
    const hasSettled = settledTokens.some((token) => books.has(token))
    const isOpen = !socket.wasLost
    const detail = `books of live tokens: ${hasLive}, of settled tokens: ${hasSettled}, socket open: ${isOpen}`
    ledger.observe('settled-token', hasLive && !hasSettled && isOpen, detail)
  }
  await socket.close()
}
