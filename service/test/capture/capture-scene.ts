import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import type { WorldOptions } from '@bookreel/simulator/world/world'
import type { Stack } from '@bookreel/stack/start-stack'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { RecorderBoard } from '../../src/bus/recorder-board.ts'
import { ShardLeases } from '../../src/bus/shard-leases.ts'
import { NatsStoredBatches } from '../../src/bus/stored-batches.ts'
import { prepareStreams } from '../../src/bus/streams.ts'
import { MARKETS_STREAM } from '../../src/bus/subjects.ts'
import { captureMetrics } from '../../src/capture/capture-metrics.ts'
import { PriceBoard } from '../../src/capture/price-board.ts'
import { type CaptureDeps, runCapture } from '../../src/capture/run.ts'
import { SamplingClock } from '../../src/capture/sampling-clock.ts'
import { CATEGORY_PLANS } from '../../src/domain/plan.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import { SHARD_COUNTS } from '../bus/open-bus.ts'
import { Recording } from './recording.ts'

export interface CaptureScene extends AsyncDisposable {
  simulator: Simulator
  /** A second world made from these options goes through the same states. */
  worldOptions: WorldOptions
  connection: NatsConnection
  recording: Recording
  /** Starts a recorder; `stop` resolves when it has ended. */
  start: (owner?: string, changed?: Partial<CaptureDeps>) => { stop: () => Promise<void> }
}

export interface SceneOptions {
  size?: WorldOptions['size']
  startMs?: number
  /** How much faster simulated time passes, also for the recorder's clock. Timers stay in real time, so no row is sampled. */
  speed?: number
}

const HOUR_MS = 3_600_000
/** One minute after every window opens with the hour, so four minutes before the next one ends. */
const CALM_MS = Date.UTC(2026, 10, 15, 12, 1)
let sceneCount = 0

export function testBoard(leases: ShardLeases, groups: readonly string[]): RecorderBoard {
  return new RecorderBoard({ leases, capacity: 1, standbys: 1, groups, onTrouble: () => {} })
}

/** A simulator, NATS, and recorders between them. By default no window ends during a scene, and each scene starts an hour after the last. */
export async function captureScene(stack: Stack, options: SceneOptions = {}): Promise<CaptureScene> {
  const { size = { hot: 6, medium: 8, cold: 16 }, startMs = CALM_MS + sceneCount++ * HOUR_MS, speed = 1 } = options
  const worldOptions = { seed: 'capture', startMs, size }
  const simulator = await startSimulator({ ...worldOptions, speed, port: 0, faults: [] })
  const monotonicMs = (): number => performance.now() * speed
  const bootMs = monotonicMs()
  const clock = { monotonicMs, wallMs: () => startMs + monotonicMs() - bootMs }
  const connection = await connect({
    servers: stack.variable('NATS_URL'),
    user: stack.variable('NATS_USER'),
    pass: stack.variable('NATS_PASSWORD'),
    reconnectTimeWait: 100,
    maxReconnectAttempts: -1,
  })
  const manager = await jetstreamManager(connection)
  await prepareStreams(manager, { shardCounts: SHARD_COUNTS, maxBytes: 200_000_000, deadMaxBytes: 10_000_000 })
  // Markets of the scene before this one are unknown to this simulator.
  await manager.streams.purge(MARKETS_STREAM)
  const recording = await Recording.of(connection)
  const ends: (() => Promise<void>)[] = []

  const start: CaptureScene['start'] = (owner = 'test', changed = {}) => {
    const stop = new AbortController()
    const running = (async () => {
      const client = jetstream(connection)
      const leases = await ShardLeases.open(client, owner)
      const board = testBoard(leases, ['polymarket'])
      const boardStop = new AbortController()
      const announcing = board.run(boardStop.signal)
      await runCapture(
        {
          venue: polymarket({
            gammaUrl: simulator.addresses.gamma,
            clobUrl: simulator.addresses.clob,
            socketUrl: simulator.addresses.marketSocket,
          }),
          plans: CATEGORY_PLANS,
          prices: new PriceBoard(() => clock.wallMs()),
          clock: new SamplingClock(clock),
          connection,
          jetstream: client,
          leases,
          board,
          stored: new NatsStoredBatches(connection),
          shardCount: 2,
          owner,
          emissionLog: undefined,
          log: pino({ level: 'silent' }),
          metrics: captureMetrics(new Registry()),
          ...changed,
        },
        stop.signal,
      )
      boardStop.abort()
      await announcing
    })()
    const end = async (): Promise<void> => {
      stop.abort()
      await running
    }
    running.catch(() => {})
    ends.push(end)
    return { stop: end }
  }
  const end = async (): Promise<void> => {
    await Promise.all(ends.map((endOne) => endOne()))
    await connection.close()
    await simulator.stop()
  }
  return { simulator, worldOptions, connection, recording, start, [Symbol.asyncDispose]: end }
}
