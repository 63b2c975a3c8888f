import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR_MS } from '../domain/finished-hour.ts'
import type { PastMarketWrites, PastState } from '../stores/markets/past-market-writes.ts'
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
/** The ids of the markets of a month are held in memory. */
const DAYS_AT_ONCE = 31

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
    const ended = await table.ended({ fromDay: state.toDay, toDay })
    state = { ...state, toDay }
    await keepMarkets(table, ended, state, signal)
    await table.putState(state)
    counted += ended.length
  }
  if (before === undefined) return counted
  const isLessKept = keptFromDay > before.fromDay
  const others = new Set([
    ...(await table.changed({ fromTime: before.changesTo, toTime: changesTo })),
    ...(await table.resumed(state.toDay)),
    ...(isLessKept ? await table.noLongerWhole(keptFromDay) : []),
  ])
  if (others.size === 0 && keptFromDay === before.fromDay) return counted
  await keepMarkets(table, [...others], state, signal)
  await table.putState({ ...state, fromDay: keptFromDay, changesTo })
  return counted + others.size
}

async function keepMarkets(
  table: PastMarketWrites,
  marketIds: readonly string[],
  { toDay }: PastState,
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < marketIds.length; at += MARKETS_AT_ONCE) {
    signal.throwIfAborted()
    const some = marketIds.slice(at, at + MARKETS_AT_ONCE)
    const [counted, listed] = await Promise.all([table.count(some), table.listed(some)])
    const past = counted.filter(({ lastSlot, intervalMs }) => lastSlot * intervalMs < toDay * DAY_MS)
    await table.put(without(past, listed))
    await table.put(without(listed, past), { isDeleted: true })
  }
}

function without(markets: readonly PastMarket[], others: readonly PastMarket[]): PastMarket[] {
  const rows = new Set(others.map((each) => JSON.stringify(each)))
  return markets.filter((each) => !rows.has(JSON.stringify(each)))
}
