import { PRICE_ONE } from '../../domain/book.ts'
import { SIZE_ONE, SPOT_ONE } from '../../domain/decimal.ts'
import type { Proof } from '../../domain/proof.ts'
import { SNAPSHOT_FLAGS } from '../../domain/rows/snapshot.ts'
import type { SlotRange } from '../../domain/slot-range.ts'
import { SUSPECT, TOKEN_FLAGS } from '../../domain/snapshot-flags.ts'
import { directionOf, type Order } from './slot-sql.ts'

/** SQL expressions over columns of `snapshots`, in units, for one token. */
export interface TokenColumns {
  readonly bidPrices: string
  readonly bidSizes: string
  readonly askPrices: string
  readonly askSizes: string
  /** 0 when the side is empty. */
  readonly bestBid: string
  /** 1 when the side is empty. */
  readonly bestAsk: string
}

/** Which token rows, of which market, and in what order. */
export interface TokenRowPage {
  readonly order: Order
  readonly includeBook: boolean
  readonly outcomes: readonly (0 | 1)[]
  readonly conditionId: string
  readonly tokenIds: readonly [string, string]
  readonly proof: Proof
  /** One token of the first or last slot may belong to another page. */
  readonly first: { readonly slot: number; readonly outcome: 0 | 1 }
  readonly last: { readonly slot: number; readonly outcome: 0 | 1 }
  readonly suspect: readonly SlotRange[]
}

const DEPTH_LEVELS = 5
const IS_MIRRORED = hasFlag('mirrored')

const UP = storedToken('up')
const DOWN = storedToken('down')

/** UP and DOWN; a mirrored row stores only UP, whose asks are the bids of DOWN at one minus the price. */
export const TOKEN_COLUMNS: readonly [TokenColumns, TokenColumns] = [
  UP,
  {
    bidPrices: `if(${IS_MIRRORED}, ${mirrored(UP.askPrices)}, ${DOWN.bidPrices})`,
    bidSizes: `if(${IS_MIRRORED}, ${UP.askSizes}, ${DOWN.bidSizes})`,
    askPrices: `if(${IS_MIRRORED}, ${mirrored(UP.bidPrices)}, ${DOWN.askPrices})`,
    askSizes: `if(${IS_MIRRORED}, ${UP.bidSizes}, ${DOWN.askSizes})`,
    bestBid: `if(${IS_MIRRORED}, ${PRICE_ONE} - ${UP.bestAsk}, ${DOWN.bestBid})`,
    bestAsk: `if(${IS_MIRRORED}, ${PRICE_ONE} - ${UP.bestBid}, ${DOWN.bestAsk})`,
  },
]

export function hasFlag(flag: keyof typeof SNAPSHOT_FLAGS): string {
  return `bitAnd(flags, ${SNAPSHOT_FLAGS[flag]}) != 0`
}

function storedToken(token: 'up' | 'down'): TokenColumns {
  return {
    bidPrices: `${token}_bid_prices`,
    bidSizes: `${token}_bid_sizes`,
    askPrices: `${token}_ask_prices`,
    askSizes: `${token}_ask_sizes`,
    bestBid: `toInt64(${token}_bid_prices[1])`,
    bestAsk: `if(empty(${token}_ask_prices), ${PRICE_ONE}, toInt64(${token}_ask_prices[1]))`,
  }
}

function mirrored(prices: string): string {
  return `arrayMap(price -> toUInt16(${PRICE_ONE} - price), ${prices})`
}

function ofOutcome(column: keyof TokenColumns): string {
  return `if(outcome = 0, ${TOKEN_COLUMNS[0][column]}, ${TOKEN_COLUMNS[1][column]})`
}

const TOKEN_TESTS = TOKEN_FLAGS.map(({ name, bits: [up, down], isMissing, proofs }) => {
  const bit = `bitAnd(bits, if(outcome = 0, ${up}, ${down}))`
  const isOffered = proofs && `{proof:String} IN (${proofs.map((proof) => `'${proof}'`).join(', ')})`
  return [[`${bit} ${isMissing ? '=' : '!='} 0`, ...(isOffered ? [isOffered] : [])].join(' AND '), name]
})

/** SQL expressions about the market of a row. */
export interface MarketOfRow {
  readonly conditionId: string
  readonly upTokenId: string
  readonly downTokenId: string
  /** Whether the slot is in doubt. */
  readonly isSuspect: string
}

