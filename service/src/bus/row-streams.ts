import { setTimeout as sleep } from 'node:timers/promises'
import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { shardsOf } from '../domain/shards.ts'
import { prepareConsumer } from './prepare-consumer.ts'
import {
  ALL_FENCES,
  ALL_ROWS,
  ARCHIVE_CONSUMER,
  FENCE_CONSUMER,
  fenceSubject,
  rowsSubject,
  STORED_AGAIN,
  shardIn,
} from './subjects.ts'

export interface RowStreamSettings {
  /** Number of shards of each group. */
  shardCounts: ReadonlyMap<string, number>
  shardsPerStream: number
  /** Size of all row streams together while nothing is archived; a full stream refuses batches. */
  maxBytes: number
  /** A message that is neither acknowledged nor held for this long is delivered to another archive. */
  ackWaitMs: number
  replicas: number
}

/** Messages that no archive has acknowledged. */
export interface Unarchived {
  readonly stream: string
  readonly messages: number
}

interface RowStream {
  readonly name: string
  readonly subjects: readonly string[]
  readonly maxBytes: number
}

export const DEDUP_WINDOW_MS = 120_000
export const NANOS_PER_MS = 1_000_000
/** More than two groups of messages of one archive, so that several archives can share the work. */
export const MAX_UNACKED = 4_096

const PREFIX = 'rows-'
const LOOK_EVERY_MS = 200
/** The one stream of all rows, until version 0.11. */
const FORMER = 'rows'
/** Refuses every message. */
const CLOSED = 1
const OPEN = -1

/** The stream of a shard: `rows-<group>-<number>`. */
export function rowStreamOf(shard: string, shardsPerStream = 8): string {
  const dot = shard.lastIndexOf('.')
  return `${PREFIX}${shard.slice(0, dot)}-${Math.floor(Number(shard.slice(dot + 1)) / shardsPerStream)}`
}

/** All streams of rows that exist, also those that get no new rows. */
export async function listRowStreams(manager: JetStreamManager): Promise<string[]> {
  const found: string[] = []
  for await (const name of manager.streams.names()) if (name === FORMER || name.startsWith(PREFIX)) found.push(name)
  return found
}

/** The streams that get new rows, with their shards. */
export async function shardsByStream(manager: JetStreamManager): Promise<Map<string, string[]>> {
  const streams = await Promise.all((await listRowStreams(manager)).map((name) => manager.streams.info(name)))
  const shards = streams.map(({ config: { name, subjects } }): [string, string[]] => {
    return [name, subjects.filter(isRowsSubject).map(shardIn)]
  })
  return new Map(shards.filter(([, ofStream]) => ofStream.length > 0))
}

function isRowsSubject(subject: string): boolean {
  return subject.startsWith(rowsSubject(''))
}

export async function unarchived(manager: JetStreamManager): Promise<Unarchived[]> {
  const streams = await listRowStreams(manager)
  return Promise.all(
    streams.map(async (stream) => {
      const { num_pending, num_ack_pending } = await manager.consumers.info(stream, ARCHIVE_CONSUMER)
      return { stream, messages: num_pending + num_ack_pending }
    }),
  )
}

/** Waits until an archive has stored all rows that are in the streams now; false when that takes too long. */
export async function untilArchived(manager: JetStreamManager, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs
  const isStored = async (stream: string, sequence: number): Promise<boolean> => {
    const info = await manager.consumers.info(stream, ARCHIVE_CONSUMER)
    return info.num_pending + info.num_ack_pending === 0 || info.ack_floor.stream_seq >= sequence
  }
  for (const stream of await listRowStreams(manager)) {
    const { last_seq } = (await manager.streams.info(stream)).state
    while (!(await isStored(stream, last_seq))) {
      if (performance.now() >= until) return false
      await sleep(LOOK_EVERY_MS)
    }
  }
  return true
}

/**
 * Creates or updates one stream for each few shards, so that a NATS cluster spreads their leaders. A subject can be in
 * one stream only, so streams that are no longer wanted give up their subjects first; one with rows that are not
 * archived stays until a later call.
 */
export async function prepareRowStreams(manager: JetStreamManager, settings: RowStreamSettings): Promise<void> {
  const wanted = rowStreams(settings)
  const names = new Set(wanted.map(({ name }) => name))
  for (const name of await listRowStreams(manager)) {
    if (!names.has(name)) await retire(manager, name)
  }
  for (const stream of wanted) await giveUpSubjects(manager, stream)
  for (const stream of wanted) await prepareRowStream(manager, stream, settings)
}

