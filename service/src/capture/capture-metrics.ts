import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type CaptureMetrics = ReturnType<typeof captureMetrics>

export function captureMetrics(registry: Registry) {
  const registers = [registry]
  return {
    frames: new Counter({
      name: 'capture_frames_total',
      help: 'Frames received from a venue',
      labelNames: ['venue'] as const,
      registers,
    }),
    problems: new Counter({
      name: 'capture_frame_problems_total',
      help: 'Frames or fields that could not be decoded',
      labelNames: ['venue', 'kind'] as const,
      registers,
    }),
    restProblems: new Counter({
      name: 'capture_rest_problems_total',
      help: 'Parts of REST answers of a venue that could not be read',
      labelNames: ['venue'] as const,
      registers,
    }),
    listings: new Counter({
      name: 'capture_listings_total',
      help: 'Listings of the markets of a plan; a partial or failed one removes no market',
      labelNames: ['venue', 'plan', 'outcome'] as const,
      registers,
    }),
    skipped: new Gauge({
      name: 'capture_markets_skipped',
      help: 'Markets of the venue that the newest listing of a plan showed and that are not followed',
      labelNames: ['venue', 'plan', 'reason'] as const,
      registers,
    }),
    differences: new Gauge({
      name: 'capture_discovery_differences',
      help: 'Markets that one way of finding them showed and another did not',
      labelNames: ['venue', 'plan', 'reason'] as const,
      registers,
    }),
    updatesWaiting: new Gauge({
      name: 'capture_market_updates_waiting',
      help: 'Listings and resolutions that NATS has not acknowledged yet',
      registers,
    }),
    updatesDropped: new Counter({
      name: 'capture_market_updates_dropped_total',
      help: 'Listings and resolutions that were dropped because too many were waiting',
      labelNames: ['kind'] as const,
      registers,
    }),
    frameDumps: new Counter({
      name: 'capture_frame_dumps_total',
      help: 'Files written with the last minute of frames of a socket',
      labelNames: ['venue', 'reason'] as const,
      registers,
    }),
    rows: new Counter({
      name: 'capture_rows_total',
      help: 'Rows sampled, by whether both books of the market were proved',
      labelNames: ['verified'] as const,
      registers,
    }),
    gaps: new Counter({
      name: 'capture_gap_records_total',
      help: 'Gap records published',
      labelNames: ['cause'] as const,
      registers,
    }),
    tradeGaps: new Counter({
      name: 'capture_trade_gap_records_total',
      help: 'Records published of times in which trades may be missing',
      labelNames: ['cause'] as const,
      registers,
    }),
    lost: new Counter({
      name: 'capture_sockets_lost_total',
      help: 'Venue sockets that disconnected',
      labelNames: ['cause'] as const,
      registers,
    }),
    socketsOpen: new Gauge({
      name: 'capture_sockets_open',
      help: 'Open sockets to the venue of binary markets, by whether they carry one busy market or many',
      labelNames: ['class'] as const,
      registers,
    }),
    socketLagSeconds: new Histogram({
      name: 'capture_socket_lag_seconds',
      help: 'Median time between a change at the venue and its receipt, of each socket every five seconds',
      labelNames: ['class'] as const,
      buckets: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60],
      registers,
    }),
    socketsReplaced: new Counter({
      name: 'capture_sockets_replaced_total',
      help: 'Sockets whose markets got other sockets, by reason',
      labelNames: ['reason'] as const,
      registers,
    }),
    marketMoves: new Counter({
      name: 'capture_market_moves_total',
      help: 'Markets moved to another socket: proved there without a gap, forced with a gap, or not moved after all',
      labelNames: ['reason', 'outcome'] as const,
      registers,
    }),
    socketBytes: new Counter({
      name: 'capture_socket_bytes_total',
      help: 'Characters received in text frames from a venue',
      labelNames: ['venue'] as const,
      registers,
    }),
    socketNotices: new Counter({
      name: 'capture_socket_notices_total',
      help: 'Texts of the venue that are not data, such as NO NEW ASSETS',
      labelNames: ['venue', 'notice'] as const,
      registers,
    }),
    resyncs: new Counter({
      name: 'capture_resyncs_total',
      help: 'Requests for a new whole book of a market',
      registers,
    }),
    givenUp: new Counter({
      name: 'capture_batches_given_up_total',
      help: 'Batches that could not be published; their slots became gaps',
      labelNames: ['cause'] as const,
      registers,
    }),
    pricesLost: new Counter({
      name: 'capture_prices_lost_total',
      help: 'Prices of coins that were received but could not be published',
      registers,
    }),
    settlementsMissed: new Counter({
      name: 'capture_settlement_prices_missed_total',
      help: 'Starts and ends of followed windows for which the recorded series had no price',
      labelNames: ['source'] as const,
      registers,
    }),
    priceMissing: new Gauge({
      name: 'capture_price_missing',
      help: 'Whether a price that the venue offers is missing or too old (1) or fresh (0)',
      labelNames: ['source', 'coin'] as const,
      registers,
    }),
    priceUnlisted: new Gauge({
      name: 'capture_price_unlisted',
      help: 'Whether the venue does not offer the price of a coin (1) or does (0)',
      labelNames: ['source', 'coin'] as const,
      registers,
    }),
    followed: new Gauge({
      name: 'capture_markets_followed',
      help: 'Markets followed',
      labelNames: ['venue'] as const,
      registers,
    }),
    trusted: new Gauge({
      name: 'capture_markets_trusted',
      help: 'Followed markets whose books are proved now',
      labelNames: ['venue'] as const,
      registers,
    }),
    proofBroken: new Gauge({
      name: 'capture_proof_rule_changed',
      help: 'Whether the venue changed the rule of its proof (1 = yes): rows are recorded as unverified',
      labelNames: ['venue'] as const,
      registers,
    }),
    comparisons: new Counter({
      name: 'capture_book_comparisons_total',
      help: 'Comparisons of books that failed their proof with the REST books of the venue',
      registers,
    }),
    tickOffsetSeconds: new Histogram({
      name: 'capture_tick_offset_seconds',
      help: 'Delay between a tick and its sampling',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25],
      registers,
    }),
    ackSeconds: new Histogram({
      name: 'capture_ack_seconds',
      help: 'Time until NATS acknowledged a batch',
      buckets: [0.002, 0.005, 0.01, 0.03, 0.1, 0.3, 1, 3],
      registers,
    }),
    socketsRefused: new Counter({
      name: 'capture_sockets_refused_total',
      help: 'Connections to a venue that could not be opened',
      labelNames: ['venue'] as const,
      registers,
    }),
    plansShed: new Gauge({
      name: 'capture_plans_shed',
      help: 'Whether the markets of a plan are not recorded because the recorder is overloaded (1) or are (0)',
      labelNames: ['venue', 'plan'] as const,
      registers,
    }),
    shards: new Gauge({
      name: 'capture_shards',
      help: 'Shards that this recorder records (held), and for which it stands by (standby)',
      labelNames: ['venue', 'place'] as const,
      registers,
    }),
    standbyDropped: new Gauge({
      name: 'capture_standby_dropped',
      help: 'Whether this recorder does not stand by for others because it is overloaded (1) or does (0)',
      labelNames: ['venue'] as const,
      registers,
    }),
    queuedBytes: new Gauge({
      name: 'capture_queued_bytes',
      help: 'Bytes queued for publishing to NATS',
      labelNames: ['venue'] as const,
      registers,
    }),
    wallStepSeconds: new Gauge({
      name: 'capture_wall_clock_step_seconds',
      help: 'How far the wall clock was moved since the start of the process',
      registers,
    }),
  }
}
