import { setTimeout as sleep } from 'node:timers/promises'
import { openArchiveFeed } from '@bookreel/service/bus/archive-feed'
import { decodeBatch, messageId } from '@bookreel/service/bus/batch'
import { BatchWriter, type EncodedBatch } from '@bookreel/service/bus/batch-writer'
import { connectBus } from '@bookreel/service/bus/connect'
import { deadLetters } from '@bookreel/service/bus/dead-letters'
import { unarchived } from '@bookreel/service/bus/row-streams'
import { prepareStreams } from '@bookreel/service/bus/streams'
import { rowsSubject } from '@bookreel/service/bus/subjects'
import { gapStore } from '@bookreel/service/stores/books/gaps'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { migrateClickHouse } from '@bookreel/service/stores/engines/clickhouse-migrations'
import { runArchive } from '@bookreel/service/workers/archive'
import { archiveMetrics } from '@bookreel/service/workers/archive-metrics'
import type { Activity } from '@bookreel/simulator/world/market'
import { usualSize, type WorldSize } from '@bookreel/simulator/world/roster'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { hundredths } from '../hundredths.ts'
import { percentile } from '../percentile.ts'
import { worldTicks } from '../world-rows.ts'

const SHARDS = 8
const GROUP_MESSAGES = 128
const BODY_ROWS = 30_000
/** Maximum bytes on disk per row, by activity of the market. */
const MAX_BYTES: Record<Activity, number> = { hot: 45, medium: 14, cold: 5 }

export const store = experiment({
  name: 'store',
  summary:
    'Measures the disk size of a row, and the archive speed compared with inserting the same bytes directly into ClickHouse.',
  options: {
    markets: { description: 'number of markets whose rows are stored', default: 400, atLeast: 20 },
    ticks: { description: 'number of 250 ms ticks for the disk size', default: 2_400, atLeast: 10 },
    speedMarkets: {
      description: 'number of markets for the speed comparison; decides the message size',
      default: 2_000,
      atLeast: 20,
    },
    speedTicks: { description: 'number of ticks for the speed comparison', default: 100, atLeast: 10 },
    rounds: { description: 'number of rounds of the speed comparison', default: 3, atLeast: 1 },
    ratio: { description: 'minimum median speed, archive / direct insert', default: 0.8, atLeast: 0 },
    bytesFactor: { description: 'factor on the size limits, for short runs', default: 1, atLeast: 1 },
  },
  async run({ markets, ticks, speedMarkets, speedTicks, rounds, ratio, bytesFactor }, progress) {
    await using stack = await borrowStack({ engines: ['nats', 'clickhouse'] })
    await using client = withDispose(openClickHouse(stack))
    await migrateClickHouse({ clients: [client], form: { kind: 'single' } })
    const size = usualSize(markets)

    const bytesPerRow = new Map<Activity, number>()
    for (const activity of ['hot', 'medium', 'cold'] as const) {
      progress(`storing ${activity} markets`)
      bytesPerRow.set(activity, await rowBytes(client, activity, size, ticks))
    }
    progress('generating the batches')
    const batches = worldBatches(usualSize(speedMarkets), speedTicks)
    const speeds: { archive: number; direct: number }[] = []
    for (let round = 1; round <= rounds; round++) {
      progress(`speed, round ${round} of ${rounds}`)
      speeds.push({
        direct: await directSpeed(client, batches),
        archive: await archiveSpeed(stack, client, batches, round),
      })
    }
    const middle = percentile(
      speeds.map(({ archive, direct }) => archive / direct),
      0.5,
    )
    return {
      bounds: [
        ...[...bytesPerRow].map(([activity, bytes]) =>
          bound(
            `bytes on disk per row of a ${activity} market`,
            Math.round(bytes * 10) / 10,
            '<=',
            MAX_BYTES[activity] * bytesFactor,
          ),
        ),
        bound('speed, archive / direct insert', hundredths(middle), '>=', ratio),
      ],
      series: {
        rowsPerSecond: speeds.map(({ archive, direct }) => ({
          archive: Math.round(archive),
          direct: Math.round(direct),
        })),
      },
    }
  },
})

function openClickHouse(stack: Stack): ClickHouseClient {
  return createClient({
    url: stack.variable('CLICKHOUSE_URL'),
    username: stack.variable('CLICKHOUSE_USER'),
    password: stack.variable('CLICKHOUSE_PASSWORD'),
    database: stack.variable('CLICKHOUSE_DATABASE'),
  })
}

