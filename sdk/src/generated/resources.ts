// Made by `npm run docs`, from the OpenAPI document. Changes here are lost.

import type { CallOptions } from '../call-options.ts'
import type { Caller } from '../caller.ts'
import type { DownloadedFile, DownloadOptions } from '../download.ts'
import type * as api from './api-types.ts'
import { OPERATIONS } from './operations.ts'

export class PublicResource {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /**
   * Get the state of the service and its parts, at most five seconds old.
   *
   * Returns 503 with the same body when the service is down.
   */
  health(options?: CallOptions): Promise<api.GetHealthReply> {
    return this.#caller.json(OPERATIONS.get_health, {}, options)
  }

  /** Liveness check of this process, for the process manager */
  liveness(options?: CallOptions): Promise<api.GetLivenessReply> {
    return this.#caller.json(OPERATIONS.get_liveness, {}, options)
  }

  /**
   * Readiness check of this process, for load balancers.
   *
   * Returns 503 with the same body while the service is down or this process has not loaded the list of markets yet.
   */
  readiness(options?: CallOptions): Promise<api.GetReadinessReply> {
    return this.#caller.json(OPERATIONS.get_readiness, {}, options)
  }

  /** Get public figures: snapshots, active markets, spot prices */
  stats(options?: CallOptions): Promise<api.GetPublicStatsReply> {
    return this.#caller.json(OPERATIONS.get_public_stats, {}, options)
  }

  /**
   * Get the state of each service now and its uptime on each of the last 90 days.
   *
   * The incidents are also an Atom feed, at `/v1/status.atom`.
   */
  status(options?: CallOptions): Promise<api.GetStatusReply> {
    return this.#caller.json(OPERATIONS.get_status, {}, options)
  }

  /** List the packs that can be bought and the limits of each tier */
  packs(options?: CallOptions): Promise<api.ListPacksReply> {
    return this.#caller.json(OPERATIONS.list_packs, {}, options)
  }

  /**
   * List the coins that packs can be paid with.
   *
   * As the payment processor reports them; the list may be ten minutes old.
   */
  currencies(options?: CallOptions): Promise<api.ListCurrenciesReply> {
    return this.#caller.json(OPERATIONS.list_currencies, {}, options)
  }

  /**
   * List finished hours that everybody may look at.
   *
   * Each is one hour of one market, with its gaps: some of its snapshots as JSON, and all of them as a Parquet file. The list is empty when the operator has made none.
   */
  samples(options?: CallOptions): Promise<api.ListSamplesReply> {
    return this.#caller.json(OPERATIONS.list_samples, {}, options)
  }

  /**
   * Get a sample with some of its snapshots.
   *
   * 500 token snapshots at most, as the list of snapshots has them: around the first gap of the hour, or from its beginning. All of them are in the file.
   */
  sample(sample: string, options?: CallOptions): Promise<api.GetSampleReply> {
    return this.#caller.json(OPERATIONS.get_sample, { sample }, options)
  }

  /**
   * Get the heat map of a sample: sizes by time and price.
   *
   * The tiles that touch the hour, in the order of time, as `GET /v1/markets/{id}/heatmap` has them with 16 slots in a column, when the sample was made. The list is empty for a sample of an earlier version.
   */
  sampleHeatmap(sample: string, query: api.GetSampleHeatmapQuery = {}, options?: CallOptions): Promise<api.GetSampleHeatmapReply> {
    return this.#caller.json(OPERATIONS.get_sample_heatmap, { sample, ...query }, options)
  }

  /**
   * Download a sample as a Parquet file.
   *
   * The file of an hour as `GET /v1/markets/{id}/export` has it, free and without a key. Supports `Range`, `If-Range` and `If-None-Match`; `ETag` and `X-Sha256` contain the hash of the whole file.
   */
  sampleFile(sample: string, options?: DownloadOptions): Promise<DownloadedFile> {
    return this.#caller.file(OPERATIONS.get_sample_file, { sample }, options)
  }

  /** What `sampleFile` would bring and cost with the same query; free of charge. */
  sampleFileDryRun(sample: string, options?: CallOptions): Promise<api.GetSampleFileDryRun> {
    return this.#caller.json(OPERATIONS.get_sample_file, { sample, dry_run: true }, options)
  }

  /**
   * List hours whose rows were corrected.
   *
   * Newest first. Rows of a finished hour change only when they are produced again from what the venue sent, for example after an error in a decoder was corrected. The revision of the hour then increases, and accounts that bought the file of the hour can download the new one free of charge.
   */
  corrections(query: api.ListCorrectionsQuery = {}, options?: CallOptions): Promise<api.ListCorrectionsReply> {
    return this.#caller.json(OPERATIONS.list_corrections, { ...query }, options)
  }

  /** Page after page of `corrections`, each as large as may be unless `limit` is given. */
  correctionsPages(query: api.ListCorrectionsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListCorrectionsReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_corrections, { ...query }, options)
  }

  /** Every item of every page of `corrections`. */
  allCorrections(query: api.ListCorrectionsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListCorrectionsReply['corrections'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_corrections, { ...query }, options)
  }
}

export class SystemResource {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /**
   * Get counts of recorded data by category, and counters of the pipeline.
   *
   * Needs the scope `live`.
   */
  stats(options?: CallOptions): Promise<api.GetStatsReply> {
    return this.#caller.json(OPERATIONS.get_stats, {}, options)
  }

