import { PRICE_ONE } from '../../domain/book.ts'
import { SIZE_DECIMALS } from '../../domain/decimal.ts'
import { SNAPSHOT_FLAGS } from '../../domain/rows/snapshot.ts'

/** Which token rows, of which market, and in what order. */
export interface UnfoldedPage {
  readonly order: 'asc' | 'desc'
  readonly includeBook: boolean
  readonly outcomes: readonly (0 | 1)[]
  readonly conditionId: string
  readonly tokenIds: readonly [string, string]
  /** Of the first and the last slot a part may belong to another page. */
  readonly first: { readonly slot: number; readonly outcome: 0 | 1 }
  readonly last: { readonly slot: number; readonly outcome: 0 | 1 }
  /** Slots whose rows were doubted later, both ends included. */
  readonly suspect: readonly { readonly fromSlot: number; readonly toSlot: number }[]
}

const SIZE_ONE = 10 ** SIZE_DECIMALS
const SPOT_ONE = 100_000_000
const DEPTH_LEVELS = 5

/** Of one token: its own ladders where they are stored, else the other's seen from the other side. */
const ARRAYS = ['bid', 'ask']
  .flatMap((side) => {
    const other = side === 'bid' ? 'ask' : 'bid'
    return [
      `multiIf(outcome = 0, up_${side}_prices, is_mirrored,
        arrayMap(p -> toUInt16(${PRICE_ONE} - p), up_${other}_prices), down_${side}_prices) AS ${side}_ticks`,
      `multiIf(outcome = 0, up_${side}_sizes, is_mirrored, up_${other}_sizes, down_${side}_sizes) AS ${side}_lots`,
    ]
  })
  .join(',\n')

const FLAGS = [
  [`bitAnd(bits, if(outcome = 0, ${SNAPSHOT_FLAGS.verifiedUp}, ${SNAPSHOT_FLAGS.verifiedDown})) != 0`, 'verified'],
  ['is_mirrored', 'mirrored'],
  [`bitAnd(bits, ${SNAPSHOT_FLAGS.oneSided}) != 0`, 'one_sided'],
  [`bitAnd(bits, ${SNAPSHOT_FLAGS.crossed}) != 0`, 'crossed'],
  ['arrayExists((a, b) -> slot >= a AND slot <= b, {suspectFrom:Array(UInt64)}, {suspectTo:Array(UInt64)})', 'suspect'],
]
  .map(([test, name]) => `if(${test}, ['${name}'], emptyArrayString())`)
  .join(', ')

/** A division of whole numbers by a power of ten gives the nearest double, as it does in JSON. */
function pairs(side: 'bid' | 'ask'): string {
  return `arrayMap((p, s) -> [p / ${PRICE_ONE}, s / ${SIZE_ONE}], ${side}_ticks, ${side}_lots)`
}

function depth5(side: 'bid' | 'ask'): string {
  return `arraySum(arraySlice(${side}_lots, 1, ${DEPTH_LEVELS})) / ${SIZE_ONE}`
}

/** SQL of one row for each token, in the columns of a snapshot on the wire. */
export function unfolded(inRange: string, { order, includeBook }: UnfoldedPage): string {
  const direction = order === 'asc' ? 'ASC' : 'DESC'
  return `
    SELECT
      {conditionId:String} AS condition_id,
      if(outcome = 0, {upTokenId:String}, {downTokenId:String}) AS token_id,
      if(outcome = 0, 'UP', 'DOWN') AS side,
      event_at AS event_timestamp,
      captured_at AS capture_timestamp,
      toInt64(slot) AS sequence_number,
      bid_tick / ${PRICE_ONE} AS best_bid,
      ask_tick / ${PRICE_ONE} AS best_ask,
      (bid_tick + ask_tick) / ${2 * PRICE_ONE} AS mid,
      (ask_tick - bid_tick) / ${PRICE_ONE} AS spread,
      ${includeBook ? `${pairs('bid')} AS bids, ${pairs('ask')} AS asks,` : ''}
      ${depth5('bid')} AS depth5_bid,
      ${depth5('ask')} AS depth5_ask,
      if(has_spot, spot_price / ${SPOT_ONE}, NULL) AS spot_crypto_usd,
      if(has_spot, toInt64(spot_age_ms), NULL) AS spot_crypto_age_ms,
      arrayConcat(${FLAGS}) AS flags
    FROM (
      SELECT slot, outcome, event_at, captured_at, flags AS bits, spot_price, spot_age_ms,
        bitAnd(flags, ${SNAPSHOT_FLAGS.mirrored}) != 0 AS is_mirrored,
        bitAnd(flags, ${SNAPSHOT_FLAGS.hasSpot}) != 0 AS has_spot,
        ${ARRAYS},
        if(empty(bid_ticks), 0, bid_ticks[1]) AS bid_tick,
        if(empty(ask_ticks), ${PRICE_ONE}, ask_ticks[1]) AS ask_tick
      FROM (SELECT * FROM snapshots WHERE ${inRange} ORDER BY slot ${direction} LIMIT 1 BY slot)
      ARRAY JOIN {outcomes:Array(UInt8)} AS outcome
      WHERE NOT (slot = {firstSlot:UInt64} AND outcome < {firstOutcome:UInt8})
        AND NOT (slot = {lastSlot:UInt64} AND outcome > {lastOutcome:UInt8})
    )
    ORDER BY slot ${direction}, outcome`
}

export function unfoldedParams(page: UnfoldedPage): Record<string, unknown> {
  return {
    conditionId: page.conditionId,
    upTokenId: page.tokenIds[0],
    downTokenId: page.tokenIds[1],
    outcomes: [...page.outcomes],
    firstSlot: page.first.slot,
    firstOutcome: page.first.outcome,
    lastSlot: page.last.slot,
    lastOutcome: page.last.outcome,
    suspectFrom: page.suspect.map(({ fromSlot }) => fromSlot),
    suspectTo: page.suspect.map(({ toSlot }) => toSlot),
  }
}
