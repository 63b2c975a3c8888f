import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ArchiveFeed, Delivery } from '../bus/archive-feed.ts'
import { type Batch, BrokenBatch, decodeBatch } from '../bus/batch.ts'
import type { DeadLetters } from '../bus/dead-letters.ts'
import { NewerSchemas } from '../bus/newer-schemas.ts'
import type { GapStore } from '../stores/books/gaps.ts'
import type { RowInserter } from '../stores/books/row-inserter.ts'
import { gapsInPlaceOf } from './archive-gaps.ts'
import { type InsertDeps, type InsertGroup, insertGroup, type Refusal } from './archive-insert.ts'
import type { ArchiveMetrics } from './archive-metrics.ts'
import { gapsAround, UnreadMessages } from './unread-messages.ts'

export interface ArchiveSettings {
  /** Maximum messages in one insert; a message has at most 0.5 MiB. */
  groupMessages: number
  /** How often NATS is told that a message is in progress; must be well below its `ackWaitMs`. */
  holdEveryMs: number
  firstRetryMs: number
  maxRetryMs: number
  /** After the stop signal: how long to wait for messages that were already requested. */
  lastFetchMs: number
  /** After the stop signal: how long failed inserts are retried. */
  finishMs: number
  /** Redelivery delay of a message that could not be moved to the dead letters. */
  redeliverMs: number
  /** How long an unreadable message waits until the messages around it are stored. */
  unreadableWaitMs: number
  /** Redelivery delay of a message that only a newer archive can read. */
  newerRetryMs: number
}

export interface ArchiveDeps {
  feed: ArchiveFeed
  rows: RowInserter
  gaps: Pick<GapStore, 'uncoveredHoles'>
  deadLetters: DeadLetters
  log: Logger
  metrics: ArchiveMetrics
  settings?: Partial<ArchiveSettings>
}

const DEFAULTS: ArchiveSettings = {
  groupMessages: 128,
  holdEveryMs: 3_000,
  firstRetryMs: 100,
  maxRetryMs: 5_000,
  lastFetchMs: 1_500,
  finishMs: 10_000,
  redeliverMs: 30_000,
  unreadableWaitMs: 15_000,
  newerRetryMs: 15_000,
}

const FIRST_TABLES: ReadonlySet<string> = new Set(['gaps', 'trades', 'perp_trades', 'perp_contexts'])

interface DecodedMessage {
  delivery: Delivery
  batch: Batch
}

interface Sorted {
  stored: Delivery[]
  /** Only a newer version can read them. */
  newer: Delivery[]
  dead: { delivery: Delivery; reason: string }[]
}

/**
 * Moves rows from the bus to ClickHouse: insert, then acknowledge. After a crash between the two the message is
 * delivered again, and the repeated insert has no effect. Returns after the signal, when the last group is stored.
 */
export async function runArchive(deps: ArchiveDeps, signal: AbortSignal): Promise<void> {
  const settings = { ...DEFAULTS, ...deps.settings }
  const { feed, log, metrics } = deps
  const held = new Set<Delivery>()
  const unread = new UnreadMessages(settings.unreadableWaitMs)
  const newerSchemas = new NewerSchemas((error) =>
    log.warn({ err: error }, 'messages with a newer schema stay on the bus'),
  )
  const holding = setInterval(() => {
    for (const delivery of [...held, ...feed.waiting]) delivery.hold()
  }, settings.holdEveryMs)
  const stopRetries = new AbortController()
  const insertDeps = { ...deps, ...settings, stopRetries: stopRetries.signal }
  signal.addEventListener('abort', () => setTimeout(() => stopRetries.abort(), settings.finishMs).unref(), {
    once: true,
  })

  /** While NATS is unavailable a fetch may never end. Messages that arrive later are delivered again. */
  function untilEnd(fetching: Promise<Delivery[]>): Promise<Delivery[]> {
    return new Promise((resolve, reject) => {
      const end = (): void => void setTimeout(resolve, settings.lastFetchMs, [])
      signal.addEventListener('abort', end, { once: true })
      fetching.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
    })
  }

  async function receive(): Promise<Delivery[]> {
    if (signal.aborted) return []
    try {
      const deliveries = await untilEnd(feed.next(settings.groupMessages))
      for (const delivery of deliveries) held.add(delivery)
      metrics.held.set(held.size)
      metrics.redelivered.inc(deliveries.filter(({ isRedelivered }) => isRedelivered).length)
      return deliveries
    } catch (error) {
      log.warn({ err: error }, 'fetching messages failed')
      await sleep(settings.firstRetryMs)
      return []
    }
  }

  async function receiveRest(): Promise<Delivery[]> {
    const rest = await Promise.race([feed.rest(), sleep(settings.lastFetchMs, [], { ref: false })])
    for (const delivery of rest) held.add(delivery)
    return rest
  }

  /** Writes gap records for unreadable messages that have waited long enough, and returns these messages. */
  async function recordUnreadable(): Promise<Sorted['dead']> {
    const recorded: Sorted['dead'] = []
    for (const each of unread.due) {
      try {
        const group = await gapsAround(deps.gaps, each)
        if (group !== undefined) await insertGroup(insertDeps, group)
        unread.forget(each)
        recorded.push(each)
      } catch (error) {
        if (stopRetries.signal.aborted) throw error
        log.warn({ err: error }, 'writing gap records for an unreadable message failed, retrying')
      }
    }
    return recorded
  }

  async function release(sorted: Sorted): Promise<void> {
    await Promise.all(sorted.stored.map((delivery) => acknowledge(deps, delivery, 'stored')))
    for (const { delivery, reason } of sorted.dead)
      await moveToDeadLetters(deps, delivery, reason, settings.redeliverMs)
    for (const delivery of sorted.newer) {
      metrics.messages.inc({ outcome: 'newer_version' })
      delivery.giveBack(settings.newerRetryMs)
    }
    for (const delivery of [...sorted.stored, ...sorted.newer]) held.delete(delivery)
    const dead = new Set(sorted.dead.map(({ delivery }) => delivery.id))
    // A message that waited may have been delivered again.
    for (const delivery of held) if (dead.has(delivery.id)) held.delete(delivery)
    metrics.held.set(held.size)
  }

  let fetching = receive()
  let releasing = Promise.resolve()
  try {
    for (let isLast = false; !isLast; ) {
      const deliveries = await fetching
      isLast = signal.aborted
      if (isLast) deliveries.push(...(await receiveRest()))
      // Acknowledging is slow because NATS syncs each one, so fetch, insert and acknowledge run at the same time.
      fetching = receive()
      const { stored, newer, dead } = await store(insertDeps, deliveries, unread, newerSchemas)
      const sorted = { stored, newer, dead: [...dead, ...(await recordUnreadable())] }
      await releasing
      releasing = release(sorted)
    }
    for (const { delivery } of unread.all) delivery.giveBack(0)
  } catch (error) {
    if (!stopRetries.signal.aborted) throw error
    // Messages without an acknowledgement stay on the bus.
    log.error({ err: error }, 'archive stopped before all messages were stored')
  } finally {
    await releasing
    clearInterval(holding)
  }
}

