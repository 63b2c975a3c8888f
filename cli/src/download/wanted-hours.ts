import type { Bookreel } from '@bookreel/sdk'
import { WrongUse } from '../exit-codes.ts'
import { findMarket, readReference, venueOf } from '../market-reference.ts'
import { noteOtherWindow } from '../other-window.ts'
import { hoursBetween } from './hours.ts'
import { inParallel } from './in-parallel.ts'

export interface Range {
  readonly fromMs: number
  readonly toMs: number
}

/** One hour of one market. */
export interface MarketHour {
  readonly market: string
  readonly hourMs: number
}

/** Hours of the range in which the selected markets were recorded, without duplicates, sorted. */
export async function wantedHours(
  client: Bookreel,
  markets: readonly string[],
  range: Range,
  parallel: number,
  note: (text: string) => void,
): Promise<MarketHour[]> {
  const hours = new Map<string, MarketHour>()
  await inParallel(markets, parallel, async (text) => {
    for (const { market, fromMs, toMs } of await recordedRanges(client, text, range, note)) {
      for (const hourMs of hoursBetween(fromMs, toMs)) hours.set(`${market} ${hourMs}`, { market, hourMs })
    }
  })
  return [...hours.values()].toSorted(inOrder)
}

export function inOrder(one: MarketHour, other: MarketHour): number {
  if (one.market !== other.market) return one.market < other.market ? -1 : 1
  return one.hourMs - other.hourMs
}

/** A coin and timeframe, or a category, select all their markets in the range. */
async function recordedRanges(
  client: Bookreel,
  text: string,
  range: Range,
  note: (text: string) => void,
): Promise<(Range & { market: string })[]> {
  const reference = readReference(text)
  if (reference.kind === 'perp')
    throw new WrongUse('download supports prediction markets only; there are no files of perpetual futures.')
  if (reference.kind === 'window' || reference.kind === 'category') {
    const filter =
      reference.kind === 'window'
        ? { crypto: reference.coin, timeframe: reference.timeframe }
        : { category: reference.category }
    const found: (Range & { market: string })[] = []
    for await (const entry of client.markets.allRecent({ ...filter, ...venueOf(reference), since: range.fromMs })) {
      const [firstMs, lastMs] = [Date.parse(entry.first_seen), Date.parse(entry.last_seen)]
      const [fromMs, toMs] = [Math.max(range.fromMs, firstMs), Math.min(range.toMs, lastMs + 1)]
      if (fromMs < toMs) found.push({ market: entry.market_id, fromMs, toMs })
    }
    return found
  }
  const { id } = await findMarket(client, text, noteOtherWindow({ note }))
  const { from, to } = await client.history.gaps(id, { from: range.fromMs, to: range.toMs, limit: 1 })
  return from === null || to === null ? [] : [{ market: id, fromMs: Date.parse(from), toMs: Date.parse(to) }]
}
