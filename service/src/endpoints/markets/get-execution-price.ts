import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
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
import { tokenFlags } from '../../domain/snapshot-flags.ts'
import { shown } from '../../domain/value-problems.ts'
import { proofOf } from '../../venue-registry.ts'
import { endpoint } from '../endpoint.ts'
import { gapRecordOf } from '../schemas/gap.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { MarketParams, Moment, Side } from '../schemas/parameters.ts'
import { invalidParameter } from '../schemas/read-values.ts'
import { BookFlag, BookProof } from '../schemas/snapshot.ts'
import { VenueName } from '../schemas/venue.ts'
import { bookAsOf } from '../shared/book-as-of.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import { liveSnapshot } from '../shared/live-book.ts'
import type { Stores } from '../stores.ts'

const BASIS_POINTS = 10_000
const LARGEST = 1_000_000_000

const Amount = z
  .string()
  .transform((text, context) => {
    const units = unitsIn(text, SIZE_DECIMALS)
    if (units !== undefined && units > 0 && units <= LARGEST * 10 ** SIZE_DECIMALS) return units
    context.addIssue({
      code: 'custom',
      message: `must be above 0 and at most ${LARGEST}, with at most 6 decimals, got ${shown(text)}`,
    })
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
    size: z.number().nullable().describe('requested shares; null when `notional` was given'),
    notional: z.number().nullable().describe('requested USD; null when `size` was given'),
    vwap: price.describe('mean price of the filled part; null when nothing is filled'),
    best_price: price.describe('best price of the side; null when it is empty'),
    worst_price: price.describe('last price that is used'),
    mid: z.number(),
    slippage: price.describe('vwap relative to the best price; positive is worse'),
    slippage_bps: price,
    slippage_mid: price.describe('vwap relative to the mid price; positive is worse'),
    slippage_mid_bps: price,
    levels_used: z.int(),
    filled_size: z.number().describe('shares'),
    filled_notional: z.number().describe('USD paid or received'),
    unfilled: z.number().describe('shares, or USD when `notional` was given'),
    fill_share: z.number().describe('filled part of the request'),
    complete: z.boolean().describe('the book fills the whole request'),
    sequence_number: z.int(),
    capture_timestamp: Instant,
    event_timestamp: Instant,
    age_ms: z.int().describe('age of the book, now or at the requested time'),
    flags: z.array(BookFlag),
    proof: BookProof,
    venue: VenueName,
  })
  .meta({ id: 'ExecutionPrice' })

const Query = z.object({
  side: Side.describe('the token'),
  action: z.enum(['buy', 'sell']).describe('buy takes the asks, sell takes the bids'),
  size: Amount.optional().describe('shares; give this or `notional`'),
  notional: Amount.optional().describe('USD; give this or `size`'),
  timestamp: Moment.optional().describe(
    'a time in the past; the book known at or before it is used; default: the live book',
  ),
})

export const getExecutionPrice = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/execution',
  name: 'get_execution_price',
  group: 'Markets',
  summary: 'Get the price at which an order would be executed, now or in the past',
  description: 'Fills the order from the levels of the book with exact arithmetic. Fees are not included.',
  access: { by: 'key', scope: 'live', scopeWith: { timestamp: 'history' } },
  params: MarketParams,
  query: Query,
  reply: ExecutionPrice,
  errors: ['market_not_found', 'market_closed', 'no_recent_data', 'no_data_at_time'],

  async handle({ params, query, stores, nowMs, require }) {
    const order = orderOf(query.size, query.notional)
    const market = await findMarket(stores, params.id, nowMs)
    require({ category: market.category })
    const atMs = query.timestamp ?? nowMs
    if (atMs > nowMs) throw invalidParameter('timestamp', `must not be in the future, got ${instantOf(atMs)}`)
    if (query.timestamp !== undefined) require({ historyAgeMs: nowMs - atMs })
    const { snapshot, isSuspect } =
      query.timestamp === undefined
        ? { snapshot: await liveSnapshot(stores, market, nowMs), isSuspect: false }
        : await snapshotAt(stores, market, atMs, nowMs)

    const proof = proofOf(market.venue)
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
        flags: tokenFlags(snapshot.flags, outcome, proof, isSuspect),
        proof,
        venue: market.venue,
      },
    }
  },
})

function orderOf(size: number | undefined, notional: number | undefined): Order {
  if (size !== undefined && notional === undefined) return { size: BigInt(size) }
  if (notional !== undefined && size === undefined) return { notional: BigInt(notional) * BigInt(PRICE_ONE) }
  throw invalidParameter('size', 'or notional must be given, and not both')
}

async function snapshotAt(stores: Stores, market: FoundMarket, atMs: number, nowMs: number) {
  const book = await bookAsOf(stores, market, atMs, nowMs)
  if ('snapshot' in book) return book
  const gap = book.reason === 'gap' && book.gap ? gapRecordOf(book.gap) : undefined
  throw new ApiError('no_data_at_time', 'There is no trusted book of this market at this time; see reason.', {
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

/** Twelve decimals hide the rounding error of doubles. */
function inUsd(units: number | undefined): number | null {
  return units === undefined ? null : Number((units / PRICE_ONE).toFixed(12))
}

function inBasisPoints(units: number | undefined, reference: number | undefined): number | null {
  if (units === undefined || reference === undefined || reference === 0) return null
  return Number(((units / reference) * BASIS_POINTS).toFixed(6))
}
