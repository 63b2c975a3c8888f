import type { Members } from './checks.ts'

/** Members of each resource that the interface lists, with their types. */

export const USER_TIER: Members = {
  tier: 'text',
  creditsRemaining: 'whole',
  creditsTotal: 'whole',
  rateLimitRpm: 'whole',
  wsConnectionsMax: 'whole',
  historyDepthHours: 'whole',
  mcpAccess: 'text',
  expiresAt: 'time',
}
export const SUBSCRIPTION: Members = {
  provider: 'text',
  plan: 'text',
  tier: 'text',
  creditsRemaining: 'whole',
  expiresAt: 'time',
  limits: 'object',
}
export const SUBSCRIPTION_LIMITS: Members = {
  rpm: 'whole',
  wsMax: 'whole',
  historyHours: 'whole',
  mcp: 'text',
  maxKeys: 'whole',
}
export const INVOICE: Members = {
  invoiceId: 'text',
  invoiceUrl: 'text',
  pack: 'text',
  priceUsd: 'number',
  status: 'text',
  expiresAt: 'time',
}
export const API_KEY: Members = {
  id: 'text',
  label: 'text',
  preview: 'text',
  scopes: 'list',
  createdAt: 'time',
  usage: 'object',
}

export const CATEGORY: Members = {
  id: 'text',
  category: 'text',
  displayName: 'text',
  activeMarkets: 'whole',
  captureIntervalMs: 'whole',
  refreshIntervalMs: 'whole',
}
export const LIVE_MARKET: Members = {
  conditionId: 'text',
  category: 'text',
  subcategory: 'text',
  label: 'text',
  tokenIds: 'two texts',
  outcomes: 'two texts',
  configId: 'text',
  slug: 'text',
  expired: 'flag',
  expiresIn: 'whole',
}
export const SINGLE_MARKET: Members = {
  market_id: 'text',
  category: 'text',
  subcategory: 'text',
  label: 'text',
  question: 'text',
  timeframe: 'text',
  slug: 'text',
  token_ids: 'two texts',
  outcomes: 'two texts',
  token_id_up: 'text',
  token_id_down: 'text',
  end_date: 'time',
  active: 'flag',
  expired: 'flag',
  expires_in: 'whole',
}
export const ORDERBOOK: Members = {
  market_id: 'text',
  marketId: 'text',
  category: 'text',
  subcategory: 'text',
  label: 'text',
  question: 'text',
  timeframe: 'text',
  slug: 'text',
  crypto: 'text',
  crypto_price: 'number',
  cryptoPrice: 'number',
  up: 'object',
  down: 'object',
}
export const TOKEN_BOOK: Members = {
  tokenId: 'text',
  timestamp: 'epoch ms',
  eventTimestamp: 'epoch ms',
  captureTimestamp: 'epoch ms',
  sequenceNumber: 'whole',
  outcomeIndex: 'whole',
  bestBid: 'number',
  bestAsk: 'number',
  midPrice: 'number',
  spread: 'number',
  bidDepth: 'number',
  askDepth: 'number',
  bids: 'levels',
  asks: 'levels',
}
export const SNAPSHOT: Members = {
  condition_id: 'text',
  token_id: 'text',
  side: 'side',
  event_timestamp: 'time',
  capture_timestamp: 'time',
  sequence_number: 'whole',
  best_bid: 'number',
  best_ask: 'number',
  mid: 'number',
  spread: 'number',
  depth5_bid: 'number',
  depth5_ask: 'number',
  spot_crypto_usd: 'number or null',
  spot_crypto_age_ms: 'whole or null',
}
export const LADDERS: Members = { bids: 'pairs', asks: 'pairs' }
export const HISTORY_ENTRY: Members = {
  crypto: 'text',
  timeframe: 'text',
  market_id: 'text',
  category: 'text',
  subcategory: 'text',
  first_seen: 'time',
  last_seen: 'time',
  snapshot_count: 'whole text',
  is_live: 'flag',
  end_date: 'time',
  question: 'text',
}
export const EXCHANGE_BOOK: Members = {
  exchange: 'text',
  symbol: 'text',
  timestamp: 'time',
  best_bid: 'number',
  best_ask: 'number',
  mid_price: 'number',
  spread: 'number',
  bid_depth_total: 'number',
  ask_depth_total: 'number',
  bids: 'pairs',
  asks: 'pairs',
}
