import { HOUR_MS } from '../../domain/finished-hour.ts'
import type { Proof } from '../../domain/proof.ts'
import { PERP_DECIMALS } from '../../domain/rows/perp-snapshot.ts'
import { type SlotRange, slotsIn } from '../../domain/slot-range.ts'
import { marketTimeParams, OF_MARKET, OF_PERP, type SampledMarket, type SampledPerp, slotParams } from './slot-sql.ts'
import { tokenRowParams, tokenRowsSql } from './token-rows-sql.ts'

/** One hour of one market. */
export interface MarketHour extends SampledMarket {
  readonly tokenIds: readonly [string, string]
  readonly proof: Proof
  /** A whole hour. */
  readonly hourMs: number
  /** 1, or more when the rows of the hour were corrected. */
  readonly revision: number
  /** Slots whose rows are in doubt. */
  readonly suspect: readonly SlotRange[]
}

/** One hour of one perp; its rows are never corrected. */
export interface PerpHour extends SampledPerp {
  readonly proof: Proof
  /** A whole hour. */
  readonly hourMs: number
}

export type ExportedHour = MarketHour | PerpHour

/** What the name of a file is made of. */
export type HourKey =
  | Pick<MarketHour, 'marketId' | 'hourMs' | 'revision'>
  | Pick<PerpHour, 'venue' | 'symbol' | 'hourMs'>

export interface HourQuery {
  readonly sql: string
  readonly params: Readonly<Record<string, unknown>>
}

const ONE = 10 ** PERP_DECIMALS
const [BID, ASK] = ['toInt64(bid_prices[1])', 'toInt64(ask_prices[1])']
const IS_ONE_SIDED = 'empty(bid_prices) OR empty(ask_prices)'
const pairs = (prices: string, sizes: string) => `arrayMap((p, s) -> [p / ${ONE}, s / ${ONE}], ${prices}, ${sizes})`
const touch = (column: string) => `if(${column} = 0, NULL, ${column} / ${ONE})`

/** The members of a book of the exchange list, in their order. Whole numbers divided by a power of ten give the doubles of the JSON. */
export const PERP_MEMBERS = `
    concat(toString(venue), '_perp') AS exchange,
    toString(symbol) AS symbol,
    captured_at AS timestamp,
    if(empty(bid_prices), NULL, ${BID} / ${ONE}) AS best_bid,
    if(empty(ask_prices), NULL, ${ASK} / ${ONE}) AS best_ask,
    if(${IS_ONE_SIDED}, NULL, (${BID} + ${ASK}) / ${2 * ONE}) AS mid_price,
    if(${IS_ONE_SIDED}, NULL, (${ASK} - ${BID}) / ${ONE}) AS spread,
    arraySum(bid_sizes) / ${ONE} AS bid_depth_total,
    arraySum(ask_sizes) / ${ONE} AS ask_depth_total,
    ${pairs('bid_prices', 'bid_sizes')} AS bids,
    ${pairs('ask_prices', 'ask_sizes')} AS asks,
    toInt64(slot) AS sequence_number,
    event_at AS event_timestamp,
    ${touch('touch_bid_price')} AS touch_bid,
    ${touch('stored.touch_bid_size')} AS touch_bid_size,
    ${touch('touch_ask_price')} AS touch_ask,
    ${touch('stored.touch_ask_size')} AS touch_ask_size,
    if(toUnixTimestamp64Milli(touch_at) = 0, NULL, touch_at) AS touch_timestamp,
    {proof:String} AS proof,
    toString(stored.venue) AS venue`

const PERP_ROWS = `
  SELECT ${PERP_MEMBERS}
  FROM (SELECT * FROM perp_snapshots WHERE ${OF_PERP} ORDER BY slot LIMIT 1 BY slot) AS stored
  ORDER BY slot`

export function hourQueryOf(hour: ExportedHour): HourQuery {
  return 'marketId' in hour ? marketQuery(hour) : perpQuery(hour)
}

function marketQuery({ marketId, intervalMs, hourMs, tokenIds, proof, suspect }: MarketHour): HourQuery {
  const params = marketTimeParams({ marketId, intervalMs, fromMs: hourMs, toMs: hourMs + HOUR_MS })
  const page = {
    order: 'asc',
    includeBook: true,
    outcomes: [0, 1],
    conditionId: marketId,
    tokenIds,
    proof,
    first: { slot: params.fromSlot, outcome: 0 },
    last: { slot: params.toSlot, outcome: 1 },
    suspect,
  } as const
  return { sql: tokenRowsSql(OF_MARKET, page), params: { ...params, ...tokenRowParams(page) } }
}

function perpQuery({ venue, symbol, intervalMs, hourMs, proof }: PerpHour): HourQuery {
  const slots = slotsIn({ fromMs: hourMs, toMs: hourMs + HOUR_MS }, intervalMs)
  return { sql: PERP_ROWS, params: { venue, symbol, proof, ...slotParams({ intervalMs, ...slots }) } }
}

export function hourFileName(hour: HourKey): string {
  const at = `${new Date(hour.hourMs).toISOString().slice(0, 13)}Z`
  if (!('marketId' in hour)) return `${hour.venue}-${hour.symbol}-perp-${at}.parquet`
  return `${hour.marketId}-${at}${hour.revision === 1 ? '' : `-r${hour.revision}`}.parquet`
}

/** Also matches files of earlier versions. */
export const HOUR_FILE_ON_DISK =
  /^(0x[0-9a-f]{64}|[a-z0-9]+-[A-Z0-9]+-perp)-\d{4}-\d{2}-\d{2}T\d{2}Z(-r\d+)?(\.columns-\d+)?\.parquet$/
