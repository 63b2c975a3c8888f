import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import type { Stack } from '@bookreel/stack/start-stack'
import type { ClickHouseClient } from '@clickhouse/client'
import { jetstream } from '@nats-io/jetstream'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { openArchiveFeed } from '../../src/bus/archive-feed.ts'
import { connectBus } from '../../src/bus/connect.ts'
import { deadLetters } from '../../src/bus/dead-letters.ts'
import type { PublishLimits } from '../../src/bus/publish.ts'
import { unarchived } from '../../src/bus/row-streams.ts'
import { ShardLeases } from '../../src/bus/shard-leases.ts'
import { NatsStoredBatches } from '../../src/bus/stored-batches.ts'
import type { StreamSettings } from '../../src/bus/streams.ts'
import { DEAD_STREAM } from '../../src/bus/subjects.ts'
import { captureMetrics } from '../../src/capture/capture-metrics.ts'
import { EmissionLog } from '../../src/capture/emission-log.ts'
import { FollowPerps } from '../../src/capture/follow-perps.ts'
import { PriceBoard } from '../../src/capture/price-board.ts'
import { recordSamples } from '../../src/capture/record-samples.ts'
import { runCapture } from '../../src/capture/run.ts'
import { machineClock, SamplingClock } from '../../src/capture/sampling-clock.ts'
import { CATEGORY_PLANS, PERP_INTERVAL_MS } from '../../src/domain/plan.ts'
import { gapStore } from '../../src/stores/books/gaps.ts'
import { rowInserter } from '../../src/stores/books/row-inserter.ts'
import { migrateClickHouse } from '../../src/stores/engines/clickhouse-migrations.ts'
import { hyperliquid } from '../../src/venues/hyperliquid/venue.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import { runArchive } from '../../src/workers/archive.ts'
import { archiveMetrics } from '../../src/workers/archive-metrics.ts'
import { type Bus, openBus } from '../bus/open-bus.ts'
import { testBoard } from '../capture/capture-scene.ts'
import { openClickHouse, valuesOf } from '../clickhouse/open-clickhouse.ts'

export type End = () => Promise<void>

/** Simulated venues, NATS and a migrated ClickHouse; the test starts recorder and archive. */
export interface RecordScene extends AsyncDisposable {
  simulator: Simulator
  bus: Bus
  client: ClickHouseClient
  /** File with every row that NATS acknowledged. */
  emissionLog: string
  storedRowsSince(fromMs: number, toMs?: number): Promise<number>
  startCapture(limits: Partial<PublishLimits>): Promise<End>
  startArchive(): Promise<End>
  /** The sum of a metric over its labels. */
  metric(name: string): Promise<number>
  /** Messages that no archive has acknowledged yet. */
  waiting(): Promise<number>
  deadLetters(): Promise<number>
}

const SHARDS = 2

/** Stops merges, which would hide duplicate rows. */
async function stopMerges(client: ClickHouseClient): Promise<void> {
  for (const table of ['snapshots', 'perp_snapshots']) await client.command({ query: `SYSTEM STOP MERGES ${table}` })
}

export async function openRecordScene(
  engines: { nats: Stack; clickhouse: Stack },
  streams: Partial<StreamSettings>,
): Promise<RecordScene> {
  const simulator = await startSimulator({
    seed: 'faults',
    startMs: Date.now(),
    size: { hot: 6, medium: 8, cold: 12 },
    speed: 1,
    port: 0,
    faults: [],
  })
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-faults-'))
  const emissionLog = join(folder, 'emissions.log')
  const bus = await openBus(engines.nats, { deadMaxBytes: 1_000_000, ...streams })
  const client = openClickHouse(engines.clickhouse)
  await migrateClickHouse({ clients: [client], form: { kind: 'single' } })
  await stopMerges(client)
  const log = pino({ level: 'silent' })
  const registry = new Registry()
  const [captureMeters, archiveMeters] = [captureMetrics(registry), archiveMetrics(registry)]
  const ends: End[] = []

  /** Runs until the returned function is called or the scene closes. */
  function start(run: (signal: AbortSignal) => Promise<unknown>): End {
    const stop = new AbortController()
    const running = run(stop.signal)
    running.catch(() => {})
    const end = async (): Promise<void> => {
      stop.abort()
      await running
    }
    ends.push(end)
    return end
  }

  async function startCapture(publishLimits: Partial<PublishLimits>): Promise<End> {
    const [url, user, password] = ['NATS_URL', 'NATS_USER', 'NATS_PASSWORD'].map((name) => engines.nats.variable(name))
    const connection = await connectBus({ url: url ?? '', user: user ?? '', password: password ?? '' }, 'capture')
    const stream = jetstream(connection)
    const clock = new SamplingClock(machineClock)
    const { perpInfo, perpSocket, gamma, clob, marketSocket } = simulator.addresses
    const perps = new FollowPerps({
      venue: hyperliquid({ infoUrl: perpInfo, socketUrl: perpSocket }),
      nowMs: () => clock.nowMs(),
      log,
      metrics: captureMeters,
    })
    const leases = await ShardLeases.open(stream, 'recorder')
    const board = testBoard(leases, ['polymarket', 'hyperliquid'])
    perps.isWanted = true
    const deps = {
      connection,
      board,
      stored: new NatsStoredBatches(connection),
      venue: polymarket({ gammaUrl: gamma, clobUrl: clob, socketUrl: marketSocket }),
      plans: CATEGORY_PLANS,
      prices: new PriceBoard(() => clock.nowMs()),
      clock,
      jetstream: stream,
      leases,
      shardCount: SHARDS,
      owner: 'recorder',
      emissionLog: new EmissionLog(emissionLog),
      publishLimits,
      log,
      metrics: captureMeters,
    }
    return start(async (signal) => {
      const perpShards = { group: 'hyperliquid', shardCount: 1, intervalMs: PERP_INTERVAL_MS, markets: perps.markets }
      const ended = new AbortController()
      const recorders = Promise.all([runCapture(deps, signal), recordSamples({ ...deps, ...perpShards }, signal)])
      await Promise.all([recorders.finally(() => ended.abort()), perps.run(ended.signal), board.run(ended.signal)])
      await connection.close()
    })
  }

  async function startArchive(): Promise<End> {
    const feed = await openArchiveFeed(bus.jetstream)
    const stores = { rows: rowInserter(client), gaps: gapStore(client), deadLetters: deadLetters(bus.jetstream) }
    const settings = { holdEveryMs: 500, maxRetryMs: 500, finishMs: 1_000 }
    return start((signal) => runArchive({ feed, ...stores, log, metrics: archiveMeters, settings }, signal))
  }

  return {
    simulator,
    bus,
    client,
    emissionLog,
    async storedRowsSince(fromMs, toMs = Number.MAX_SAFE_INTEGER) {
      const query = `SELECT toUInt32(count()) FROM snapshots WHERE slot * interval_ms BETWEEN ${fromMs} AND ${toMs}`
      return Number((await valuesOf(client, query))[0])
    },
    startCapture,
    startArchive,
    async metric(name) {
      const values = await registry.getSingleMetric(name)?.get()
      return values?.values.reduce((sum, { value }) => sum + value, 0) ?? 0
    },
    async waiting() {
      return (await unarchived(bus.manager)).reduce((sum, { messages }) => sum + messages, 0)
    },
    async deadLetters() {
      return (await bus.manager.streams.info(DEAD_STREAM)).state.messages
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(ends.map((end) => end()))
      await Promise.all([client.close(), bus.connection.close(), simulator.stop()])
      rmSync(folder, { recursive: true })
    },
  }
}
