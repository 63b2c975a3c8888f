import { createHash } from 'node:crypto'
import type { Level } from '@bookreel/simulator/world/book'
import type { Market } from '@bookreel/simulator/world/market'
import { World, type WorldOptions } from '@bookreel/simulator/world/world'
import type { ClickHouseClient } from '@clickhouse/client'

/** The simulator counts 0.01 shares. */
const UNITS_PER_SIZE = 10_000
const STEP_MS = 1_000
/** A window is listed this long after it was created. */
const LISTED_AFTER_MS = 60_000

/** Distinct books that the store has of a market at one venue time, and how many rows have each. */
export interface StoredBook {
  readonly market: string
  readonly eventMs: number
  readonly digest: string
  readonly isVerified: boolean
  readonly rows: number
}

export interface WrongRows {
  readonly verified: number
  readonly unverified: number
  readonly examples: readonly StoredBook[]
}

/** Only the digest of each book leaves ClickHouse: an hour of a thousand markets is too much to read whole. */
export async function storedBooks(clickhouse: ClickHouseClient, fromMs: number, toMs: number): Promise<StoredBook[]> {
  const answer = await clickhouse.query({
    query: `SELECT concat('0x', lower(hex(market_id))) AS market, toUnixTimestamp64Milli(event_at) AS eventMs,
        lower(hex(SHA1(concat(toString(up_bid_prices), toString(up_bid_sizes), toString(up_ask_prices), toString(up_ask_sizes))))) AS digest,
        bitAnd(flags, 3) = 3 AS isVerified, count() AS rows
      FROM snapshots
      WHERE slot_at >= fromUnixTimestamp64Milli({fromMs:Int64}) AND slot_at < fromUnixTimestamp64Milli({toMs:Int64})
      GROUP BY market, eventMs, digest, isVerified`,
    query_params: { fromMs, toMs },
    format: 'JSONEachRow',
  })
  const rows = await answer.json<Record<keyof StoredBook, string | number>>()
  return rows.map(({ market, eventMs, digest, isVerified, rows: count }) => ({
    market: String(market),
    eventMs: Number(eventMs),
    digest: String(digest),
    isVerified: Number(isVerified) === 1,
    rows: Number(count),
  }))
}

/** Runs the world again and counts the rows whose book it never had at the row's venue time. */
export function wrongRows(stored: readonly StoredBook[], options: WorldOptions, toMs: number): WrongRows {
  const wanted = new Map<string, StoredBook[]>()
  for (const book of stored) {
    const key = `${book.market} ${book.eventMs}`
    wanted.set(key, [...(wanted.get(key) ?? []), book])
  }
  const wrong = new Set(stored)
  const note = (market: Market): void => {
    const books = wanted.get(`${market.conditionId} ${market.changedAtMs}`)
    if (books === undefined) return
    const digest = digestOf(market)
    for (const book of books) if (book.digest === digest) wrong.delete(book)
  }
  const world = new World(options, ({ kind, market }) => {
    if (kind === 'created') world.after(LISTED_AFTER_MS, () => note(market))
    else note(market)
  })
  for (const market of world.markets.values()) note(market)
  for (let atMs = options.startMs; atMs < toMs; atMs += STEP_MS) world.advance(Math.min(toMs, atMs + STEP_MS))
  const rowsOf = (isVerified: boolean): number =>
    [...wrong].filter((book) => book.isVerified === isVerified).reduce((sum, { rows }) => sum + rows, 0)
  return { verified: rowsOf(true), unverified: rowsOf(false), examples: [...wrong].slice(0, 20) }
}

function digestOf({ book }: Market): string {
  const prices = (levels: readonly Level[]): string => `[${levels.map(({ price }) => price).join(',')}]`
  const sizes = (levels: readonly Level[]): string =>
    `[${levels.map(({ size }) => BigInt(size) * BigInt(UNITS_PER_SIZE)).join(',')}]`
  const bids = book.bids.toReversed()
  const text = prices(bids) + sizes(bids) + prices(book.asks) + sizes(book.asks)
  return createHash('sha1').update(text).digest('hex')
}
