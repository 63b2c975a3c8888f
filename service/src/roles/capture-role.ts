import { hostname } from 'node:os'
import { jetstream } from '@nats-io/jetstream'
import type { Logger } from 'pino'
import { drainBus } from '../bus/connect.ts'
import { PUBLISH_LIMITS } from '../bus/publish.ts'
import { RecorderBoard } from '../bus/recorder-board.ts'
import { ShardLeases } from '../bus/shard-leases.ts'
import { NatsStoredBatches } from '../bus/stored-batches.ts'
import { type CaptureMetrics, captureMetrics } from '../capture/capture-metrics.ts'
import { ClockWatch } from '../capture/clock-watch.ts'
import { EmissionLog } from '../capture/emission-log.ts'
import { FollowPerps } from '../capture/follow-perps.ts'
import { FollowPrices } from '../capture/follow-prices.ts'
import type { NoteExamples } from '../capture/listing-figures.ts'
import { PriceBoard } from '../capture/price-board.ts'
import { ProblemLog } from '../capture/problem-log.ts'
import { recordSamples } from '../capture/record-samples.ts'
import { runCapture } from '../capture/run.ts'
import { machineClock, SamplingClock } from '../capture/sampling-clock.ts'
import { agree, startTimeOf } from '../capture/start-time.ts'
import type { Config } from '../config.ts'
import { PERP_INTERVAL_MS, plansWith } from '../domain/plan.ts'
import { shardsOf } from '../domain/shards.ts'
import { BINARY_VENUES, PERP_VENUES } from '../venue-registry.ts'
import { FrameDumps } from '../venues/frame-dumps.ts'
import { serverTimeMs } from '../venues/server-time.ts'
import { openBus } from '../wiring/engines.ts'
import { openRaw } from '../wiring/open-raw.ts'
import { PRICE_SHARDS, priceVenues, recordedCounts } from '../wiring/recorded-venues.ts'
import type { Role } from './role.ts'

/** One price per second is stored. */
const PRICE_ROWS_EVERY_MS = 1_000

