import { z } from 'zod'
import { ApiError, noRecentData } from '../../domain/api-error.ts'
import { type Ladders, PRICE_ONE } from '../../domain/book.ts'
import { SIZE_DECIMALS, unitsIn } from '../../domain/decimal.ts'
import {
  type Execution,
  execute,
  meanPrice,
  midPrice,
  NOTIONAL_DECIMALS,
  type Order,
  ratioOf,
} from '../../domain/execution.ts'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { endpoint } from '../endpoint.ts'
import { marketClosed } from '../markets/live-book.ts'
import { gapRecordOf } from '../schemas/gap.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { MarketParams, Moment, Side } from '../schemas/parameters.ts'
import { BookFlag, flagNames } from '../schemas/snapshot-flags.ts'
import { findMarket } from '../shared/find-market.ts'
import { LIVE_FOR_MS } from '../shared/live-for.ts'
import type { Stores } from '../stores.ts'
import { bookAsOf } from './book-as-of.ts'

const BASIS_POINTS = 10_000
const LARGEST = 1_000_000_000

const Amount = z
  .string()
  .transform((text, context) => {
    const units = unitsIn(text, SIZE_DECIMALS)
    if (units !== undefined && units > 0 && units <= LARGEST * 10 ** SIZE_DECIMALS) return units
    context.addIssue({ code: 'custom', message: `expected a number above 0 and up to ${LARGEST}, at most 6 decimals` })
    return z.NEVER
  })
  .meta({ override: { type: 'number', exclusiveMinimum: 0, maximum: LARGEST, examples: [100] } })

const price = z.number().nullable()

const ExecutionPrice = z
  .object({
    market_id: z.string(),
    token_id: z.string(),
    side: Side.describe('the token'),
    action: z.enum(['buy', 'sell']),
    size: z.number().nullable().describe('shares asked for; null when asked by notional'),
    notional: z.number().nullable().describe('USD asked for; null when asked by size'),
    vwap: price.describe('mean price of what is filled; null when nothing is'),
    best_price: price.describe('first price taken from; null when that side is empty'),
    worst_price: price.describe('last price taken from'),
    mid: z.number(),
    slippage: price.describe('vwap against the best price; positive is worse'),
    slippage_bps: price,
    slippage_mid: price.describe('vwap against the mid price; positive is worse'),
    slippage_mid_bps: price,
    levels_used: z.int(),
    filled_size: z.number().describe('shares'),
    filled_notional: z.number().describe('USD paid or received'),
    unfilled: z.number().describe('shares, or USD when asked by notional'),
    fill_share: z.number().describe('of what was asked for'),
    complete: z.boolean().describe('the book holds all of it'),
    sequence_number: z.int(),
    capture_timestamp: Instant,
    event_timestamp: Instant,
    age_ms: z.int().describe('of the book, now or at the moment asked for'),
    flags: z.array(BookFlag),
  })
  .meta({ id: 'ExecutionPrice' })

const Query = z.object({
  side: Side.describe('the token to trade'),
  action: z.enum(['buy', 'sell']).describe('buy takes the asks, sell takes the bids'),
  size: Amount.optional().describe('shares; give either this or notional'),
  notional: Amount.optional().describe('USD; give either this or size'),
  timestamp: Moment.optional().describe('a moment of the past, strictly at or before it; default: the live book'),
})

export const getExecutionPrice = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/execution',
  name: 'get_execution_price',
  group: 'Markets',
  summary: 'What an order would cost against the book, now or at a moment of the past',
  description: 'Walks the whole ladder in whole numbers. Fees are not included, and nobody else trades meanwhile.',
  access: { by: 'key', scope: 'live' },
  params: MarketParams,
  query: Query,
  reply: ExecutionPrice,
  errors: ['market_not_found', 'market_closed', 'no_recent_data', 'no_data_at_time'],

  async handle({ params, query, stores, nowMs, require }) {
    const order = orderOf(query.size, query.notional)
    const market = await findMarket(stores, params.id, nowMs)
    require({ category: market.category })
    const atMs = query.timestamp ?? nowMs
    if (atMs > nowMs) throw new ApiError('invalid_request', 'timestamp: must not be in the future')
    if (query.timestamp !== undefined) require({ historyAgeMs: nowMs - atMs })
    const { snapshot, isSuspect } =
      query.timestamp === undefined
        ? { snapshot: await liveSnapshot(stores, market, nowMs), isSuspect: false }
        : await snapshotAt(stores, market, atMs, nowMs)

    const outcome = query.side === 'UP' ? 0 : 1
    const ladders = outcome === 0 ? snapshot.up : snapshot.down
    const execution = execute(query.action === 'buy' ? ladders.asks : ladders.bids, order)
    return {
      body: {
        market_id: market.id,
        token_id: market.tokenIds[outcome],
        side: query.side,
        action: query.action,
        size: 'size' in order ? amountOf(order.size, SIZE_DECIMALS) : null,
        notional: 'notional' in order ? amountOf(order.notional, NOTIONAL_DECIMALS) : null,
        ...pricesOf(execution, ladders, query.action),
        ...amountsOf(execution, order),
        sequence_number: snapshot.slot,
        capture_timestamp: instantOf(snapshot.capturedAtMs),
        event_timestamp: instantOf(snapshot.eventAtMs),
        age_ms: Math.max(0, Math.round(atMs - snapshot.capturedAtMs)),
        flags: flagNames(snapshot.flags, outcome, isSuspect),
      },
    }
  },
})