  /**
   * Get capture rates, buffer depths and error counts by venue, plan and kind.
   *
   * Sums over all running processes, which report once a second. The names are those of the Prometheus metrics; the inner names are label values, such as `polymarket` or `polymarket unknown_key`, or `all` for a metric without labels. A process without a report for 15 s is left out.
   *
   * Needs the scope `live`.
   */
  debug(options?: CallOptions): Promise<api.GetDebugReply> {
    return this.#caller.json(OPERATIONS.get_debug, {}, options)
  }
}

export class MarketsResource {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /**
   * List the recorded categories with their sampling interval and number of markets.
   *
   * Needs the scope `live`.
   */
  categories(options: api.ListCategoriesQuery & CallOptions = {}): Promise<api.ListCategoriesReply> {
    return this.#caller.json(OPERATIONS.list_categories, { venue: options.venue }, options)
  }

  /**
   * List live and upcoming markets.
   *
   * Live and upcoming markets are sorted by their end, soonest first, so `crypto=BTC&timeframe=5m&limit=1` is the current window. Count and page are in the headers `X-Total-Count`, `X-Limit` and `X-Offset`, and the cursor of the next page is in `X-Next-Cursor`; `X-Tier-Scope-Filtered` lists the categories that the tier does not include.
   *
   * Needs the scope `live`.
   */
  live<F extends api.Form = 'described'>(query: api.ListLiveMarketsQuery & { form?: F | undefined } = {}, options?: CallOptions): Promise<api.ListLiveMarketsForms[F]> {
    return this.#caller.json(OPERATIONS.list_live_markets, { ...query }, options)
  }

  /** Page after page of `live`, each as large as may be unless `limit` is given. */
  livePages<F extends api.Form = 'described'>(query: api.ListLiveMarketsQuery & { form?: F | undefined } = {}, options?: CallOptions): AsyncGenerator<api.ListLiveMarketsForms[F], void, undefined> {
    return this.#caller.pages(OPERATIONS.list_live_markets, { ...query }, options)
  }

  /** Every item of every page of `live`. */
  allLive(query: api.ListLiveMarketsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListLiveMarketsReply[number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_live_markets, { ...query }, options)
  }

  /**
   * List the best prices of up to 500 markets, or of up to 100 given ids.
   *
   * Best bid and ask of both tokens with their sizes and age, of the live and upcoming markets that the filters find, or of the given ids. The rules are those of the live book: a market without a book of the last minute, and a given id of a market that is past its end, is in `without_quote`.
   *
   * Needs the scope `live`.
   */
  quotes(query: api.ListQuotesQuery = {}, options?: CallOptions): Promise<api.ListQuotesReply> {
    return this.#caller.json(OPERATIONS.list_quotes, { ...query }, options)
  }

  /**
   * Search markets by words.
   *
   * Searches question, event, slug, subcategory and label of the markets without a result, best match first. Beginnings of words and misspelled words are found, too; when no market has all words, those with some of them. The number of all matches is in the header `X-Total-Count`.
   *
   * Needs the scope `live`.
   */
  search(query: api.SearchMarketsQuery, options?: CallOptions): Promise<api.SearchMarketsReply> {
    return this.#caller.json(OPERATIONS.search_markets, { ...query }, options)
  }

  /**
   * List events: groups of markets that the venue lists under one title.
   *
   * Events with at least one market without a result that matches the filters; the event whose market ends first comes first. `GET /v1/events/{event}` lists the markets of an event, also after its end.
   *
   * Needs the scope `live`.
   */
  events(query: api.ListEventsQuery = {}, options?: CallOptions): Promise<api.ListEventsReply> {
    return this.#caller.json(OPERATIONS.list_events, { ...query }, options)
  }

