import { PRICE_ONE } from '../world/book.ts'
import { topOfBook } from './book-frames.ts'
import type { SeriesFacts } from './catalogue/draft.ts'
import type { KalshiTrade } from './happenings.ts'
import type { KalshiEvent, KalshiMarket } from './kalshi-market.ts'
import { yesSubTitle } from './lifecycle-frames.ts'
import { contracts, dollars, secondTime, shortTime } from './number-text.ts'

const DAY_MS = 86_400_000

/** A market as the listing shows it; keys without a value are left out. */
export function marketObject(market: KalshiMarket): object {
  const { event, draft, grid, result } = market
  const { bid, bidSize, ask, askSize } = topOfBook(market)
  const subTitle = yesSubTitle(market)
  return {
    ticker: market.ticker,
    event_ticker: event.ticker,
    market_type: 'binary',
    status: market.status,
    result: result ?? '',
    open_time: secondTime(event.openMs),
    close_time: secondTime(market.closeMs),
    expiration_time: secondTime(event.closeMs + 7 * DAY_MS),
    expected_expiration_time: secondTime(event.closeMs),
    latest_expiration_time: secondTime(event.closeMs + 7 * DAY_MS),
    occurrence_datetime: secondTime(event.closeMs),
    created_time: shortTime(event.createdMs),
    updated_time: shortTime(market.changedAtMs),
    settlement_ts: market.settledAtMs === undefined ? undefined : shortTime(market.settledAtMs),
    settlement_timer_seconds: event.series.settledAfterMs / 1000,
    settlement_value_dollars: result === undefined ? undefined : result === 'yes' ? '1.0000' : '0.0000',
    expiration_value: market.finalValue === undefined ? '' : String(market.finalValue),
    notional_value_dollars: '1.0000',
    can_close_early: event.shownCloseMs !== undefined,
    early_close_condition:
      event.shownCloseMs === undefined ? undefined : 'This market will close after the game is over.',
    last_price_dollars: dollars(market.lastPrice),
    previous_price_dollars: dollars(market.lastPrice),
    yes_bid_dollars: dollars(bid),
    yes_bid_size_fp: contracts(bidSize),
    yes_ask_dollars: dollars(ask),
    yes_ask_size_fp: contracts(askSize),
    no_bid_dollars: dollars(PRICE_ONE - ask),
    no_ask_dollars: dollars(PRICE_ONE - bid),
    volume_fp: contracts(market.volume),
    volume_24h_fp: contracts(market.volume),
    open_interest_fp: contracts(market.openInterest),
    liquidity_dollars: '0.0000',
    strike_type: draft.strikeType,
    floor_strike: draft.floorStrike ?? (draft.spot?.rule === 'at least' ? market.strike : undefined),
    cap_strike: draft.capStrike,
    price_level_structure: grid.name,
    price_ranges: grid.rangeTexts,
    exchange_index: event.series.facts.exchangeIndex,
    is_provisional: false,
    rules_primary: draft.rules,
    rules_secondary: '',
    title: draft.title,
    yes_sub_title: subTitle,
    no_sub_title: subTitle,
    mve_collection_ticker: event.series.isCombo ? `${event.series.facts.ticker}-R` : undefined,
  }
}

export function eventObject(event: KalshiEvent): object {
  return {
    event_ticker: event.ticker,
    series_ticker: event.series.facts.ticker,
    title: event.title,
    sub_title: event.subTitle,
    collateral_return_type: event.isExclusive ? 'MECNET' : '',
    mutually_exclusive: event.isExclusive,
    available_on_brokers: true,
    exchange_index: event.series.facts.exchangeIndex,
    last_updated_ts: shortTime(event.createdMs),
  }
}

export function seriesObject({ ticker, title, category, tags, frequency, source, exchangeIndex }: SeriesFacts): object {
  return {
    ticker,
    title,
    category,
    categories: [category],
    tags,
    frequency,
    settlement_sources: [source],
    fee_type: 'quadratic',
    fee_multiplier: 1,
    exchange_index: exchangeIndex,
    last_updated_ts: '2026-09-01T00:00:00Z',
  }
}

export function tradeObject({ id, market, atMs, price, size, taker }: KalshiTrade): object {
  return {
    trade_id: id,
    ticker: market.ticker,
    count_fp: contracts(size),
    yes_price_dollars: dollars(price),
    no_price_dollars: dollars(PRICE_ONE - price),
    taker_side: taker,
    taker_outcome_side: taker,
    taker_book_side: taker === 'yes' ? 'bid' : 'ask',
    is_block_trade: false,
    created_time: shortTime(atMs),
  }
}
