import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR_MS } from '../domain/finished-hour.ts'
import {
  endedIn,
  type PastMarketWrites,
  type PastState,
  type SomeMarkets,
  theseMarkets,
} from '../stores/markets/past-market-writes.ts'
import type { PastMarket } from '../stores/markets/past-markets.ts'

export interface PastMarketWork {
  readonly table: PastMarketWrites
  readonly now: () => number
  readonly failed: (error: unknown) => void
  /** A change becomes visible some time after it was noted; default 60 s. */
  readonly changesAfterMs?: number
}

const DAY_MS = 24 * HOUR_MS
/** Free accounts read 24 hours, and just after midnight the archive may be behind. */
const PAST_AFTER_MS = DAY_MS + HOUR_MS
const LOOK_EVERY_MS = 60_000
const CHANGES_AFTER_MS = 60_000
const MARKETS_AT_ONCE = 1_000
/** The markets of these days are held in memory. */
const DAYS_AT_ONCE = 7

/** Lists the markets that are no longer recorded. Several processes may do it at once: they write the same. */
export async function runPastMarkets(work: PastMarketWork, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await keepPastMarkets(work, signal).catch(work.failed)
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/** Returns how many markets were counted. */
export async function keepPastMarkets(work: PastMarketWork, signal: AbortSignal): Promise<number> {
  const { table, now, changesAfterMs = CHANGES_AFTER_MS } = work
  const { oldestDay, keptFromDay, changesTo } = await table.times(changesAfterMs)
  const before = await table.state()
  if (before === undefined && oldestDay === undefined) return 0
  let state: PastState = before ?? { toDay: oldestDay ?? 0, fromDay: keptFromDay, changesTo }
  const untilDay = Math.floor((now() - PAST_AFTER_MS) / DAY_MS)
  let counted = 0
  while (state.toDay < untilDay) {
    const toDay = Math.min(untilDay, state.toDay + DAYS_AT_ONCE)
    signal.throwIfAborted()
    counted += await keepMarkets(table, endedIn({ fromDay: state.toDay, toDay }), toDay)
    state = { ...state, toDay }
    await table.putState(state)
  }
  if (before === undefined) return counted
  const isLessKept = keptFromDay > before.fromDay
  const others = new Set([
    ...(await table.changed({ fromTime: before.changesTo, toTime: changesTo })),
    ...(await table.resumed(state.toDay)),
    ...(isLessKept ? await table.noLongerWhole(keptFromDay) : []),
  ])
  if (others.size === 0 && keptFromDay === before.fromDay) return counted
  const ids = [...others]
  for (let at = 0; at < ids.length; at += MARKETS_AT_ONCE) {
    signal.throwIfAborted()
    await keepMarkets(table, theseMarkets(ids.slice(at, at + MARKETS_AT_ONCE)), state.toDay)
  }
  await table.putState({ ...state, fromDay: keptFromDay, changesTo })
  return counted + ids.length
}

/** Returns how many of them have rows. */
async function keepMarkets(table: PastMarketWrites, markets: SomeMarkets, toDay: number): Promise<number> {
  const counted = await table.count(markets)
  const listed = await table.listed(markets)
  const past = counted.filter(({ lastSlot, intervalMs }) => lastSlot * intervalMs < toDay * DAY_MS)
  await table.put(without(past, listed))
  await table.put(without(listed, past), { isDeleted: true })
  return counted.length
}

function without(markets: readonly PastMarket[], others: readonly PastMarket[]): PastMarket[] {
  const rows = new Set(others.map((each) => JSON.stringify(each)))
  return markets.filter((each) => !rows.has(JSON.stringify(each)))
}