  /** Page after page of `events`, each as large as may be unless `limit` is given. */
  eventsPages(query: api.ListEventsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListEventsReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_events, { ...query }, options)
  }

  /** Every item of every page of `events`. */
  allEvents(query: api.ListEventsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListEventsReply['events'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_events, { ...query }, options)
  }

  /**
   * Get an event with its markets.
   *
   * All markets of the event, also ended ones, by their end.
   *
   * Needs the scope `live`.
   */
  event(event: string, query: api.GetEventQuery = {}, options?: CallOptions): Promise<api.GetEventReply> {
    return this.#caller.json(OPERATIONS.get_event, { event, ...query }, options)
  }

  /** Page after page of `event`, each as large as may be unless `limit` is given. */
  eventPages(event: string, query: api.GetEventQuery = {}, options?: CallOptions): AsyncGenerator<api.GetEventReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.get_event, { event, ...query }, options)
  }

  /** Every item of every page of `event`. */
  allEvent(event: string, query: api.GetEventQuery = {}, options?: CallOptions): AsyncGenerator<api.GetEventReply['markets'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.get_event, { event, ...query }, options)
  }

  /**
   * Get a live or ended market by its slug, a part of the slug, or its condition id.
   *
   * Needs the scope `live`.
   */
  get(slug: string, options: api.GetMarketQuery & CallOptions = {}): Promise<api.GetMarketReply> {
    return this.#caller.json(OPERATIONS.get_market, { slug, venue: options.venue }, options)
  }

  /**
   * Get both live books of a market by its slug.
   *
   * Only for markets that have not reached their end. A slug that matches a market past its end is 404; the error says which market matched and how. The exact slug of an ended window never returns the book of another window; a time that no recorded window contains returns the current window of the series (`matched_by`: `current_window`).
   *
   * Needs the scope `live`.
   */
  orderbookBySlug<F extends api.Form = 'described'>(slug: string, query: api.GetOrderbookBySlugQuery & { form?: F | undefined } = {}, options?: CallOptions): Promise<api.GetOrderbookBySlugForms[F]> {
    return this.#caller.json(OPERATIONS.get_orderbook_by_slug, { slug, ...query }, options)
  }

  /**
   * Get both live books of a market.
   *
   * Only for markets that have not reached their end; afterwards 404, also while the outcome is not known.
   *
   * Needs the scope `live`.
   */
  orderbook<F extends api.Form = 'described'>(id: string, query: api.GetOrderbookQuery & { form?: F | undefined } = {}, options?: CallOptions): Promise<api.GetOrderbookForms[F]> {
    return this.#caller.json(OPERATIONS.get_orderbook, { id, ...query }, options)
  }

  /**
   * Get the depth near the mid price of a live market, and its imbalance.
   *
   * Needs the scope `live`.
   */
  depth(id: string, query: api.GetMarketDepthQuery = {}, options?: CallOptions): Promise<api.GetMarketDepthReply> {
    return this.#caller.json(OPERATIONS.get_market_depth, { id, ...query }, options)
  }

  /**
   * Get price range, spread, depth and coverage of a market.
   *
   * Covers everything recorded that the tier includes; `window` is its time range.
   *
   * Needs the scope `history`.
   */
  summary(id: string, options?: CallOptions): Promise<api.GetMarketSummaryReply> {
    return this.#caller.json(OPERATIONS.get_market_summary, { id }, options)
  }

  /**
   * List all recorded markets with their number of snapshots; up to 30 seconds old.
   *
   * `X-Cache-Age` is the age of the list in seconds. For the current list use /v1/markets/history/recent.
   *
   * Needs the scope `history`.
   */
  history(query: api.ListMarketHistoryQuery = {}, options?: CallOptions): Promise<api.ListMarketHistoryReply> {
    return this.#caller.json(OPERATIONS.list_market_history, { ...query }, options)
  }

  /** Page after page of `history`, each as large as may be unless `limit` is given. */
  historyPages(query: api.ListMarketHistoryQuery = {}, options?: CallOptions): AsyncGenerator<api.ListMarketHistoryReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_market_history, { ...query }, options)
  }

  /** Every item of every page of `history`. */
  allHistory(query: api.ListMarketHistoryQuery = {}, options?: CallOptions): AsyncGenerator<api.ListMarketHistoryReply['markets'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_market_history, { ...query }, options)
  }

  /**
   * List all recorded markets with their number of snapshots; at most 2 seconds old.
   *
   * Newest market first. `limit` and `cursor` read it page by page; `since` returns only markets recorded since then.
   *
   * Needs the scope `history`.
   */
  recent(query: api.ListRecentMarketsQuery = {}, options?: CallOptions): Promise<api.ListRecentMarketsReply> {
    return this.#caller.json(OPERATIONS.list_recent_markets, { ...query }, options)
  }

  /** Page after page of `recent`, each as large as may be unless `limit` is given. */
  recentPages(query: api.ListRecentMarketsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListRecentMarketsReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_recent_markets, { ...query }, options)
  }

  /** Every item of every page of `recent`. */
  allRecent(query: api.ListRecentMarketsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListRecentMarketsReply['markets'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_recent_markets, { ...query }, options)
  }

  /**
   * Get the price at which an order would be executed, now or in the past.
   *
   * Fills the order from the levels of the book with exact arithmetic. Fees are not included.
   *
   * Needs the scope `live`; with `timestamp`, the scope `history` instead.
   */
  executionPrice(id: string, query: api.GetExecutionPriceQuery, options?: CallOptions): Promise<api.GetExecutionPriceReply> {
    return this.#caller.json(OPERATIONS.get_execution_price, { id, ...query }, options)
  }
}

export class SnapshotsResource {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /**
   * List the stored books and gaps of a market.
   *
   * Pages are disjoint and complete, also while rows arrive. Without `from` and `to` the newest rows come first. On the free tier a request without `from` starts 24 hours ago; `history_from` is this time, when older rows exist.
   *
   * Needs the scope `history`.
   *
   * Costs 10 credits for each delivered answer.
   */
  list<F extends api.Form = 'described'>(id: string, query: api.ListSnapshotsQuery & { form?: F | undefined } = {}, options?: CallOptions): Promise<api.ListSnapshotsForms[F]> {
    return this.#caller.json(OPERATIONS.list_snapshots, { id, ...query }, options)
  }

  /** What `all` would bring and cost with the same query; free of charge. */
  listDryRun(id: string, query: api.ListSnapshotsQuery = {}, options?: CallOptions): Promise<api.ListSnapshotsDryRun> {
    return this.#caller.json(OPERATIONS.list_snapshots, { limit: OPERATIONS.list_snapshots.pages.limit, id, ...query, dry_run: true }, options)
  }

