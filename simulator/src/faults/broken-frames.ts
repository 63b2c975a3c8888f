import type { BrokenRule } from '../world/broken-rules.ts'
import type { Feed } from './switchboard.ts'

type ChangeFrame = (text: string) => string[]

const FEED_OF_RULE: Readonly<Record<string, readonly Feed[]>> = {
  polymarket: ['polymarket'],
  hyperliquid: ['hyperliquid'],
  spot: ['binance', 'rtds'],
}

/** Rules that are broken by changing the frames of a feed, data and answers alike. */
const CHANGES: Partial<Record<BrokenRule, ChangeFrame>> = {
  'polymarket.first-book-inputs': (text) => [text.replaceAll(/"tick_size":"[^"]*",/g, '')],
  'polymarket.repeated-subscribe': without('NO NEW ASSETS'),
  'polymarket.custom-events': without('"new_market"', '"best_bid_ask"', '"market_resolved"'),
  'polymarket.heartbeat': without('PONG'),
  'polymarket.known-values': (text) =>
    isChange(text) ? [text, text.replaceAll(/"price":"([^"]*)"/g, '"price":$1')] : [text],
  'polymarket.hash-of-changes': (text) =>
    isChange(text) ? [text.replaceAll(/"size":"([^"]*)"/g, (_, size) => `"size":"1${size}"`)] : [text],
  'polymarket.both-tokens': (text) => (isChange(text) ? oneTokenEach(text) : [text]),
  'polymarket.trade-announced': without('"last_trade_price", "transaction_hash"'),
  'polymarket.resolution-event': without('"market_resolved"'),
  'hyperliquid.acknowledged': without('"subscriptionResponse"'),
  'hyperliquid.whole-books': withTenLevels,
  'hyperliquid.fast-books': (text) => [text.replace(',"fast":true', '')],
  'hyperliquid.best-prices': without('"channel":"bbo"'),
  'hyperliquid.heartbeat': without('"pong"'),
  'hyperliquid.known-values': (text) =>
    text.includes('"channel":"bbo"') ? [text, text.replaceAll(/"px":"([^"]*)"/g, '"px":$1')] : [text],
  'spot.acknowledged': without('"result":null'),
  'spot.update-ids': (text) => [text.replace(/"u":(\d+)/, (_, id) => `"u":${2e12 - Number(id)}`)],
  'spot.chainlink-prices': (text) => (isPriceOf(text, 'chainlink', 'hype') ? [] : [text]),
  'spot.twap-prices': (text) => (isPriceOf(text, 'twap_sixty', 'hype') ? [] : [text]),
  'spot.price-every-second': (text) => (text.includes('_chainlink"') && isInPause(text) ? [] : [text]),
  'spot.price-times': (text) => [
    text.replace(/("symbol":"[^"]*","timestamp":"?)(\d+)/, (_, before, time) => `${before}${Number(time) - 60_000}`),
  ],
  'spot.sources-agree': (text) => [
    text.replace(/"([ba])":"([^"]*)"/g, (_, key, price) => `"${key}":"${Number(price) * 2}"`),
  ],
  'spot.known-values': (text) =>
    text.includes('full_accuracy')
      ? [text, text.replace('"full_accuracy_value":"', '"full_accuracy_value":"9')]
      : [text],
}

/** The frames that are sent instead of one, or undefined when no broken rule changes the frames of this feed. */
export function brokenFrames(broken: ReadonlySet<BrokenRule>, feed: Feed): ChangeFrame | undefined {
  const changes = [...broken].flatMap((rule) => {
    const [venue = ''] = rule.split('.')
    const change = CHANGES[rule]
    return change !== undefined && FEED_OF_RULE[venue]?.includes(feed) ? [change] : []
  })
  if (changes.length === 0) return undefined
  return (text) => changes.reduce((frames, change) => frames.flatMap(change), [text])
}

function without(...parts: readonly string[]): ChangeFrame {
  return (text) => (parts.some((part) => text.includes(part)) ? [] : [text])
}

function isChange(text: string): boolean {
  return text.includes('"price_changes":')
}

function oneTokenEach(text: string): string[] {
  const { price_changes: entries, ...frame } = JSON.parse(text) as { price_changes: readonly object[] }
  return entries.map((entry) => JSON.stringify({ ...frame, price_changes: [entry] }))
}

function withTenLevels(text: string): string[] {
  if (!text.includes('"channel":"l2Book"') || text.includes('"fast":true')) return [text]
  const frame = JSON.parse(text) as { data: { levels: readonly unknown[][] } }
  const levels = frame.data.levels.map((side) => side.slice(0, 10))
  return [JSON.stringify({ ...frame, data: { ...frame.data, levels } })]
}

function isPriceOf(text: string, topic: string, coin: string): boolean {
  return text.includes(`crypto_prices_${topic}"`) && text.includes(`"${coin}/usd"`)
}

/** Five of eight seconds, by the time of the price: the venue leaves out single prices, so some coin would miss a lone one. */
function isInPause(text: string): boolean {
  const second = Number(/"symbol":"[^"]*","timestamp":"?(\d+)/.exec(text)?.[1]) / 1_000
  return second % 8 >= 3
}
