import { PERP_DECIMALS } from '../../domain/rows/perp-snapshot.ts'
import { NO_TRANSACTION } from '../../domain/rows/trade.ts'

/** The columns of files of series: SQL expressions over a stored row, with the names and values of the lists. */

const PERP_ONE = 10 ** PERP_DECIMALS
const TRANSACTION = `concat('0x', lower(hex(stored.transaction_hash)))`
const EXCHANGE = `concat(toString(stored.venue), '_perp') AS exchange, toString(stored.symbol) AS symbol`
/** The double next to the decimal, as in the JSON; a conversion without the text rounds twice. */
const number = (column: string) => `toFloat64(toString(stored.${column}))`
const figure = (column: string, name: string = column) => `${number(column)} AS ${name}`
/** Null for a perp without a book. */
const ofBook = (column: string) => `if(stored.has_book = 0, NULL, ${number(column)}) AS ${column}`

export const PERP_TRADE_MEMBERS = `
  ${EXCHANGE},
  toInt64(stored.trade_id) AS trade_id,
  if(is_buy = 1, 'buy', 'sell') AS action,
  stored.price / ${PERP_ONE} AS price,
  stored.size / ${PERP_ONE} AS size,
  traded_at,
  received_at,
  if(${TRANSACTION} = '${NO_TRANSACTION}', NULL, ${TRANSACTION}) AS transaction_hash`

export const CONTEXT_MEMBERS = `
  ${EXCHANGE},
  received_at,
  ${figure('funding', 'funding_rate')},
  ${ofBook('premium')},
  ${figure('open_interest')},
  ${number('open_interest')} * ${number('mark_price')} AS open_interest_usd,
  ${figure('day_volume')},
  ${figure('day_notional', 'day_notional_usd')},
  ${figure('mark_price')},
  ${figure('oracle_price')},
  concat(toString(stored.venue), '_validators') AS oracle_source,
  ${ofBook('mid_price')},
  ${ofBook('impact_bid')},
  ${ofBook('impact_ask')},
  ${figure('previous_day_price')}`

export const PRICE_MEMBERS = `
  toString(stored.coin) AS coin,
  toString(stored.source) AS source,
  ${figure('price')},
  price_at,
  if(is_venue_time = 1, 'venue', 'receipt') AS time_from,
  received_at`