  /** Page after page of `list`, each as large as may be unless `limit` is given. */
  pages<F extends api.Form = 'described'>(id: string, query: api.ListSnapshotsQuery & { form?: F | undefined } = {}, options?: CallOptions): AsyncGenerator<api.ListSnapshotsForms[F], void, undefined> {
    return this.#caller.pages(OPERATIONS.list_snapshots, { id, ...query }, options)
  }

  /** Every item of every page of `list`. */
  all<F extends api.Form = 'described'>(id: string, query: api.ListSnapshotsQuery & { form?: F | undefined } = {}, options?: CallOptions): AsyncGenerator<api.ListSnapshotsForms[F]['snapshots'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_snapshots, { id, ...query }, options)
  }

  /**
   * Get the stored book of a market nearest to a time.
   *
   * Needs the scope `history`.
   */
  get<F extends api.Form = 'described'>(query: api.GetSnapshotQuery & { form?: F | undefined }, options?: CallOptions): Promise<api.GetSnapshotForms[F]> {
    return this.#caller.json(OPERATIONS.get_snapshot, { ...query }, options)
  }

  /**
   * List the five newest snapshots of live markets.
   *
   * Newest slot first; within a slot, the market that ends first. Each entry is the UP token with DOWN in `counterpart`; with `form=declared` it is the UP token alone.
   *
   * Needs the scope `live`.
   */
  latest<F extends api.Form = 'described'>(query: api.ListLatestSnapshotsQuery & { form?: F | undefined } = {}, options?: CallOptions): Promise<api.ListLatestSnapshotsForms[F]> {
    return this.#caller.json(OPERATIONS.list_latest_snapshots, { ...query }, options)
  }
}

export class ExchangeResource {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /**
   * Get the live book of a perpetual future.
   *
   * Needs the scope `live`.
   */
  orderbook(query: api.GetExchangeOrderbookQuery, options?: CallOptions): Promise<api.GetExchangeOrderbookReply> {
    return this.#caller.json(OPERATIONS.get_exchange_orderbook, { ...query }, options)
  }

  /**
   * List the stored books of a perpetual future.
   *
   * Without `from`, the 24 hours before `to`. The header `X-Next-Cursor` is set when a page follows; `X-From` is the start of the range. Books of the last 60 seconds are for the tiers that have the live exchange book; for the others the header `X-Restricted-From` tells where the list ends.
   *
   * Needs the scope `history`.
   */
  snapshots(query: api.ListExchangeSnapshotsQuery, options?: CallOptions): Promise<api.ListExchangeSnapshotsReply> {
    return this.#caller.json(OPERATIONS.list_exchange_snapshots, { ...query }, options)
  }

