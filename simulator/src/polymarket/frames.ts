import { createHash } from 'node:crypto'
import { type Change, PRICE_ONE, priceText, sizeText } from '../world/book.ts'
import type { Market } from '../world/market.ts'
import type { Trade } from '../world/trading.ts'
import { bookHash, type HashRule, ladderTexts, type Outcome } from './book-text.ts'

export type Hashes = readonly [string, string]

export function hashesOf(market: Market, stampMs: number, rule: HashRule = 0): Hashes {
  return [bookHash(market, 0, stampMs, rule), bookHash(market, 1, stampMs, rule)]
}

/** JSON with a space after each comma, as the venue writes most of its frames. */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${spacedJson(member)}`)
  return `{${members.join(', ')}}`
}

/** Best bid and ask of one token as the venue sends them: 0 and 1 mean an empty side. */
function topOfBook(market: Market, outcome: Outcome): { bid: number; ask: number } {
  const { bestBid, bestAsk } = market.book
  return outcome === 0 ? { bid: bestBid, ask: bestAsk } : { bid: PRICE_ONE - bestAsk, ask: PRICE_ONE - bestBid }
}

/** The first book of a subscription. */
export function firstBookText(market: Market, outcome: Outcome, stampMs: number, rule: HashRule = 0): string {
  const { bids, asks } = ladderTexts(market, outcome)
  const version = market.version === 'v2' ? ',"version":"v2"' : ''
  return `{"market":"${market.conditionId}","asset_id":"${market.tokenIds[outcome]}","timestamp":"${stampMs}","hash":"${bookHash(market, outcome, stampMs, rule)}","bids":${bids},"asks":${asks},"tick_size":"${priceText(market.tickSize)}","event_type":"book","last_trade_price":"${market.lastTradeText}"${version}}`
}

/** The book that follows a trade. */
export function bookText(market: Market, outcome: Outcome, stampMs: number, hash: string): string {
  const { bids, asks } = ladderTexts(market, outcome)
  const version = market.version === 'v2' ? ', "version":"v2"' : ''
  return `{"market":"${market.conditionId}", "asset_id":"${market.tokenIds[outcome]}", "bids":${bids.replaceAll(',', ', ')}, "asks":${asks.replaceAll(',', ', ')}, "hash":"${hash}", "timestamp":"${stampMs}", "event_type":"book"${version}}`
}

/** Contains the change for both tokens: the token of the order first, then the mirrored change. */
export function priceChangeText(market: Market, change: Change, stampMs: number, hashes: Hashes): string {
  const own: Outcome = (change.price + change.size) % 2 === 0 ? 0 : 1
  const entries = [changeEntry(market, change, own, hashes), changeEntry(market, change, own === 0 ? 1 : 0, hashes)]
  return `{"market":"${market.conditionId}", "price_changes":[${entries.join(', ')}], "timestamp":"${stampMs}", "event_type":"price_change"}`
}

function changeEntry(market: Market, { side, price, size }: Change, outcome: Outcome, hashes: Hashes): string {
  const { bid, ask } = topOfBook(market, outcome)
  const ownPrice = outcome === 0 ? price : PRICE_ONE - price
  const ownSide = (side === 'bids') === (outcome === 0) ? 'BUY' : 'SELL'
  return `{"asset_id":"${market.tokenIds[outcome]}", "price":"${priceText(ownPrice)}", "size":"${sizeText(size)}", "side":"${ownSide}", "hash":"${hashes[outcome]}", "best_bid":"${priceText(bid)}", "best_ask":"${priceText(ask)}"}`
}

export function bestBidAskText(market: Market, outcome: Outcome, stampMs: number): string {
  const { bid, ask } = topOfBook(market, outcome)
  return `{"market":"${market.conditionId}", "asset_id":"${market.tokenIds[outcome]}", "best_bid":"${priceText(bid)}", "best_ask":"${priceText(ask)}", "spread":"${priceText(ask - bid)}", "timestamp":"${stampMs}", "event_type":"best_bid_ask"}`
}

export function tradeText(market: Market, trade: Trade, stampMs: number): string {
  const transaction = createHash('sha256').update(`${market.conditionId}|${stampMs}|${trade.price}`).digest('hex')
  return `{"market":"${market.conditionId}", "asset_id":"${market.tokenIds[trade.outcome]}", "price":"${priceText(trade.price)}", "size":"${trade.sizeText}", "fee_rate_bps":"0", "side":"${trade.side}", "timestamp":"${stampMs}", "event_type":"last_trade_price", "transaction_hash":"0x${transaction}"}`
}

export function tickSizeText(market: Market, outcome: Outcome, from: number, to: number, stampMs: number): string {
  return `{"market":"${market.conditionId}", "asset_id":"${market.tokenIds[outcome]}", "old_tick_size":"${priceText(from)}", "new_tick_size":"${priceText(to)}", "timestamp":"${stampMs}", "event_type":"tick_size_change"}`
}

export function newMarketText(market: Market, stampMs: number): string {
  const { draft, event } = market
  return JSON.stringify({
    id: market.gammaId,
    question: draft.question,
    market: market.conditionId,
    slug: draft.slug,
    description: event.description,
    assets_ids: market.tokenIds,
    outcomes: draft.outcomes,
    event_message: {
      id: event.id,
      ticker: event.slug,
      slug: event.slug,
      title: event.title,
      description: event.description,
    },
    timestamp: String(stampMs),
    event_type: 'new_market',
    tags: [],
    condition_id: market.conditionId,
    active: false,
    clob_token_ids: market.tokenIds,
    sports_market_type: draft.sports?.marketType ?? '',
    line: draft.sports?.line === undefined ? '' : String(draft.sports.line),
    game_start_time: draft.sports === undefined ? '' : new Date(event.startMs ?? 0).toISOString(),
    order_price_min_tick_size: priceText(market.tickSize),
    group_item_title: draft.groupItemTitle ?? '',
    taker_base_fee: '1000',
    fees_enabled: true,
    fee_schedule: { exponent: '1', rate: '0.07', taker_only: true, rebate_rate: '0.2' },
  })
}

export function marketResolvedText(market: Market, stampMs: number): string {
  const winner = market.winner ?? 0
  return spacedJson({
    id: market.gammaId,
    market: market.conditionId,
    assets_ids: market.tokenIds,
    winning_asset_id: market.tokenIds[winner],
    winning_outcome: market.draft.outcomes[winner],
    event_message: null,
    timestamp: String(stampMs),
    event_type: 'market_resolved',
    tags: market.event.tags.map(({ label }) => label),
  })
}
