import type { Stack } from '@bookreel/stack/start-stack'
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { connectBus } from '../../src/bus/connect.ts'
import { prepareStreams, type StreamSettings } from '../../src/bus/streams.ts'

export interface Bus extends AsyncDisposable {
  connection: NatsConnection
  jetstream: JetStreamClient
  manager: JetStreamManager
}

/** The shards of most tests. */
export const SHARD_COUNTS = new Map([
  ['polymarket', 8],
  ['hyperliquid', 1],
  ['prices', 1],
])

export async function openBus(stack: Stack, settings?: Partial<StreamSettings>): Promise<Bus> {
  const [url, user, password] = ['NATS_URL', 'NATS_USER', 'NATS_PASSWORD'].map((name) => stack.variable(name))
  const connection = await connectBus({ url: url ?? '', user: user ?? '', password: password ?? '' }, 'test')
  const manager = await jetstreamManager(connection, { timeout: 20_000 })
  if (settings) await prepareStreams(manager, { shardCounts: SHARD_COUNTS, ...settings })
  return {
    connection,
    manager,
    jetstream: jetstream(connection, { timeout: 20_000 }),
    [Symbol.asyncDispose]: () => connection.close(),
  }
}