  /** Page after page of `snapshots`, each as large as may be unless `limit` is given. */
  snapshotsPages(query: api.ListExchangeSnapshotsQuery, options?: CallOptions): AsyncGenerator<api.ListExchangeSnapshotsReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_exchange_snapshots, { ...query }, options)
  }

  /** Every item of every page of `snapshots`. */
  allSnapshots(query: api.ListExchangeSnapshotsQuery, options?: CallOptions): AsyncGenerator<api.ListExchangeSnapshotsReply[number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_exchange_snapshots, { ...query }, options)
  }

  /**
   * Get how complete the books of a perpetual future are, by hour or day.
   *
   * The range is widened to whole hours or days. When it is longer than 31 days by hour or 92 days by day, only its newest days are answered. Data of the last 60 seconds is for the tiers that have the live exchange book; for the others `restricted_from` tells where the answer ends.
   *
   * Needs the scope `history`.
   */
  coverage(query: api.GetExchangeCoverageQuery, options?: CallOptions): Promise<api.GetExchangeCoverageReply> {
    return this.#caller.json(OPERATIONS.get_exchange_coverage, { ...query }, options)
  }

  /**
   * Get a tile of the heat map of a perpetual future: sizes by time and price.
   *
   * A tile has 256 columns; its rows are price steps from the lowest to the highest price of its books. It is free when a column has at least four slots and is at least one second long; in a finer tile each column with data is an exact book: free for the first 5,000 exact books of an account and UTC day, then 1 credit for every 50 of an answer, rounded up. Data of the last 60 seconds is for the tiers that have the live exchange book; for the others `restricted_from` tells where the answer ends.
   *
   * Needs the scope `history`.
   */
  heatmap(query: api.GetExchangeHeatmapQuery, options?: CallOptions): Promise<api.GetExchangeHeatmapReply> {
    return this.#caller.json(OPERATIONS.get_exchange_heatmap, { ...query }, options)
  }

  /**
   * List the trades of a perpetual future.
   *
   * Each trade once, from the taker’s side, by the venue’s time. Data of the last 60 seconds is for the tiers that have the live exchange book; for the others `restricted_from` tells where the answer ends.
   *
   * Needs the scope `history`.
   */
  trades(query: api.ListExchangeTradesQuery, options?: CallOptions): Promise<api.ListExchangeTradesReply> {
    return this.#caller.json(OPERATIONS.list_exchange_trades, { ...query }, options)
  }

  /** Page after page of `trades`, each as large as may be unless `limit` is given. */
  tradesPages(query: api.ListExchangeTradesQuery, options?: CallOptions): AsyncGenerator<api.ListExchangeTradesReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_exchange_trades, { ...query }, options)
  }

  /** Every item of every page of `trades`. */
  allTrades(query: api.ListExchangeTradesQuery, options?: CallOptions): AsyncGenerator<api.ListExchangeTradesReply['trades'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_exchange_trades, { ...query }, options)
  }

  /**
   * List the funding rates of a perpetual future.
   *
   * The venue tells the context of a perpetual future about every second; a row is stored when any of its figures has changed, so a figure holds until the next row unless `gaps` covers the time. Data of the last 60 seconds is for the tiers that have the live exchange book; for the others `restricted_from` tells where the answer ends.
   *
   * Needs the scope `history`.
   */
  funding(query: api.ListExchangeFundingQuery, options?: CallOptions): Promise<api.ListExchangeFundingReply> {
    return this.#caller.json(OPERATIONS.list_exchange_funding, { ...query }, options)
  }

  /** Page after page of `funding`, each as large as may be unless `limit` is given. */
  fundingPages(query: api.ListExchangeFundingQuery, options?: CallOptions): AsyncGenerator<api.ListExchangeFundingReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_exchange_funding, { ...query }, options)
  }

  /** Every item of every page of `funding`. */
  allFunding(query: api.ListExchangeFundingQuery, options?: CallOptions): AsyncGenerator<api.ListExchangeFundingReply['funding'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_exchange_funding, { ...query }, options)
  }

  /**
   * List the open interest of a perpetual future.
   *
   * The venue tells the context of a perpetual future about every second; a row is stored when any of its figures has changed, so a figure holds until the next row unless `gaps` covers the time. Data of the last 60 seconds is for the tiers that have the live exchange book; for the others `restricted_from` tells where the answer ends.
   *
   * Needs the scope `history`.
   */
  openInterest(query: api.ListExchangeOpenInterestQuery, options?: CallOptions): Promise<api.ListExchangeOpenInterestReply> {
    return this.#caller.json(OPERATIONS.list_exchange_open_interest, { ...query }, options)
  }

  /** Page after page of `openInterest`, each as large as may be unless `limit` is given. */
  openInterestPages(query: api.ListExchangeOpenInterestQuery, options?: CallOptions): AsyncGenerator<api.ListExchangeOpenInterestReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_exchange_open_interest, { ...query }, options)
  }

  /** Every item of every page of `openInterest`. */
  allOpenInterest(query: api.ListExchangeOpenInterestQuery, options?: CallOptions): AsyncGenerator<api.ListExchangeOpenInterestReply['open_interest'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_exchange_open_interest, { ...query }, options)
  }

  /**
   * List the mark, oracle and mid prices of a perpetual future.
   *
   * The venue tells the context of a perpetual future about every second; a row is stored when any of its figures has changed, so a figure holds until the next row unless `gaps` covers the time. Data of the last 60 seconds is for the tiers that have the live exchange book; for the others `restricted_from` tells where the answer ends.
   *
   * Needs the scope `history`.
   */
  prices(query: api.ListExchangePricesQuery, options?: CallOptions): Promise<api.ListExchangePricesReply> {
    return this.#caller.json(OPERATIONS.list_exchange_prices, { ...query }, options)
  }

  /** Page after page of `prices`, each as large as may be unless `limit` is given. */
  pricesPages(query: api.ListExchangePricesQuery, options?: CallOptions): AsyncGenerator<api.ListExchangePricesReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_exchange_prices, { ...query }, options)
  }

  /** Every item of every page of `prices`. */
  allPrices(query: api.ListExchangePricesQuery, options?: CallOptions): AsyncGenerator<api.ListExchangePricesReply['prices'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_exchange_prices, { ...query }, options)
  }

  /**
   * List bars of a perpetual future: open, high, low and close of the mid price, with spread and depth.
   *
   * Computed from every stored book. A page has at most `limit` bars and at most 7 days. Bars are in ascending order within and across pages. Data of the last 60 seconds is for the tiers that have the live exchange book; for the others `restricted_from` tells where the answer ends.
   *
   * Needs the scope `history`.
   */
  bars(query: api.ListExchangeBarsQuery, options?: CallOptions): Promise<api.ListExchangeBarsReply> {
    return this.#caller.json(OPERATIONS.list_exchange_bars, { ...query }, options)
  }

  /** Page after page of `bars`, each as large as may be unless `limit` is given. */
  barsPages(query: api.ListExchangeBarsQuery, options?: CallOptions): AsyncGenerator<api.ListExchangeBarsReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_exchange_bars, { ...query }, options)
  }

  /** Every item of every page of `bars`. */
  allBars(query: api.ListExchangeBarsQuery, options?: CallOptions): AsyncGenerator<api.ListExchangeBarsReply['bars'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_exchange_bars, { ...query }, options)
  }

  /**
   * List the gaps in the books of a perpetual future with their causes.
   *
   * Within the recorded range every slot has a row or is covered by a gap. Gaps of trades and contexts are in the lists of these. At most 7 days in one request. Data of the last 60 seconds is for the tiers that have the live exchange book; for the others `restricted_from` tells where the answer ends.
   *
   * Needs the scope `history`.
   */
  gaps(query: api.ListExchangeGapsQuery, options?: CallOptions): Promise<api.ListExchangeGapsReply> {
    return this.#caller.json(OPERATIONS.list_exchange_gaps, { ...query }, options)
  }

  /** Page after page of `gaps`, each as large as may be unless `limit` is given. */
  gapsPages(query: api.ListExchangeGapsQuery, options?: CallOptions): AsyncGenerator<api.ListExchangeGapsReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_exchange_gaps, { ...query }, options)
  }

  /** Every item of every page of `gaps`. */
  allGaps(query: api.ListExchangeGapsQuery, options?: CallOptions): AsyncGenerator<api.ListExchangeGapsReply['gaps'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_exchange_gaps, { ...query }, options)
  }

  /**
   * Download one hour of the books of a perpetual future as a Parquet file.
   *
   * The same hour always has the same bytes. The columns are those of the list of stored books. Costs 1 credit for every 1000 books, rounded up; within 24 hours the same account can download the same hour again, whole or in parts, without paying again. Supports `Range`, `If-Range` and `If-None-Match`; `HEAD` writes no file and has no `ETag` until the file is written; `ETag` and `X-Sha256` contain the hash of the whole file. `X-Gap-Count` is the number of gaps of the hour, `part=gaps` lists them. Needs the scale or enterprise tier, except for `dry_run=true` and `part=gaps`.
   *
   * Needs the scope `history`.
   */
  exportHour(query: api.ExportExchangeHourQuery, options?: DownloadOptions): Promise<DownloadedFile> {
    return this.#caller.file(OPERATIONS.export_exchange_hour, { ...query }, options)
  }

  /** What `exportHour` would bring and cost with the same query; free of charge. */
  exportHourDryRun(query: api.ExportExchangeHourQuery, options?: CallOptions): Promise<api.ExportExchangeHourDryRun> {
    return this.#caller.json(OPERATIONS.export_exchange_hour, { ...query, dry_run: true }, options)
  }
}