/** Venues → bus. */
export const captureRole: Role = async ({ config, log, registry }, signal) => {
  const owner = `${hostname()}:${process.pid}`
  const metrics = captureMetrics(registry)
  const raw = await openRaw(config, owner, log, registry)
  const connection = await openBus(config, 'capture')
  try {
    const client = jetstream(connection)
    const leases = await ShardLeases.open(client, owner)
    const counts = recordedCounts(config)
    await leases.requireCounts(counts)
    const allShards = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const ofShards = (group: string) => {
      const shardCount = counts.get(group) ?? 0
      return { shardCount, publishLimits: { queueBytes: (PUBLISH_LIMITS.queueBytes * shardCount) / allShards } }
    }
    const clock = new SamplingClock(machineClock, await startTime(config, leases, counts, log))
    const nowMs = (): number => clock.nowMs()
    const frameDumps = openFrameDumps(config, { nowMs, metrics, log })
    const problems = new ProblemLog(log)
    const emissionLog = config.EMISSION_LOG === undefined ? undefined : new EmissionLog(config.EMISSION_LOG)
    const board = new RecorderBoard({
      leases,
      capacity: config.CAPTURE_CAPACITY,
      standbys: config.CAPTURE_STANDBYS,
      groups: [...counts.keys()],
      onTrouble: (err) => problems.warn('announcing this recorder failed', 'recorders', { err }),
    })
    const shared = {
      connection,
      board,
      stored: new NatsStoredBatches(connection),
      nowMs,
      clock,
      log,
      metrics,
      frameDumps,
      raw: raw?.sink,
      jetstream: client,
      leases,
      owner,
      emissionLog,
    }
    const listening = (venue: string) => ({
      onAnswer: (path: string, text: string) =>
        raw?.sink.append({ kind: 'rest', atMs: nowMs(), venue, stream: path, body: text }),
      onProblem: (reason: string) => {
        metrics.restProblems.inc({ venue })
        problems.warn('REST answer not understood', reason, { venue, reason })
      },
    })
    const prices = new PriceBoard(nowMs)
    const { CAPTURE_SHED_ABOVE: shedAbove } = config
    const noteExamples: NoteExamples = (metric, key, examples) =>
      log.debug({ metric, key, examples }, 'examples of markets')
    // All venues are opened before the first one is recorded: a wrong setting of one must not leave others running.
    const binary = BINARY_VENUES.filter(({ id }) => counts.has(id)).map((definition) => {
      const venue = definition.open(config, listening(definition.id))
      return {
        ...shared,
        ...ofShards(venue.id),
        venue,
        plans: plansWith(config),
        prices,
        noteExamples,
        shedding: { load: busyShare(), shedAbove },
      }
    })
    const perps = PERP_VENUES.map((definition) => {
      const venue = definition.open(config, listening(definition.id))
      return { venue, follow: new FollowPerps({ ...shared, venue }) }
    })
    const priceFeeds = priceVenues(config).map((venue) => new FollowPrices({ ...shared, board: prices, venue }))
    for (const { id, offBecause } of BINARY_VENUES)
      if (!counts.has(id)) log.info({ venue: id, reason: offBecause?.(config) }, 'venue not recorded')

    const { group } = PRICE_SHARDS
    const priceRows = { ...ofShards(group), group, intervalMs: PRICE_ROWS_EVERY_MS, markets: [], prices }
    const perpRows = perps.map(({ venue: { id }, follow }) => {
      const onFollowed = (isFollowed: boolean): void => {
        follow.isWanted = isFollowed
      }
      const { markets, tape } = follow
      return { ...ofShards(id), group: id, intervalMs: PERP_INTERVAL_MS, markets, tape, onFollowed }
    })
    // What the recorders need goes on until the last of them has given its shards to other processes.
    const ended = new AbortController()
    const recorders = Promise.all([
      ...binary.map((deps) => runCapture(deps, signal)),
      ...[...perpRows, priceRows].map((rows) => recordSamples({ ...shared, ...rows }, signal)),
    ])
    await Promise.all([
      recorders.finally(() => ended.abort()),
      ...[...perps.map(({ follow }) => follow), ...priceFeeds, board].map((each) => each.run(ended.signal)),
      new ClockWatch(shared).run(signal),
      raw?.keep(ended.signal),
    ])
    await frameDumps?.settled()
  } finally {
    await raw?.close()
    await drainBus(connection)
  }
}

/** The share of the time since the last call in which the event loop of this process was busy. */
function busyShare(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}

function openFrameDumps(
  { FRAME_DUMP_DIR: folder, FRAME_DUMP_FILES: mostFiles }: Config,
  { nowMs, metrics, log }: { nowMs: () => number; metrics: CaptureMetrics; log: Logger },
): FrameDumps | undefined {
  if (folder === undefined) return undefined
  return new FrameDumps({
    folder,
    mostFiles,
    nowMs,
    onWritten: ({ venue, reason }) => metrics.frameDumps.inc({ venue, reason }),
    onFailed: (error) => log.warn({ err: error, folder }, 'writing frame dump failed'),
  })
}

/** A venue is asked only when this machine and the NATS server disagree about the time. */
async function startTime(
  config: Config,
  leases: ShardLeases,
  counts: ReadonlyMap<string, number>,
  log: Logger,
): Promise<number> {
  const shards = [...counts].flatMap(([group, count]) => shardsOf(group, count))
  const states = await Promise.all(shards.map((shard) => leases.stateOf(shard)))
  const lastTickMs = Math.max(0, ...states.map((state) => state?.lastTickMs ?? 0))
  const busMs = await leases.serverTimeMs()
  const wallMs = machineClock.wallMs()
  if (agree(wallMs, busMs)) return wallMs
  const venueUrl = BINARY_VENUES.map((venue) => venue.clockUrl?.(config)).find((url) => url !== undefined)
  const venueMs = venueUrl === undefined ? undefined : await serverTimeMs(venueUrl)
  const startMs = startTimeOf({ wallMs: machineClock.wallMs(), busMs, venueMs, lastTickMs })
  log.warn({ wallMs, busMs, venueMs, startMs }, 'clocks of this machine and of NATS differ')
  return startMs
}