const ONE_MARKET: MarketOfRow = {
  conditionId: '{conditionId:String}',
  upTokenId: '{upTokenId:String}',
  downTokenId: '{downTokenId:String}',
  isSuspect: 'arrayExists((a, b) -> slot >= a AND slot <= b, {suspectFrom:Array(UInt64)}, {suspectTo:Array(UInt64)})',
}

/** One row per token with the members of a token snapshot, in order. */
export function tokenRowsSql(inRange: string, { order, includeBook }: TokenRowPage): string {
  const direction = directionOf(order)
  const rows = `
      FROM (SELECT * FROM snapshots WHERE ${inRange} ORDER BY slot ${direction} LIMIT 1 BY slot)
      ARRAY JOIN {outcomes:Array(UInt8)} AS outcome
      WHERE NOT (slot = {firstSlot:UInt64} AND outcome < {firstOutcome:UInt8})
        AND NOT (slot = {lastSlot:UInt64} AND outcome > {lastOutcome:UInt8})`
  return `${tokenMembersSql(ONE_MARKET, includeBook, rows)} ORDER BY slot ${direction}, outcome`
}

/**
 * The members of token snapshots, from stored rows with an `outcome`. Whole numbers divided by a power of ten give the
 * doubles of the JSON.
 */
export function tokenMembersSql(market: MarketOfRow, includeBook: boolean, rows: string): string {
  const flags = [...TOKEN_TESTS, [market.isSuspect, SUSPECT]]
    .map(([test, name]) => `if(${test}, ['${name}'], emptyArrayString())`)
    .join(', ')
  const pairs = (prices: string, sizes: string) =>
    `arrayMap((p, s) -> [p / ${PRICE_ONE}, s / ${SIZE_ONE}], ${prices}, ${sizes})`
  const depth5 = (sizes: string) => `arraySum(arraySlice(${sizes}, 1, ${DEPTH_LEVELS})) / ${SIZE_ONE}`
  return `
    SELECT
      ${market.conditionId} AS condition_id,
      if(outcome = 0, ${market.upTokenId}, ${market.downTokenId}) AS token_id,
      if(outcome = 0, 'UP', 'DOWN') AS side,
      event_at AS event_timestamp,
      captured_at AS capture_timestamp,
      toInt64(slot) AS sequence_number,
      bid_tick / ${PRICE_ONE} AS best_bid,
      ask_tick / ${PRICE_ONE} AS best_ask,
      (bid_tick + ask_tick) / ${2 * PRICE_ONE} AS mid,
      (ask_tick - bid_tick) / ${PRICE_ONE} AS spread,
      ${includeBook ? `${pairs('bid_ticks', 'bid_lots')} AS bids, ${pairs('ask_ticks', 'ask_lots')} AS asks,` : ''}
      ${depth5('bid_lots')} AS depth5_bid,
      ${depth5('ask_lots')} AS depth5_ask,
      if(has_spot, spot_price / ${SPOT_ONE}, NULL) AS spot_crypto_usd,
      if(has_spot, toInt64(spot_age_ms), NULL) AS spot_crypto_age_ms,
      arrayConcat(${flags}) AS flags,
      {proof:String} AS proof
    FROM (
      SELECT market_id, interval_ms, slot, outcome, event_at, captured_at, flags AS bits, spot_price, spot_age_ms, ${hasFlag('hasSpot')} AS has_spot,
        ${ofOutcome('bidPrices')} AS bid_ticks, ${ofOutcome('bidSizes')} AS bid_lots,
        ${ofOutcome('askPrices')} AS ask_ticks, ${ofOutcome('askSizes')} AS ask_lots,
        ${ofOutcome('bestBid')} AS bid_tick, ${ofOutcome('bestAsk')} AS ask_tick ${rows}
    )`
}

export function tokenRowParams(page: TokenRowPage): Record<string, unknown> {
  return {
    conditionId: page.conditionId,
    upTokenId: page.tokenIds[0],
    downTokenId: page.tokenIds[1],
    proof: page.proof,
    outcomes: [...page.outcomes],
    firstSlot: page.first.slot,
    firstOutcome: page.first.outcome,
    lastSlot: page.last.slot,
    lastOutcome: page.last.outcome,
    suspectFrom: page.suspect.map(({ fromSlot }) => fromSlot),
    suspectTo: page.suspect.map(({ toSlot }) => toSlot),
  }
}