export class HistoryResource {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /**
   * Get what was known of several markets at one time.
   *
   * Both books, the spot price and the book of the perpetual future, each with its age at that time. Only samples taken at or before the time are used. For a market without a trusted book, `status` says why. Books of perpetual futures of the last 60 seconds are for the tiers that have the live exchange book; for the others `perp` is null then, and `restricted_from` tells since when.
   *
   * Needs the scope `history`.
   */
  asof(query: api.GetAsofQuery, options?: CallOptions): Promise<api.GetAsofReply> {
    return this.#caller.json(OPERATIONS.get_asof, { ...query }, options)
  }

  /**
   * List bars of a token: open, high, low and close of the mid price, with spread, depth and spot price.
   *
   * Computed from every stored book; each slot counts once. A bar over a gap has a snapshot_count below its expected_count. Bars are in ascending order within and across pages.
   *
   * Needs the scope `history`.
   */
  bars(id: string, query: api.ListBarsQuery = {}, options?: CallOptions): Promise<api.ListBarsReply> {
    return this.#caller.json(OPERATIONS.list_bars, { id, ...query }, options)
  }

  /** Page after page of `bars`, each as large as may be unless `limit` is given. */
  barsPages(id: string, query: api.ListBarsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListBarsReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_bars, { id, ...query }, options)
  }

  /** Every item of every page of `bars`. */
  allBars(id: string, query: api.ListBarsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListBarsReply['bars'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_bars, { id, ...query }, options)
  }

  /**
   * List the trades of a market.
   *
   * Each trade once, from the taker’s side, by the venue’s time. `gaps` lists the times of the page in which trades may be missing, because a connection, the recorder or the message bus failed.
   *
   * Needs the scope `history`.
   */
  trades(query: api.ListTradesQuery, options?: CallOptions): Promise<api.ListTradesReply> {
    return this.#caller.json(OPERATIONS.list_trades, { ...query }, options)
  }

  /** Page after page of `trades`, each as large as may be unless `limit` is given. */
  tradesPages(query: api.ListTradesQuery, options?: CallOptions): AsyncGenerator<api.ListTradesReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_trades, { ...query }, options)
  }

  /** Every item of every page of `trades`. */
  allTrades(query: api.ListTradesQuery, options?: CallOptions): AsyncGenerator<api.ListTradesReply['trades'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_trades, { ...query }, options)
  }

  /**
   * List the recorded prices of a coin from one source.
   *
   * The spot and settlement prices that are recorded beside the books; sources are never merged. `binance`: middle of best bid and ask of the spot pair with USDT; `chainlink`: the spot price in USD that settles most crypto windows; `twap60`: the mean of chainlink over 60 seconds, which settles the short windows. A price that the source corrected is returned as corrected. The price that a window started and ended with is in the market itself.
   *
   * Needs the scope `history`.
   */
  prices(query: api.ListPricesQuery, options?: CallOptions): Promise<api.ListPricesReply> {
    return this.#caller.json(OPERATIONS.list_prices, { ...query }, options)
  }

  /** Page after page of `prices`, each as large as may be unless `limit` is given. */
  pricesPages(query: api.ListPricesQuery, options?: CallOptions): AsyncGenerator<api.ListPricesReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_prices, { ...query }, options)
  }

  /** Every item of every page of `prices`. */
  allPrices(query: api.ListPricesQuery, options?: CallOptions): AsyncGenerator<api.ListPricesReply['prices'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_prices, { ...query }, options)
  }

  /**
   * List the gaps of a market with their causes.
   *
   * Within the recorded range every slot of a market has a row or is covered by a gap; `unrecorded` lists what lies outside of it. Slots of a missing gap that have a row after all are left out.
   *
   * Needs the scope `history`.
   */
  gaps(id: string, query: api.ListGapsQuery = {}, options?: CallOptions): Promise<api.ListGapsReply> {
    return this.#caller.json(OPERATIONS.list_gaps, { id, ...query }, options)
  }

  /** Page after page of `gaps`, each as large as may be unless `limit` is given. */
  gapsPages(id: string, query: api.ListGapsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListGapsReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_gaps, { id, ...query }, options)
  }

  /** Every item of every page of `gaps`. */
  allGaps(id: string, query: api.ListGapsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListGapsReply['gaps'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_gaps, { id, ...query }, options)
  }

  /**
   * Get how complete a market is, by hour or day.
   *
   * The range is widened to whole hours or days. It has at most 31 days by hour and 400 days by day: the newest ones when it is longer. `/v1/markets/{id}/gaps` has every gap with its slots.
   *
   * Needs the scope `history`.
   */
  marketCoverage(id: string, query: api.GetMarketCoverageQuery = {}, options?: CallOptions): Promise<api.GetMarketCoverageReply> {
    return this.#caller.json(OPERATIONS.get_market_coverage, { id, ...query }, options)
  }

  /**
   * List how complete all recorded markets are, by hour or day.
   *
   * The sums of all markets, or of those of one venue or category. Finished hours are counted within minutes of their end, and again a day later. The range has at most 31 days by hour and 400 days by day. `/v1/markets/{id}/coverage` has the same for one market, `/v1/exchange/coverage` for a perpetual future.
   */
  coverage(query: api.ListCoverageQuery = {}, options?: CallOptions): Promise<api.ListCoverageReply> {
    return this.#caller.json(OPERATIONS.list_coverage, { ...query }, options)
  }

  /**
   * Get rows, cost and completeness of a download or a replay before paying for it.
   *
   * For given markets, the windows of a coin, or a category; free of charge. At most 2000 markets, 31 days, and 100000 hours of all markets together. For hours the range is widened to whole hours.
   *
   * Needs the scope `history`.
   */
  estimate(query: api.EstimateQuery, options?: CallOptions): Promise<api.EstimateReply> {
    return this.#caller.json(OPERATIONS.estimate, { ...query }, options)
  }

  /**
   * Get a tile of the heat map of a market: sizes by time and price.
   *
   * A tile has 256 columns. It is free when a column has at least four slots and is at least one second long; in a finer tile each column with data is an exact book: free for the first 5,000 exact books of an account and UTC day, then 1 credit for every 50 of an answer, rounded up. In a tile with the oldest time that the tier includes, the columns that start before it are empty.
   *
   * Needs the scope `history`.
   */
  marketHeatmap(id: string, query: api.GetMarketHeatmapQuery, options?: CallOptions): Promise<api.GetMarketHeatmapReply> {
    return this.#caller.json(OPERATIONS.get_market_heatmap, { id, ...query }, options)
  }

  /**
   * Download one hour of a market as a Parquet file.
   *
   * The same revision of an hour always has the same bytes. `X-Revision`, and after a correction the file name and the `ETag`, tell the revision; accounts that bought an earlier revision get the new one free of charge. The columns are those of the snapshots list; `X-Venue` is the venue of the market. Costs 1 credit for every 1000 token rows, rounded up; within 24 hours the same account can download the same hour again, whole or in parts, without paying again. Supports `Range`, `If-Range` and `If-None-Match`; `HEAD` writes no file and has no `ETag` until the file is written; `ETag` and `X-Sha256` contain the hash of the whole file. `X-Gap-Count` is the number of gaps of the hour, `part=gaps` lists them. Needs the scale or enterprise tier, except for `dry_run=true` and `part=gaps`.
   *
   * Needs the scope `history`.
   */
  exportHour(id: string, query: api.ExportHourQuery, options?: DownloadOptions): Promise<DownloadedFile> {
    return this.#caller.file(OPERATIONS.export_hour, { id, ...query }, options)
  }

  /** What `exportHour` would bring and cost with the same query; free of charge. */
  exportHourDryRun(id: string, query: api.ExportHourQuery, options?: CallOptions): Promise<api.ExportHourDryRun> {
    return this.#caller.json(OPERATIONS.export_hour, { id, ...query, dry_run: true }, options)
  }
}

