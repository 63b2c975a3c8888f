// Nightly: a recorder follows simulated sockets in real time.
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rowsIn } from '../../src/bus/batch.ts'
import { ShardLeases } from '../../src/bus/shard-leases.ts'
import { NatsStoredBatches } from '../../src/bus/stored-batches.ts'
import { captureMetrics } from '../../src/capture/capture-metrics.ts'
import { FollowPerps } from '../../src/capture/follow-perps.ts'
import { recordSamples } from '../../src/capture/record-samples.ts'
import { machineClock, SamplingClock } from '../../src/capture/sampling-clock.ts'
import { PERP_INTERVAL_MS } from '../../src/domain/plan.ts'
import { perpTradeSchema } from '../../src/domain/rows/perp-trade.ts'
import { hyperliquid } from '../../src/venues/hyperliquid/venue.ts'
import { openBus } from '../bus/open-bus.ts'
import { listenToBatches } from '../faults/live-batches.ts'
import { openSimulator } from '../venues/open-simulator.ts'
import { testBoard } from './capture-scene.ts'

let stack: Awaited<ReturnType<typeof borrowStack>>

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
})
afterAll(async () => {
  await stack?.stop()
})

test('a restarted recorder does not publish the trades again that the venue repeats', {
  timeout: 300_000,
}, async () => {
  const { perpInfo: infoUrl, perpSocket: socketUrl } = (await openSimulator({ startMs: Date.now() })).addresses
  await using bus = await openBus(stack, { maxBytes: 100_000_000, deadMaxBytes: 1_000_000 })
  const batches = await listenToBatches(bus.connection)
  const trades = () =>
    batches
      .flatMap(({ batch }) => [...rowsIn(batch, 'perp_trades', perpTradeSchema)])
      .map(({ symbol, tradeId }) => `${symbol} ${tradeId}`)
  const record = async (): Promise<() => Promise<void>> => {
    const clock = new SamplingClock(machineClock)
    const shared = { log: pino({ level: 'silent' }), metrics: captureMetrics(new Registry()) }
    const venue = hyperliquid({ infoUrl, socketUrl })
    const perps = new FollowPerps({ ...shared, venue, nowMs: () => clock.nowMs() })
    perps.isWanted = true
    const leases = await ShardLeases.open(bus.jetstream, 'recorder')
    const board = testBoard(leases, ['hyperliquid'])
    const stored = new NatsStoredBatches(bus.connection)
    const { markets, tape } = perps
    const engine = { jetstream: bus.jetstream, owner: 'recorder', emissionLog: undefined, leases, board, stored, clock }
    const shards = { group: 'hyperliquid', shardCount: 1, intervalMs: PERP_INTERVAL_MS, markets, tape }
    const [stop, ended] = [new AbortController(), new AbortController()]
    const recorded = recordSamples({ ...shared, ...engine, ...shards }, stop.signal).finally(() => ended.abort())
    const running = Promise.all([recorded, perps.run(ended.signal), board.run(ended.signal)])
    return async () => {
      stop.abort()
      await running
    }
  }
  const endFirst = await record()
  await expect.poll(() => trades().length).toBeGreaterThan(40)
  await endFirst()
  const published = trades().length
  const endSecond = await record()
  await expect.poll(() => trades().length).toBeGreaterThan(published + 20)
  await endSecond()
  const all = trades()
  expect(all.length - new Set(all).size).toBe(0)
})
