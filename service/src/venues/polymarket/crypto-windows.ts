import { COINS, type CoinSymbol } from '../../domain/market.ts'
import { lastHourInNewYork, newYorkTime } from './new-york.ts'

/** A window that the venue should have, with the slugs that its event may have; the likeliest first. */
export interface ExpectedWindow {
  slugs: readonly string[]
  startMs: number
  endMs: number
}

interface Span {
  startMs: number
  endMs: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The current window, the next one and the one after it. */
const WINDOWS_AHEAD = 3
const FOUR_HOUR_MARKS = [0, 4, 8, 12, 16, 20]
const NOON = [12]

/** Names in the slugs of hourly and daily windows. Both spellings of two coins are in use. */
const DATED_NAMES: Readonly<Record<CoinSymbol, readonly string[]>> = {
  BTC: ['bitcoin'],
  ETH: ['ethereum'],
  SOL: ['solana'],
  XRP: ['xrp'],
  DOGE: ['dogecoin', 'doge'],
  BNB: ['bnb'],
  HYPE: ['hyperliquid', 'hype'],
  // Only its shorter windows exist.
  ZEC: [],
}

/** The up/down windows of all coins that are open or come next. The venue creates each about a day before its start. */
export function expectedWindows(nowMs: number): ExpectedWindow[] {
  return [
    ...stampedWindows(
      '5m',
      spansFrom(nowMs, (atMs) => spanOfMinutes(atMs, 5)),
    ),
    ...stampedWindows(
      '15m',
      spansFrom(nowMs, (atMs) => spanOfMinutes(atMs, 15)),
    ),
    ...stampedWindows(
      '4h',
      spansFrom(nowMs, (atMs) => spanOfHours(atMs, FOUR_HOUR_MARKS, 4)),
    ),
    ...datedWindows(
      spansFrom(nowMs, (atMs) => spanOfMinutes(atMs, 60)),
      hourlyEnding,
    ),
    ...datedWindows(
      spansFrom(nowMs, (atMs) => spanOfHours(atMs, NOON, 24)),
      dailyEnding,
    ),
  ]
}

function spansFrom(nowMs: number, spanAt: (atMs: number) => Span): Span[] {
  const spans: Span[] = []
  for (let atMs = nowMs; spans.length < WINDOWS_AHEAD; ) {
    const span = spanAt(atMs)
    spans.push(span)
    atMs = span.endMs
  }
  return spans
}

function spanOfMinutes(atMs: number, minutes: number): Span {
  const startMs = Math.floor(atMs / (minutes * MINUTE_MS)) * minutes * MINUTE_MS
  return { startMs, endMs: startMs + minutes * MINUTE_MS }
}

/** From one of these hours in New York to the next: an hour longer or shorter when daylight saving time changes. */
function spanOfHours(atMs: number, hours: readonly number[], usualHours: number): Span {
  const startMs = lastHourInNewYork(atMs, hours)
  return { startMs, endMs: lastHourInNewYork(startMs + (usualHours + 1) * HOUR_MS, hours) }
}

function stampedWindows(length: string, spans: readonly Span[]): ExpectedWindow[] {
  return spans.flatMap((span) =>
    COINS.map((coin) => ({
      ...span,
      slugs: [`${coin.toLowerCase()}-updown-${length}-${span.startMs / 1_000}`],
    })),
  )
}

function datedWindows(spans: readonly Span[], endingOf: (span: Span) => string): ExpectedWindow[] {
  return spans.flatMap((span) =>
    COINS.map((coin) => ({
      ...span,
      slugs: DATED_NAMES[coin].map((name) => `${name}-up-or-down-${endingOf(span)}`),
    })).filter(({ slugs }) => slugs.length > 0),
  )
}

/** `october-9-2026-4am-et`. When summer time ends, two hours have the same text; the list shows the second one. */
function hourlyEnding({ startMs }: Span): string {
  const { year, month, day, hour } = newYorkTime(startMs)
  return `${month}-${day}-${year}-${hour % 12 === 0 ? 12 : hour % 12}${hour < 12 ? 'am' : 'pm'}-et`
}

/** `on-october-8-2026`: the day on which the window ends. */
function dailyEnding({ endMs }: Span): string {
  const { year, month, day } = newYorkTime(endMs)
  return `on-${month}-${day}-${year}`
}