export class FilesResource {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /**
   * List the files of finished days.
   *
   * The newest day first; free of charge. The file of a day is made some minutes after its end, or up to a day later when rows are still being stored. Without `kind` the books of binary markets are listed: one file has all windows of a coin and timeframe, such as all 5-minute windows of BTC; every other market has a file of its own. `kind=all` lists trades, perpetual futures, prices and gaps too. The same revision always has the same bytes.
   *
   * Needs the scope `history`.
   */
  list(query: api.ListFilesQuery = {}, options?: CallOptions): Promise<api.ListFilesReply> {
    return this.#caller.json(OPERATIONS.list_files, { ...query }, options)
  }

  /** Page after page of `list`, each as large as may be unless `limit` is given. */
  pages(query: api.ListFilesQuery = {}, options?: CallOptions): AsyncGenerator<api.ListFilesReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_files, { ...query }, options)
  }

  /** Every item of every page of `list`. */
  all(query: api.ListFilesQuery = {}, options?: CallOptions): AsyncGenerator<api.ListFilesReply['files'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_files, { ...query }, options)
  }

  /**
   * Download the file of a day.
   *
   * Supports `Range`, `If-Range` and `If-None-Match`, so that programs such as DuckDB can read only the columns they need; `ETag` and `X-Sha256` contain the hash of the whole file. The first download or range costs the `credits` of the file; afterwards the account reads the whole file and all later revisions free of charge, at any time. The columns are those of the list of the same data, such as the snapshots list for books, ordered by market and slot or time. Needs the scale or enterprise tier, except for `part=about`.
   *
   * Needs the scope `history`.
   */
  download(id: string, options?: DownloadOptions): Promise<DownloadedFile> {
    return this.#caller.file(OPERATIONS.download_file, { id }, options)
  }

  /**
   * Get the proof that a file belongs to a signed manifest.
   *
   * Free of charge and without a key. The leaf is the hash of the id, the SHA-256, the bytes and the rows of the file; with the hashes of `path` it gives the root of the manifest. `bookreel verify` and the SDK check it.
   */
  proof(id: string, options?: CallOptions): Promise<api.GetFileProofReply> {
    return this.#caller.json(OPERATIONS.get_file_proof, { id }, options)
  }

  /**
   * List the signed manifests of files.
   *
   * The oldest first; free of charge and without a key. Each hour in which files were made has one entry: the root of the Merkle tree of its files, the hash of the entry before, and a signature. An entry never changes; a corrected file is a new revision in a later entry. Keep the entries that you have seen (`bookreel verify` does), then a changed one is noticed.
   */
  manifests(query: api.ListManifestsQuery = {}, options?: CallOptions): Promise<api.ListManifestsReply> {
    return this.#caller.json(OPERATIONS.list_manifests, { ...query }, options)
  }

  /** Page after page of `manifests`, each as large as may be unless `limit` is given. */
  manifestsPages(query: api.ListManifestsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListManifestsReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_manifests, { ...query }, options)
  }

  /** Every item of every page of `manifests`. */
  allManifests(query: api.ListManifestsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListManifestsReply['manifests'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_manifests, { ...query }, options)
  }
}