function withDispose(client: ClickHouseClient): ClickHouseClient & AsyncDisposable {
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

/** Bytes on the disk for one row, once ClickHouse has merged all it can. */
async function rowBytes(client: ClickHouseClient, activity: Activity, size: WorldSize, ticks: number): Promise<number> {
  await empty(client)
  const rows = rowInserter(client)
  let bodies: Buffer[] = []
  for (const tick of worldTicks(size, ticks)) {
    bodies.push(...tick.filter((row) => row.activity === activity).map(({ bytes }) => bytes))
    if (bodies.length < BODY_ROWS) continue
    await rows.insertRaw('snapshots', 1, bodies)
    bodies = []
  }
  if (bodies.length > 0) await rows.insertRaw('snapshots', 1, bodies)
  await client.command({ query: 'OPTIMIZE TABLE snapshots FINAL' })
  const answer = await client.query({
    query: `SELECT sum(bytes_on_disk) / sum(rows) AS bytes FROM system.parts
      WHERE active AND database = currentDatabase() AND table = 'snapshots'`,
    format: 'JSONEachRow',
  })
  const [row] = await answer.json<{ bytes: number }>()
  return Number(row?.bytes)
}

function worldBatches(size: WorldSize, ticks: number): EncodedBatch[] {
  const writers = Array.from(
    { length: SHARDS },
    (_, shard) => new BatchWriter({ shard: `polymarket.${shard}`, epoch: 1 }),
  )
  return [...worldTicks(size, ticks)].flatMap((rows) => {
    for (const { snapshot, bytes } of rows) {
      writers[Number.parseInt(snapshot.marketId.slice(-2), 16) % SHARDS]?.addSnapshot(bytes, snapshot)
    }
    return writers.flatMap((writer) => writer.take((rows[0]?.snapshot.slot ?? 0) * 250))
  })
}

/** Rows a second when the same bytes are posted in groups of the same size. */
async function directSpeed(client: ClickHouseClient, batches: readonly EncodedBatch[]): Promise<number> {
  const sections = batches.flatMap(({ bytes }) => decodeBatch(bytes).sections)
  const rows = rowInserter(client)
  await empty(client)
  const fromMs = performance.now()
  for (let at = 0; at < sections.length; at += GROUP_MESSAGES) {
    await rows.insertRaw(
      'snapshots',
      1,
      sections.slice(at, at + GROUP_MESSAGES).map(({ bytes }) => bytes),
    )
  }
  return rowCountOf(batches) / ((performance.now() - fromMs) / 1000)
}

/** Rows a second from a full stream until it is empty. */
async function archiveSpeed(
  stack: Stack,
  client: ClickHouseClient,
  batches: readonly EncodedBatch[],
  round: number,
): Promise<number> {
  await empty(client)
  const address = {
    url: stack.variable('NATS_URL'),
    user: stack.variable('NATS_USER'),
    password: stack.variable('NATS_PASSWORD'),
  }
  const connection = await connectBus(address, 'lab')
  const manager = await jetstreamManager(connection)
  await prepareStreams(manager, { shardCounts: new Map([['polymarket', SHARDS]]) })
  const bus = jetstream(connection)
  for (const batch of batches) {
    await bus.publish(rowsSubject(batch.shard), batch.bytes, { msgID: `${round}:${messageId(batch)}` })
  }
  const stop = new AbortController()
  const fromMs = performance.now()
  const running = runArchive(
    {
      feed: await openArchiveFeed(bus),
      rows: rowInserter(client),
      gaps: gapStore(client),
      deadLetters: deadLetters(bus),
      log: pino({ level: 'silent' }),
      metrics: archiveMetrics(new Registry()),
      settings: { groupMessages: GROUP_MESSAGES },
    },
    stop.signal,
  )
  for (let waiting = 1; waiting > 0; ) {
    await sleep(10)
    waiting = (await unarchived(manager)).reduce((sum, { messages }) => sum + messages, 0)
  }
  const seconds = (performance.now() - fromMs) / 1000
  stop.abort()
  await running
  await connection.close()
  return rowCountOf(batches) / seconds
}

function rowCountOf(batches: readonly EncodedBatch[]): number {
  return batches.reduce((sum, { bytes }) => sum + decodeBatch(bytes).index().length, 0)
}

async function empty(client: ClickHouseClient): Promise<void> {
  for (const table of ['snapshots', 'market_days']) await client.command({ query: `TRUNCATE TABLE ${table}` })
}