function rowStreams({ shardCounts, shardsPerStream, maxBytes }: RowStreamSettings): RowStream[] {
  const all = [...shardCounts].flatMap(([group, count]) => shardsOf(group, count))
  const byStream = Map.groupBy(all, (shard) => rowStreamOf(shard, shardsPerStream))
  return [...byStream].map(([name, shards]) => ({
    name,
    // Fences are in the stream of their rows, because the server compares sequences within one stream only.
    subjects: shards.flatMap((shard) => [rowsSubject(shard), fenceSubject(shard)]),
    maxBytes: Math.floor((maxBytes * shards.length) / all.length),
  }))
}

async function retire(manager: JetStreamManager, name: string): Promise<void> {
  // A stream without a subject gets its name as subject. From now on it takes no row, so none can be deleted with it.
  await manager.streams.update(name, { subjects: [name] })
  // Without a consumer, the stream was not completed and has no rows.
  const consumer = await manager.consumers.info(name, ARCHIVE_CONSUMER).catch(ignoreMissing)
  if (consumer === undefined || consumer.num_pending + consumer.num_ack_pending === 0)
    await manager.streams.delete(name)
}

async function giveUpSubjects(manager: JetStreamManager, { name, subjects }: RowStream): Promise<void> {
  const info = await manager.streams.info(name).catch(ignoreMissing)
  const kept = info?.config.subjects.filter((subject) => subjects.includes(subject)) ?? []
  if (info === undefined || kept.length === info.config.subjects.length) return
  await manager.streams.update(name, { subjects: kept.length > 0 ? kept : [name] })
}

/** A message is kept only if a consumer wants it, so a new stream is closed until it has its consumers. */
async function prepareRowStream(
  manager: JetStreamManager,
  stream: RowStream,
  settings: RowStreamSettings,
): Promise<void> {
  const config = rowStreamConfig(stream, settings)
  await manager.streams.add({ ...config, max_msg_size: CLOSED }).catch(ignoreExisting)
  const { subjects } = (await manager.streams.info(stream.name)).config
  if (stream.subjects.some((subject) => !subjects.includes(subject)))
    await manager.streams.update(stream.name, { ...config, max_msg_size: CLOSED })
  await prepareConsumer(manager, stream.name, {
    durable_name: ARCHIVE_CONSUMER,
    ack_policy: AckPolicy.Explicit,
    filter_subject: ALL_ROWS,
    ack_wait: settings.ackWaitMs * NANOS_PER_MS,
    max_ack_pending: MAX_UNACKED,
    max_deliver: -1,
  })
  // Nobody reads it: it keeps the newest fence of each shard in the stream.
  await prepareConsumer(manager, stream.name, {
    durable_name: FENCE_CONSUMER,
    ack_policy: AckPolicy.Explicit,
    filter_subject: ALL_FENCES,
  })
  await manager.streams.update(stream.name, { ...config, max_msg_size: OPEN })
}

function rowStreamConfig(
  { name, subjects, maxBytes }: RowStream,
  { replicas }: RowStreamSettings,
): Partial<StreamConfig> & Pick<StreamConfig, 'name'> {
  return {
    name,
    subjects: [...subjects],
    storage: StorageType.File,
    num_replicas: replicas,
    discard: DiscardPolicy.New,
    // Each archive has a consumer of its own; a row stays until all of them have stored it.
    retention: RetentionPolicy.Interest,
    max_bytes: maxBytes,
    // An age limit would delete rows that are not archived yet.
    max_age: 0,
    duplicate_window: DEDUP_WINDOW_MS * NANOS_PER_MS,
    allow_rollup_hdrs: true,
    republish: STORED_AGAIN,
  }
}

function ignoreMissing(error: unknown): undefined {
  const { StreamNotFound, ConsumerNotFound } = JetStreamApiCodes
  if (!(error instanceof JetStreamApiError)) throw error
  if (error.code !== StreamNotFound && error.code !== ConsumerNotFound) throw error
}

/** The stream is there already, with another config. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof JetStreamApiError) || error.code !== STREAM_NAME_IN_USE) throw error
}

const STREAM_NAME_IN_USE = 10_058
