import { createHash } from 'node:crypto'
import { type Level, PRICE_ONE, priceText, sizeText } from '../world/book.ts'
import type { Market } from '../world/market.ts'

export type Outcome = 0 | 1

/** Level objects are immutable, so their text for both tokens can be cached. */
const levelTexts = new WeakMap<Level, readonly [string, string]>()

function textsOf(level: Level): readonly [string, string] {
  const known = levelTexts.get(level)
  if (known !== undefined) return known
  const size = sizeText(level.size)
  const texts = [
    `{"price":"${priceText(level.price)}","size":"${size}"}`,
    `{"price":"${priceText(PRICE_ONE - level.price)}","size":"${size}"}`,
  ] as const
  levelTexts.set(level, texts)
  return texts
}

/** One token's ladders as compact JSON: bids rising, asks falling, so the best price is last in each. */
export function ladderTexts(market: Market, outcome: Outcome): { bids: string; asks: string } {
  const { bids, asks } = market.book
  let risingBids = ''
  for (const level of bids) risingBids += risingBids === '' ? textsOf(level)[outcome] : `,${textsOf(level)[outcome]}`
  let fallingAsks = ''
  for (let index = asks.length - 1; index >= 0; index--) {
    const level = asks[index]
    if (level !== undefined) fallingAsks += fallingAsks === '' ? textsOf(level)[outcome] : `,${textsOf(level)[outcome]}`
  }
  // The asks of one token, falling, are the bids of the other token, rising.
  return outcome === 0
    ? { bids: `[${risingBids}]`, asks: `[${fallingAsks}]` }
    : { bids: `[${fallingAsks}]`, asks: `[${risingBids}]` }
}

/**
 * Which keys the hash covers, by the number that the fault `hash-rule-change` names. 0 is the rule of 2026; the
 * others are made up, in the manner in which the venue changed its rule before.
 */
export const HASH_RULES = {
  0: (body: string) => body,
  1: (body: string) => `${body.slice(0, -1)},"min_price":"0.001"}`,
  2: (body: string) => body.replace(/,"last_trade_price":"[^"]*"/, ''),
} as const
export type HashRule = keyof typeof HASH_RULES

/** The REST body of one token's book; its SHA-1 with the hash left empty is the hash. */
function bodyText(market: Market, outcome: Outcome, stampMs: number, hash: string, rule: HashRule): string {
  const { bids, asks } = ladderTexts(market, outcome)
  const version = market.version === 'v2' ? ',"version":"v2"' : ''
  const body = `{"market":"${market.conditionId}","asset_id":"${market.tokenIds[outcome]}","timestamp":"${stampMs}","hash":"${hash}","bids":${bids},"asks":${asks},"min_order_size":"5","tick_size":"${priceText(market.tickSize)}","neg_risk":${market.event.negRisk},"last_trade_price":"${market.lastTradeText}"${version}}`
  return HASH_RULES[rule](body)
}

export function bookHash(market: Market, outcome: Outcome, stampMs: number, rule: HashRule = 0): string {
  return createHash('sha1')
    .update(bodyText(market, outcome, stampMs, '', rule))
    .digest('hex')
}

export function restBookText(market: Market, outcome: Outcome, stampMs: number, rule: HashRule = 0): string {
  return bodyText(market, outcome, stampMs, bookHash(market, outcome, stampMs, rule), rule)
}
