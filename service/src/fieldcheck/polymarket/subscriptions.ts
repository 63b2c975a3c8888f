import type { Market } from '../../domain/market.ts'
import { subscribeFrames } from '../../venues/polymarket/socket-rules.ts'
import { isSoWithin, pause } from '../field.ts'
import { BOOK_WITHIN_MS, bookTokens, type Check, hasFirstBooks, openMarketSocket } from './check.ts'

const NOTICE_WITHIN_MS = 3_000
const STOPS_WITHIN_MS = 2_000
/** A busy market changes about twice a second. */
const WATCHED_FOR_MS = 6_000
/** Unfiltered announcements of new markets come about once a second. */
const CUSTOM_WITHIN_MS = 30_000
const CUSTOM_GONE_AFTER_MS = 1_000
const CUSTOM_WATCHED_FOR_MS = 4_000
const MOST_TOKENS = 500

/** Further subscribes, repeated ones, subscribing again and unsubscribing, one after the other on one socket. */
export async function checkSubscribing(check: Check, quiet: Market, busy: Market): Promise<void> {
  const { run, ledger } = check
  const books = new Set<string>()
  let busyChangeAtMs = 0
  const socket = openMarketSocket(
    check,
    'subscriptions',
    quiet.tokenIds,
    ({ events }, receivedAtMs) => {
      for (const token of bookTokens(events)) books.add(token)
      if (events.some((event) => event.kind === 'change' && event.marketId === busy.id)) busyChangeAtMs = receivedAtMs
    },
    // Each subscribe after the first is sent twice: the second one names tokens that the socket has.
    {
      subscribeFrames: (ids, isFirst) => [
        ...subscribeFrames(ids, isFirst),
        ...(isFirst ? [] : subscribeFrames(ids, isFirst)),
      ],
    },
  )
  const haveCome = (tokens: readonly string[]) => () => tokens.every((token) => books.has(token))
  const isUndecided = (): boolean => run.signal.aborted || socket.wasLost
  if (!(await isSoWithin(run, 2 * BOOK_WITHIN_MS, haveCome(quiet.tokenIds)))) return

  socket.subscriptions.add(busy.tokenIds)
  const hasAdded = await isSoWithin(run, BOOK_WITHIN_MS, haveCome(busy.tokenIds))
  if (!hasAdded && isUndecided()) return
  for (const token of busy.tokenIds) ledger.observe('further-subscribe', books.has(token), `token ${token}`)
  if (!hasAdded) return

  const wasNoticed = await isSoWithin(run, NOTICE_WITHIN_MS, () => socket.notices.length > 0)
  if (!wasNoticed && isUndecided()) return
  const notice = socket.notices[0]?.text ?? 'no answer'
  ledger.observe('repeated-subscribe', notice === check.rules.nothingNew, notice)

  for (const token of busy.tokenIds) books.delete(token)
  socket.subscriptions.refresh(busy.tokenIds)
  const hasAgain = await isSoWithin(run, BOOK_WITHIN_MS, haveCome(busy.tokenIds))
  if (!hasAgain && isUndecided()) return
  for (const token of busy.tokenIds) ledger.observe('subscribe-again', books.has(token), `token ${token}`)

  socket.subscriptions.remove(busy.tokenIds)
  await pause(run, STOPS_WITHIN_MS)
  const fromMs = Date.now()
  const isStillChanging = await isSoWithin(run, WATCHED_FOR_MS, () => busyChangeAtMs >= fromMs)
  if (!isUndecided())
    ledger.observe('unsubscribe', !isStillChanging, `${busy.slug} still changes after its unsubscribe`)
  await socket.close()
}

/** Custom events follow the last subscribe of a socket. */
export async function checkCustomEvents(check: Check, first: Market, second: Market): Promise<void> {
  const { run, ledger } = check
  const books = new Set<string>()
  let customAtMs: number | undefined
  const socket = openMarketSocket(
    check,
    'custom events',
    first.tokenIds,
    ({ events, isCustom }, receivedAtMs) => {
      for (const token of bookTokens(events)) books.add(token)
      if (isCustom) customAtMs = receivedAtMs
    },
    {
      subscribeFrames: (ids, isFirst) =>
        subscribeFrames(ids, isFirst).map((frame) =>
          isFirst ? frame : JSON.stringify({ ...JSON.parse(frame), custom_feature_enabled: undefined }),
        ),
    },
  )
  const limitMs = Math.min(CUSTOM_WITHIN_MS, Math.max(2 * BOOK_WITHIN_MS, run.durationMs / 2))
  const hasCustom = await isSoWithin(run, limitMs, () => customAtMs !== undefined)
  if (!hasCustom && (run.signal.aborted || socket.wasLost)) return
  if (socket.openedAtMs !== undefined) ledger.observe('custom-events', hasCustom, `none in ${limitMs} ms`)
  if (!hasCustom) return

  socket.subscriptions.add(second.tokenIds)
  if (!(await isSoWithin(run, BOOK_WITHIN_MS, () => second.tokenIds.every((token) => books.has(token))))) return
  await pause(run, CUSTOM_GONE_AFTER_MS)
  const fromMs = Date.now()
  await pause(run, CUSTOM_WATCHED_FOR_MS)
  const areGone = (customAtMs ?? 0) < fromMs
  if (!run.signal.aborted && !socket.wasLost)
    ledger.observe('custom-events-last', areGone, 'custom events still come after a subscribe without the flag')
  await socket.close()
}

/** One frame with as many tokens as the recorder names in one. */
export async function checkManyTokens(check: Check, markets: readonly Market[]): Promise<void> {
  const { run, ledger } = check
  const tokens = [...new Set(markets.flatMap(({ tokenIds }) => tokenIds))].slice(0, MOST_TOKENS)
  if (tokens.length === 0) return
  // Five hundred books are more than a megabyte.
  const limitMs = Math.min(2 * BOOK_WITHIN_MS, Math.max(BOOK_WITHIN_MS, run.durationMs / 3))
  const books = new Set<string>()
  const socket = openMarketSocket(check, 'many tokens', tokens, ({ events }) => {
    for (const token of bookTokens(events)) books.add(token)
  })
  const haveAll = await isSoWithin(run, limitMs, () => tokens.every((token) => books.has(token)))
  const isUndecided = run.signal.aborted || socket.wasLost || !hasFirstBooks(check)
  if (haveAll || !isUndecided)
    for (const token of tokens) ledger.observe('tokens-per-frame', books.has(token), `no book of token ${token}`)
  if (tokens.length < MOST_TOKENS) ledger.note('tokens-per-frame', `only ${tokens.length} tokens were listed`)
  await socket.close()
}
