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
} from './subjects.ts'

export interface StreamSettings {
  /** How much the bus holds while nothing is archived; when it is full it refuses. */
  maxBytes: number
  deadMaxBytes: number
  /** After so long without a sign of life, a message is given to another archive. */
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

/** More than two groups of an archive, so that several archives can share the work. */
const MAX_UNACKED = 4_096

const NANOS_PER_MS = 1_000_000

/** Makes the streams what the settings say; harmless when they are already, or when two processes do it at once. */
export async function prepareStreams(manager: JetStreamManager, given: Partial<StreamSettings> = {}): Promise<void> {
  const settings = { ...STREAM_DEFAULTS, ...given }
  const shared = { storage: StorageType.File, num_replicas: settings.replicas, discard: DiscardPolicy.New }
  await prepareStream(manager, {
    ...shared,
    name: ROWS_STREAM,
    // Fences stand in the same stream because a server compares sequences within one stream only.
    subjects: [ALL_ROWS, ALL_FENCES],
    // An age limit would delete what nobody has read yet.
    retention: RetentionPolicy.Workqueue,
    max_bytes: settings.maxBytes,
    max_age: 0,
    duplicate_window: DEDUP_WINDOW_MS * NANOS_PER_MS,
    allow_rollup_hdrs: true,
  })
  // With the stream: a consumer that comes later is one that somebody can forget.
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
    // The catalogue keeps what it has read; this only has to outlive the catalogue's longest absence.
    max_age: 7 * 86_400_000 * NANOS_PER_MS,
  })
  const newsReader = {
    ack_policy: AckPolicy.Explicit,
    ack_wait: settings.ackWaitMs * NANOS_PER_MS,
    max_ack_pending: MAX_UNACKED,
    max_deliver: -1,
  }
  await prepareConsumer(manager, MARKETS_STREAM, { ...newsReader, durable_name: CATALOGUE_CONSUMER })
  // Of its own, so that neither database waits for the other.
  await prepareConsumer(manager, MARKETS_STREAM, {
    ...newsReader,
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
    // Adding a stream that another process has just added in the same shape is no error to the server.
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