export class AccountResource {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /**
   * Get the limits of the key and what is left of them.
   *
   * Costs no credits, but counts towards the rate limit.
   */
  limits(options?: CallOptions): Promise<api.GetLimitsReply> {
    return this.#caller.json(OPERATIONS.get_limits, {}, options)
  }

  /**
   * Get calls, refused calls and charged credits by day, key and endpoint.
   *
   * Covers all keys of the account. Credits are current and match the ledger. Calls appear after a few seconds; calls of the last seconds before a crash of the service may be missing, and no call is counted twice. Refused calls of a valid key are counted by error code; opened streams are not calls.
   */
  usage(query: api.GetUsageQuery = {}, options?: CallOptions): Promise<api.GetUsageReply> {
    return this.#caller.json(OPERATIONS.get_usage, { ...query }, options)
  }

  /**
   * List what the account got and paid, with the balance after each entry.
   *
   * Newest first, of all keys of the account. Free retries and free downloads have no entry. The file of an hour that was bought can be downloaded again until `downloadUntil`, after a correction of its hour always; the file of a day at any time.
   */
  credits(query: api.ListCreditsQuery = {}, options?: CallOptions): Promise<api.ListCreditsReply> {
    return this.#caller.json(OPERATIONS.list_credits, { ...query }, options)
  }

  /** Page after page of `credits`, each as large as may be unless `limit` is given. */
  creditsPages(query: api.ListCreditsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListCreditsReply, void, undefined> {
    return this.#caller.pages(OPERATIONS.list_credits, { ...query }, options)
  }

  /** Every item of every page of `credits`. */
  allCredits(query: api.ListCreditsQuery = {}, options?: CallOptions): AsyncGenerator<api.ListCreditsReply['entries'][number], void, undefined> {
    return this.#caller.items(OPERATIONS.list_credits, { ...query }, options)
  }

  /** Check the key of the request and get its tier and credits */
  validateKey(options?: CallOptions): Promise<api.ValidateKeyReply> {
    return this.#caller.json(OPERATIONS.validate_key, {}, options)
  }
}

/** Every operation, grouped as in the OpenAPI document. */
export class Resources {
  readonly public: PublicResource
  readonly system: SystemResource
  readonly markets: MarketsResource
  readonly snapshots: SnapshotsResource
  readonly exchange: ExchangeResource
  readonly history: HistoryResource
  readonly files: FilesResource
  readonly account: AccountResource

  constructor(caller: Caller) {
    this.public = new PublicResource(caller)
    this.system = new SystemResource(caller)
    this.markets = new MarketsResource(caller)
    this.snapshots = new SnapshotsResource(caller)
    this.exchange = new ExchangeResource(caller)
    this.history = new HistoryResource(caller)
    this.files = new FilesResource(caller)
    this.account = new AccountResource(caller)
  }
}
