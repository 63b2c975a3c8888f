import { hostname } from 'node:os'
import { jetstream } from '@nats-io/jetstream'
import { ShardLeases } from '../bus/shard-leases.ts'
import { captureMetrics } from '../capture/capture-metrics.ts'
import { EmissionLog } from '../capture/emission-log.ts'
import { runCapture } from '../capture/run.ts'
import { machineClock, SamplingClock } from '../capture/sampling-clock.ts'
import { CATEGORY_PLANS } from '../domain/plan.ts'
import { polymarket } from '../venues/polymarket/venue.ts'
import { openBus } from './engines.ts'
import type { Role } from './role.ts'

/** Venue → bus. */
export const captureRole: Role = async ({ config, log, registry }, signal) => {
  const owner = `${hostname()}:${process.pid}`
  const connection = await openBus(config, 'capture')
  try {
    const client = jetstream(connection)
    const leases = await ShardLeases.open(client, owner)
    const states = await Promise.all(Array.from({ length: config.SHARDS }, (_, shard) => leases.stateOf(shard)))
    const lastTickMs = Math.max(0, ...states.map((state) => state?.lastTickMs ?? 0))
    await runCapture(
      {
        venue: polymarket({
          gammaUrl: config.POLYMARKET_GAMMA_URL,
          clobUrl: config.POLYMARKET_CLOB_URL,
          socketUrl: config.POLYMARKET_SOCKET_URL,
        }),
        plans: CATEGORY_PLANS,
        spotOf: () => undefined,
        clock: new SamplingClock(machineClock, lastTickMs),
        jetstream: client,
        leases,
        shardCount: config.SHARDS,
        owner,
        emissionLog: config.EMISSION_LOG === undefined ? undefined : new EmissionLog(config.EMISSION_LOG),
        log,
        metrics: captureMetrics(registry),
      },
      signal,
    )
  } finally {
    await connection.drain()
  }
}
