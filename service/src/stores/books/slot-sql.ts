import { NO_SLOTS, type SlotRange, slotCount, slotsIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { atParam, MARKET_PARAM, marketParam } from './read-rows.ts'

/** A market and its sampling interval, which never changes and turns times into slots. */
export interface SampledMarket {
  readonly marketId: string
  readonly intervalMs: number
}

export interface SampledPerp {
  readonly venue: string
  readonly symbol: string
  readonly intervalMs: number
}

export type Order = 'asc' | 'desc'

/** Slots select rows by primary key; their times select the day partitions. */
export const IN_SLOTS = `slot >= {fromSlot:UInt64} AND slot <= {toSlot:UInt64}
  AND slot_at >= ${atParam('fromSlotMs')} AND slot_at <= ${atParam('toSlotMs')}`
export const OF_MARKET = `market_id = ${MARKET_PARAM} AND ${IN_SLOTS}`
export const OF_PERP = `venue = {venue:String} AND symbol = {symbol:String} AND ${IN_SLOTS}`
export const CAPTURED = `captured_at >= ${atParam('fromMs')} AND captured_at < ${atParam('toMs')}`

/** A result cannot contain an error, so the server must finish the query before it sends the first byte. */
export const WHOLE_RESULT = { wait_end_of_query: 1, optimize_skip_unused_shards: 1 } as const

export function slotParams({ intervalMs, ...range }: SlotRange & { readonly intervalMs: number }) {
  const { fromSlot, toSlot } = slotCount(range) === 0 ? NO_SLOTS : range
  return { fromSlot, toSlot, fromSlotMs: fromSlot * intervalMs, toSlotMs: toSlot * intervalMs }
}

/** Parameters of `OF_MARKET` for the slots whose time lies in a range. */
export function marketTimeParams({ marketId, intervalMs, fromMs, toMs }: SampledMarket & TimeRange) {
  return { market: marketParam(marketId), ...slotParams({ intervalMs, ...slotsIn({ fromMs, toMs }, intervalMs) }) }
}

export function directionOf(order: Order): 'ASC' | 'DESC' {
  return order === 'asc' ? 'ASC' : 'DESC'
}
