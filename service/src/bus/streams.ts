import {
  AckPolicy,
  DiscardPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { prepareConsumer } from './prepare-consumer.ts'
import { DEDUP_WINDOW_MS, MAX_UNACKED, NANOS_PER_MS, prepareRowStreams, type RowStreamSettings } from './row-streams.ts'
import {
  ALL_DEAD,
  ALL_LISTED,
  ALL_MARKETS,
  CATALOGUE_CONSUMER,
  DEAD_STREAM,
  FACTS_CONSUMER,
  MARKETS_STREAM,
} from './subjects.ts'

export interface StreamSettings extends RowStreamSettings {
  deadMaxBytes: number
}

const STREAM_DEFAULTS: Omit<StreamSettings, 'shardCounts'> = {
  shardsPerStream: 8,
  maxBytes: 10 * 1024 ** 3,
  deadMaxBytes: 1024 ** 3,
  ackWaitMs: 10_000,
  replicas: 1,
}

/** Creates or updates the streams; safe to repeat, and for two processes at once. */
export async function prepareStreams(
  manager: JetStreamManager,
  given: Partial<StreamSettings> & Pick<StreamSettings, 'shardCounts'>,
): Promise<void> {
  const settings = { ...STREAM_DEFAULTS, ...given }
  const shared = { storage: StorageType.File, num_replicas: settings.replicas, discard: DiscardPolicy.New }
  await prepareRowStreams(manager, settings)
  await prepareStream(manager, {
    ...shared,
    name: DEAD_STREAM,
    subjects: [ALL_DEAD],
    retention: RetentionPolicy.Limits,
    max_bytes: settings.deadMaxBytes,
    duplicate_window: DEDUP_WINDOW_MS * NANOS_PER_MS,
  })
  await prepareStream(manager, {
    ...shared,
    name: MARKETS_STREAM,
    subjects: [ALL_MARKETS],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_msgs_per_subject: 1,
    // The catalogue stores what it has read, so this only has to outlive the catalogue's longest outage.
    max_age: 7 * 86_400_000 * NANOS_PER_MS,
  })
  const updateConsumer = {
    ack_policy: AckPolicy.Explicit,
    ack_wait: settings.ackWaitMs * NANOS_PER_MS,
    max_ack_pending: MAX_UNACKED,
    max_deliver: -1,
  }
  await prepareConsumer(manager, MARKETS_STREAM, { ...updateConsumer, durable_name: CATALOGUE_CONSUMER })
  // A separate consumer, so that neither database waits for the other.
  await prepareConsumer(manager, MARKETS_STREAM, {
    ...updateConsumer,
    durable_name: FACTS_CONSUMER,
    filter_subject: ALL_LISTED,
  })
}

async function prepareStream(
  manager: JetStreamManager,
  config: Partial<StreamConfig> & Pick<StreamConfig, 'name'>,
): Promise<void> {
  try {
    await manager.streams.info(config.name)
  } catch {
    // The server accepts adding a stream that another process has just added with the same config.
    await manager.streams.add(config)
    return
  }
  await manager.streams.update(config.name, config)
}
