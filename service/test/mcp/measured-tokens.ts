/**
 * The most tokens of a result of each tool in two runs of tools.test.ts, with only the required
 * arguments: a market with ladders of 60 levels, the longest texts and 80 gaps, and lists of the simulated world.
 * `docs/mcp.md` shows these figures.
 */
export const MEASURED_TOKENS: Readonly<Record<string, number>> = {
  list_categories: 275,
  search_markets: 1_422,
  list_live_markets: 3_241,
  get_market: 765,
  get_orderbook: 1_053,
  get_execution_price: 223,
  get_exchange_orderbook: 289,
  get_limits: 165,
  list_market_history: 3_250,
  list_snapshots: 5_051,
  list_bars: 4_737,
  list_gaps: 7_260,
  get_asof: 7_576,
  list_trades: 4_236,
  list_exchange_snapshots: 3_798,
  estimate: 373,
}
