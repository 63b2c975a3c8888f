import { createHash } from 'node:crypto'
import type { Level } from '@bookreel/simulator/world/book'
import type { Market } from '@bookreel/simulator/world/market'
import { World, type WorldOptions } from '@bookreel/simulator/world/world'
import type { ClickHouseClient } from '@clickhouse/client'
import type { Range } from '../recorded-range.ts'

/** The simulator counts 0.01 shares. */
const UNITS_PER_SIZE = 10_000
const STEP_MS = 1_000
const DIGEST_LENGTH = 16
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

interface WrongRows {
  readonly verified: number
  readonly unverified: number
  readonly examples: readonly StoredBook[]
}

export interface Comparison {
  readonly wrong: WrongRows
  /** By condition id. */
  readonly resolvedAtMs: ReadonlyMap<string, number>
}

/** `time`: the venue's of the book, or that of its slot. Only a digest of each book leaves ClickHouse, row by row: an hour of a thousand markets is too much to read whole. */
export async function storedBooks(
  clickhouse: ClickHouseClient,
  { fromMs, toMs }: Range,
  time: 'event_at' | 'slot_at' = 'event_at',
): Promise<StoredBook[]> {
  const answer = await clickhouse.query({
    query: `SELECT concat('0x', lower(hex(market_id))) AS market, toUnixTimestamp64Milli(${time}) AS eventMs,
        lower(hex(SHA1(concat(toString(up_bid_prices), toString(up_bid_sizes), toString(up_ask_prices), toString(up_ask_sizes))))) AS digest,
        bitAnd(flags, 3) = 3 AS isVerified, count() AS rows
      FROM snapshots
      WHERE slot_at >= fromUnixTimestamp64Milli({fromMs:Int64}) AND slot_at < fromUnixTimestamp64Milli({toMs:Int64})
      GROUP BY market, eventMs, digest, isVerified`,
    query_params: { fromMs, toMs },
    format: 'JSONEachRow',
  })
  const books: StoredBook[] = []
  for await (const part of answer.stream<Record<keyof StoredBook, string | number>>()) {
    for (const row of part) {
      const { market, eventMs, digest, isVerified, rows } = row.json()
      books.push({
        market: String(market),
        eventMs: Number(eventMs),
        digest: String(digest).slice(0, DIGEST_LENGTH),
        isVerified: Number(isVerified) === 1,
        rows: Number(rows),
      })
    }
  }
  return books
}

/** Runs the world again: counts the rows whose book it never had at the row's venue time, and notes resolutions. */
export function compareWithWorld(stored: readonly StoredBook[], options: WorldOptions, toMs: number): Comparison {
  const wanted = new Map<string, Map<number, StoredBook[]>>()
  for (const book of stored) {
    const times = wanted.get(book.market) ?? new Map<number, StoredBook[]>()
    wanted.set(book.market, times)
    times.set(book.eventMs, [...(times.get(book.eventMs) ?? []), book])
  }
  const wrong = new Set(stored)
  const resolvedAtMs = new Map<string, number>()
  const note = (market: Market): void => {
    const books = wanted.get(market.conditionId)?.get(market.changedAtMs)
    if (books === undefined) return
    const digest = digestOf(market.book)
    for (const book of books) if (book.digest === digest) wrong.delete(book)
  }
  const world = new World(options, ({ kind, market }) => {
    if (kind === 'resolved') resolvedAtMs.set(market.conditionId, world.nowMs)
    if (kind === 'created') world.after(LISTED_AFTER_MS, () => note(market))
    else note(market)
  })
  for (const market of world.markets.values()) note(market)
  for (let atMs = options.startMs; atMs < toMs; atMs += STEP_MS) world.advance(Math.min(toMs, atMs + STEP_MS))
  const rowsOf = (isVerified: boolean): number =>
    [...wrong].filter((book) => book.isVerified === isVerified).reduce((sum, { rows }) => sum + rows, 0)
  const examples = [...wrong].slice(0, 20)
  return { wrong: { verified: rowsOf(true), unverified: rowsOf(false), examples }, resolvedAtMs }
}

/** As ClickHouse computes it in `storedBooks`. */
export function digestOf(book: Pick<Market['book'], 'bids' | 'asks'>): string {
  const prices = (levels: readonly Level[]): string => `[${levels.map(({ price }) => price).join(',')}]`
  const sizes = (levels: readonly Level[]): string =>
    `[${levels.map(({ size }) => BigInt(size) * BigInt(UNITS_PER_SIZE)).join(',')}]`
  const bids = book.bids.toReversed()
  const text = prices(bids) + sizes(bids) + prices(book.asks) + sizes(book.asks)
  return createHash('sha1').update(text).digest('hex').slice(0, DIGEST_LENGTH)
}