function orderOf(size: number | undefined, notional: number | undefined): Order {
  if (size !== undefined && notional === undefined) return { size: BigInt(size) }
  if (notional !== undefined && size === undefined) return { notional: BigInt(notional) * BigInt(PRICE_ONE) }
  throw new ApiError('invalid_request', 'size: give exactly one of size and notional', {
    details: { problems: [{ parameter: 'size', problem: 'give exactly one of size and notional' }] },
  })
}

async function liveSnapshot({ books }: Stores, market: StoredMarket, nowMs: number): Promise<Snapshot> {
  if (market.status === 'expired') throw marketClosed(market)
  const snapshot = await books.read(market.id, nowMs)
  if (snapshot !== undefined && nowMs - snapshot.capturedAtMs <= LIVE_FOR_MS) return snapshot
  throw noRecentData({ details: { market_id: market.id, status: market.status }, retryAfterSeconds: 1 })
}

async function snapshotAt(stores: Stores, market: StoredMarket, atMs: number, nowMs: number) {
  const book = await bookAsOf(stores, market, atMs, nowMs)
  if ('snapshot' in book) return book
  const gap = book.reason === 'gap' && book.gap ? gapRecordOf(book.gap) : undefined
  throw new ApiError('no_data_at_time', 'There is no trusted book of this market at that moment.', {
    details: { market_id: market.id, reason: book.reason, ...(gap && { gap }) },
  })
}

function pricesOf(execution: Execution, { bids, asks }: Ladders, action: 'buy' | 'sell') {
  const vwap = meanPrice(execution)
  const mid = midPrice(bids[0]?.price, asks[0]?.price)
  const worse = (reference: number | undefined): number | undefined => {
    if (vwap === undefined || reference === undefined) return undefined
    return action === 'buy' ? vwap - reference : reference - vwap
  }
  const { bestPrice, worstPrice } = execution
  const [slippage, slippageMid] = [worse(bestPrice), worse(mid)]
  return {
    vwap: inUsd(vwap),
    best_price: inUsd(bestPrice),
    worst_price: inUsd(worstPrice),
    mid: mid / PRICE_ONE,
    slippage: inUsd(slippage),
    slippage_bps: inBasisPoints(slippage, bestPrice),
    slippage_mid: inUsd(slippageMid),
    slippage_mid_bps: inBasisPoints(slippageMid, mid),
  }
}

function amountsOf(execution: Execution, order: Order) {
  const { levelCount, filledSize, filledNotional, unfilled, isComplete } = execution
  const isBySize = 'size' in order
  const [filled, wanted] = isBySize ? [filledSize, order.size] : [filledNotional, order.notional]
  return {
    levels_used: levelCount,
    filled_size: amountOf(filledSize, SIZE_DECIMALS),
    filled_notional: amountOf(filledNotional, NOTIONAL_DECIMALS),
    unfilled: amountOf(unfilled, isBySize ? SIZE_DECIMALS : NOTIONAL_DECIMALS),
    fill_share: ratioOf(filled, wanted),
    complete: isComplete,
  }
}

function amountOf(units: bigint, decimals: number): number {
  return Number(units) / 10 ** decimals
}

/** Twelve decimals: finer than any order, coarser than what a double adds by itself. */
function inUsd(units: number | undefined): number | null {
  return units === undefined ? null : Number((units / PRICE_ONE).toFixed(12))
}

function inBasisPoints(units: number | undefined, reference: number | undefined): number | null {
  if (units === undefined || reference === undefined || reference === 0) return null
  return Number(((units / reference) * BASIS_POINTS).toFixed(6))
}
