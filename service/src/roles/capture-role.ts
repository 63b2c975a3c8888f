import { hostname } from 'node:os'
import { jetstream } from '@nats-io/jetstream'
import { drainBus } from '../bus/connect.ts'
import { ShardLeases } from '../bus/shard-leases.ts'
import { captureMetrics } from '../capture/capture-metrics.ts'
import { EmissionLog } from '../capture/emission-log.ts'
import { FollowPerps } from '../capture/follow-perps.ts'
import { FollowSpot } from '../capture/follow-spot.ts'
import { runCapture } from '../capture/run.ts'
import { machineClock, SamplingClock } from '../capture/sampling-clock.ts'
import { plansWith } from '../domain/plan.ts'
import { binance } from '../venues/binance/venue.ts'
import { FrameDumps } from '../venues/frame-dumps.ts'
import { hyperliquid } from '../venues/hyperliquid/venue.ts'
import { polymarket } from '../venues/polymarket/venue.ts'
import { openBus } from '../wiring/engines.ts'
import type { Role } from './role.ts'

/** Venues → bus. */
export const captureRole: Role = async ({ config, log, registry }, signal) => {
  const owner = `${hostname()}:${process.pid}`
  const metrics = captureMetrics(registry)
  const connection = await openBus(config, 'capture')
  try {
    const client = jetstream(connection)
    const leases = await ShardLeases.open(client, owner)
    const states = await Promise.all(Array.from({ length: config.SHARDS }, (_, shard) => leases.stateOf(shard)))
    const clock = new SamplingClock(machineClock, Math.max(0, ...states.map((state) => state?.lastTickMs ?? 0)))
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
    const shared = { nowMs, log, metrics, frameDumps }
    const perps = new FollowPerps({
      ...shared,
      venue: hyperliquid({ infoUrl: config.HYPERLIQUID_INFO_URL, socketUrl: config.HYPERLIQUID_SOCKET_URL }),
    })
    const spot = new FollowSpot({ ...shared, venue: binance({ streamUrl: config.BINANCE_SOCKET_URL }) })
    const capture = runCapture(
      {
        venue: polymarket({
          gammaUrl: config.POLYMARKET_GAMMA_URL,
          clobUrl: config.POLYMARKET_CLOB_URL,
          socketUrl: config.POLYMARKET_SOCKET_URL,
        }),
        plans: plansWith(config),
        spotOf: (market) => spot.quoteFor(market),
        perps: perps.perps,
        clock,
        jetstream: client,
        leases,
        shardCount: config.SHARDS,
        owner,
        emissionLog: config.EMISSION_LOG === undefined ? undefined : new EmissionLog(config.EMISSION_LOG),
        frameDumps,
        log,
        metrics,
      },
      signal,
    )
    await Promise.all([capture, perps.run(signal), spot.run(signal)])
    await frameDumps?.settled()
  } finally {
    await drainBus(connection)
  }
}
