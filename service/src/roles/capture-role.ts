import { hostname } from 'node:os'
import { jetstream } from '@nats-io/jetstream'
import type { Logger } from 'pino'
import { drainBus } from '../bus/connect.ts'
import { ShardLeases } from '../bus/shard-leases.ts'
import { captureMetrics } from '../capture/capture-metrics.ts'
import { EmissionLog } from '../capture/emission-log.ts'
import { FollowPerps } from '../capture/follow-perps.ts'
import { FollowPrices } from '../capture/follow-prices.ts'
import { PriceBoard } from '../capture/price-board.ts'
import { ProblemLog } from '../capture/problem-log.ts'
import { runCapture } from '../capture/run.ts'
import { machineClock, SamplingClock } from '../capture/sampling-clock.ts'
import { agree, startTimeOf } from '../capture/start-time.ts'
import { plansWith } from '../domain/plan.ts'
import { FrameDumps } from '../venues/frame-dumps.ts'
import { hyperliquid } from '../venues/hyperliquid/venue.ts'
import { polymarket } from '../venues/polymarket/venue.ts'
import { serverTimeMs } from '../venues/server-time.ts'
import { openBus } from '../wiring/engines.ts'
import { openRaw } from '../wiring/open-raw.ts'
import { polymarketAddresses, priceVenues } from '../wiring/recorded-venues.ts'
import type { Role } from './role.ts'

/** Venues → bus. */
export const captureRole: Role = async ({ config, log, registry }, signal) => {
  const owner = `${hostname()}:${process.pid}`
  const metrics = captureMetrics(registry)
  const raw = await openRaw(config, owner, log, registry)
  const connection = await openBus(config, 'capture')
  try {
    const client = jetstream(connection)
    const leases = await ShardLeases.open(client, owner)
    const states = await Promise.all(Array.from({ length: config.SHARDS }, (_, shard) => leases.stateOf(shard)))
    const startMs = await startTime({
      busMs: await leases.serverTimeMs(),
      lastTickMs: Math.max(0, ...states.map((state) => state?.lastTickMs ?? 0)),
      venueUrl: config.POLYMARKET_CLOB_URL,
      log,
    })
    const clock = new SamplingClock(machineClock, startMs)
    const nowMs = (): number => clock.nowMs()
    const { FRAME_DUMP_DIR: folder, FRAME_DUMP_FILES: mostFiles } = config
    const frameDumps =
      folder === undefined
        ? undefined
        : new FrameDumps({
            folder,
            mostFiles,
            nowMs,
            onWritten: ({ venue, reason }) => metrics.frameDumps.inc({ venue, reason }),
            onFailed: (error) => log.warn({ err: error, folder }, 'writing frame dump failed'),
          })
    const problems = new ProblemLog(log)
    const keepAnswers = (venue: string) => (path: string, text: string) =>
      raw?.sink.append({ kind: 'rest', atMs: nowMs(), venue, stream: path, body: text })
    const shared = { nowMs, log, metrics, frameDumps, raw: raw?.sink }
    const perps = new FollowPerps({
      ...shared,
      venue: hyperliquid(
        { infoUrl: config.HYPERLIQUID_INFO_URL, socketUrl: config.HYPERLIQUID_SOCKET_URL },
        keepAnswers('hyperliquid'),
      ),
    })
    const prices = new PriceBoard(nowMs)
    const followed = priceVenues(config).map((venue) => new FollowPrices({ ...shared, board: prices, venue }))
    const capture = runCapture(
      {
        venue: polymarket(
          polymarketAddresses(config),
          (reason) => {
            metrics.restProblems.inc({ venue: 'polymarket' })
            problems.warn('REST answer not understood', reason, { venue: 'polymarket', reason })
          },
          keepAnswers('polymarket'),
        ),
        plans: plansWith(config),
        prices,
        perps: perps.perps,
        clock,
        jetstream: client,
        leases,
        shardCount: config.SHARDS,
        owner,
        emissionLog: config.EMISSION_LOG === undefined ? undefined : new EmissionLog(config.EMISSION_LOG),
        frameDumps,
        raw: raw?.sink,
        log,
        metrics,
        noteExamples: (metric, key, examples) => log.debug({ metric, key, examples }, 'examples of markets'),
      },
      signal,
    )
    await Promise.all([capture, perps.run(signal), ...followed.map((each) => each.run(signal)), raw?.keep(signal)])
    await frameDumps?.settled()
  } finally {
    await raw?.close()
    await drainBus(connection)
  }
}

/** The venue is asked only when this machine and the NATS server disagree about the time. */
async function startTime(known: { busMs: number; lastTickMs: number; venueUrl: string; log: Logger }): Promise<number> {
  const { busMs, lastTickMs, venueUrl, log } = known
  const wallMs = machineClock.wallMs()
  if (agree(wallMs, busMs)) return wallMs
  const venueMs = await serverTimeMs(venueUrl)
  const startMs = startTimeOf({ wallMs: machineClock.wallMs(), busMs, venueMs, lastTickMs })
  log.warn({ wallMs, busMs, venueMs, startMs }, 'clocks of this machine and of NATS differ')
  return startMs
}