/** `stored` messages are on ClickHouse's disk, `dead` ones have gap records, and the rest is added to `unread`. */
async function store(
  deps: InsertDeps,
  deliveries: readonly Delivery[],
  unread: UnreadMessages,
  newerSchemas: NewerSchemas,
): Promise<Sorted> {
  const decoded: DecodedMessage[] = []
  const newer: Delivery[] = []
  const dead: Sorted['dead'] = []
  for (const delivery of deliveries) {
    const batch = tryDecode(delivery)
    if (batch instanceof BrokenBatch) newerSchemas.checkFormat(batch)
    else newerSchemas.check(batch)
    if (isNewer(batch)) newer.push(delivery)
    else if (batch instanceof BrokenBatch) unread.add(delivery, `${batch.fault}: ${batch.message}`)
    else {
      decoded.push({ delivery, batch })
      unread.addReadable(delivery, batch.tickAtMs)
    }
  }
  const refusals: Refusal[] = []
  for (const group of groupsOf(decoded)) refusals.push(...(await insertGroup(deps, group)))

  const refused = Map.groupBy(refusals, ({ delivery }) => delivery)
  for (const { delivery, batch } of decoded) {
    const reasons = refused.get(delivery)
    if (reasons === undefined) continue
    const { gaps, isComplete } = gapsInPlaceOf(delivery, batch, new Set(reasons.map(({ table }) => table)))
    if (gaps !== undefined) await insertGroup(deps, gaps)
    const reason = reasons.map((each) => each.reason).join('; ')
    if (isComplete) dead.push({ delivery, reason })
    else unread.add(delivery, reason, batch.tickAtMs)
  }
  const stored = decoded.map(({ delivery }) => delivery).filter((delivery) => !refused.has(delivery))
  return { stored, newer, dead }
}

/** The checksum does not cover the version byte. If that byte is damaged, the message waits, but nothing is lost. */
function isNewer(batch: Batch | BrokenBatch): boolean {
  return batch instanceof BrokenBatch ? batch.fault === 'newer_version' : batch.newerSections.length > 0
}

function tryDecode(delivery: Delivery): Batch | BrokenBatch {
  try {
    return decodeBatch(delivery.bytes)
  } catch (error) {
    if (error instanceof BrokenBatch) return error
    throw error
  }
}

/** Rows in RowBinary can be concatenated only when they have the same columns. */
function groupsOf(decoded: readonly DecodedMessage[]): InsertGroup[] {
  const groups = new Map<string, InsertGroup>()
  for (const { delivery, batch } of decoded)
    for (const { table, schema, rowCount, bytes } of batch.sections) {
      const key = `${table} ${schema} ${batch.day}`
      const group = groups.get(key) ?? { table, schema, pieces: [] }
      groups.set(key, group)
      group.pieces.push({ delivery, bytes, rowCount })
    }
  // Books last, so that a reader who finds a book also finds the gaps and trades of the same message.
  const isBooks = ({ table }: InsertGroup): number => (FIRST_TABLES.has(table) ? 0 : 1)
  return [...groups.values()].toSorted((one, other) => isBooks(one) - isBooks(other))
}

async function acknowledge({ metrics }: ArchiveDeps, delivery: Delivery, outcome: string): Promise<void> {
  const isConfirmed = await delivery.acknowledge()
  metrics.messages.inc({ outcome: isConfirmed ? outcome : 'unconfirmed' })
}

/** Acknowledges the message only after the dead letter is stored. */
async function moveToDeadLetters(
  deps: ArchiveDeps,
  delivery: Delivery,
  reason: string,
  redeliverMs: number,
): Promise<void> {
  const { log, deadLetters, metrics } = deps
  const { shard, sequence, bytes } = delivery
  log.error({ shard, sequence, reason }, 'message moved to dead letters')
  try {
    await deadLetters.send({ shard, sequence, bytes, reason })
    await acknowledge(deps, delivery, 'buried')
  } catch (error) {
    log.error({ err: error, shard, sequence }, 'moving message to dead letters failed')
    metrics.messages.inc({ outcome: 'given_back' })
    delivery.giveBack(redeliverMs)
  }
}
