import { hostname } from 'node:os'
import { jetstream } from '@nats-io/jetstream'
import type { Logger } from 'pino'
import { drainBus } from '../bus/connect.ts'
import { ShardLeases } from '../bus/shard-leases.ts'
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
import { PRICE_SHARDS, priceVenues, shardCounts } from '../wiring/recorded-venues.ts'
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
    const counts = shardCounts(config)
    await leases.requireCounts(counts)
    const clock = new SamplingClock(machineClock, await startTime(config, leases, counts, log))
    const nowMs = (): number => clock.nowMs()
    const frameDumps = openFrameDumps(config, { nowMs, metrics, log })
    const problems = new ProblemLog(log)
    const emissionLog = config.EMISSION_LOG === undefined ? undefined : new EmissionLog(config.EMISSION_LOG)
    const shared = {
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
    const noteExamples: NoteExamples = (metric, key, examples) =>
      log.debug({ metric, key, examples }, 'examples of markets')
    const runs: Promise<unknown>[] = []
    for (const definition of BINARY_VENUES) {
      const reason = definition.offBecause?.(config)
      if (reason !== undefined) log.info({ venue: definition.id, reason }, 'venue not recorded')
      else {
        const venue = definition.open(config, listening(definition.id))
        const shardCount = definition.shardCount(config)
        runs.push(runCapture({ ...shared, venue, plans: plansWith(config), prices, shardCount, noteExamples }, signal))
      }
    }
    for (const definition of PERP_VENUES) {
      const perps = new FollowPerps({ ...shared, venue: definition.open(config, listening(definition.id)) })
      const shards = { group: definition.id, shardCount: definition.shardCount(config), intervalMs: PERP_INTERVAL_MS }
      runs.push(perps.run(signal), recordSamples({ ...shared, ...shards, markets: perps.markets }, signal))
    }
    for (const venue of priceVenues(config))
      runs.push(new FollowPrices({ ...shared, board: prices, venue }).run(signal))
    const { group, count: shardCount } = PRICE_SHARDS
    const priceRows = { group, shardCount, intervalMs: PRICE_ROWS_EVERY_MS, markets: [], prices }
    runs.push(recordSamples({ ...shared, ...priceRows }, signal), new ClockWatch(shared).run(signal))
    await Promise.all([...runs, raw?.keep(signal)])
    await frameDumps?.settled()
  } finally {
    await raw?.close()
    await drainBus(connection)
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
