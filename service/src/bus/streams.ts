import {
  AckPolicy,
  type ConsumerConfig,
  DiscardPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import {
  ALL_DEAD,
  ALL_FENCES,
  ALL_LISTED,
  ALL_MARKETS,
  ALL_ROWS,
  ARCHIVE_CONSUMER,
  CATALOGUE_CONSUMER,
  DEAD_STREAM,
  FACTS_CONSUMER,
  MARKETS_STREAM,
  ROWS_STREAM,
  STORED_AGAIN,
} from './subjects.ts'

export interface StreamSettings {
  /** Size of the rows stream while nothing is archived; a full stream refuses batches. */
  maxBytes: number
  deadMaxBytes: number
  /** A message that is neither acknowledged nor held for this long is delivered to another archive. */
  ackWaitMs: number
  replicas: number
}

export const STREAM_DEFAULTS: StreamSettings = {
  maxBytes: 10 * 1024 ** 3,
  deadMaxBytes: 1024 ** 3,
  ackWaitMs: 10_000,
  replicas: 1,
}

export const DEDUP_WINDOW_MS = 120_000

/** More than two groups of messages of one archive, so that several archives can share the work. */
const MAX_UNACKED = 4_096

const NANOS_PER_MS = 1_000_000

/** Creates or updates the streams; safe to repeat, and for two processes at once. */
export async function prepareStreams(manager: JetStreamManager, given: Partial<StreamSettings> = {}): Promise<void> {
  const settings = { ...STREAM_DEFAULTS, ...given }
  const shared = { storage: StorageType.File, num_replicas: settings.replicas, discard: DiscardPolicy.New }
  await prepareStream(manager, {
    ...shared,
    name: ROWS_STREAM,
    // Fences are in the same stream because the server compares sequences within one stream only.
    subjects: [ALL_ROWS, ALL_FENCES],
    // An age limit would delete rows that are not archived yet.
    retention: RetentionPolicy.Workqueue,
    max_bytes: settings.maxBytes,
    max_age: 0,
    duplicate_window: DEDUP_WINDOW_MS * NANOS_PER_MS,
    allow_rollup_hdrs: true,
    republish: STORED_AGAIN,
  })
  // Created together with the stream, so that no deployment can forget it.
  await prepareConsumer(manager, ROWS_STREAM, {
    durable_name: ARCHIVE_CONSUMER,
    ack_policy: AckPolicy.Explicit,
    filter_subject: ALL_ROWS,
    ack_wait: settings.ackWaitMs * NANOS_PER_MS,
    max_ack_pending: MAX_UNACKED,
    max_deliver: -1,
  })
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

async function prepareConsumer(
  manager: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig> & { durable_name: string },
): Promise<void> {
  try {
    await manager.consumers.info(stream, config.durable_name)
  } catch {
    await manager.consumers.add(stream, config)
    return
  }
  await manager.consumers.update(stream, config.durable_name, config)
}
