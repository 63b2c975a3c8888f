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
  /** At most so many messages in one insert; they have at most half a MiB each. */
  groupMessages: number
  /** How often the server is told that a message is still ours; well below its `ackWaitMs`. */
  holdEveryMs: number
  firstPauseMs: number
  maxPauseMs: number
  /** How long an archive that was told to end waits for what it has asked for. */
  lastFetchMs: number
  /** And how long it goes on trying to store it. */
  finishMs: number
  /** A message that can neither be stored nor buried comes back after this. */
  giveBackMs: number
  /** How long a message that can't be read waits for its neighbours to be stored. */
  settleMs: number
  /** A message of a newer version is offered again after this, to a newer archive if there is one by then. */
  newerAgainMs: number
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
  firstPauseMs: 100,
  maxPauseMs: 5_000,
  lastFetchMs: 1_500,
  finishMs: 10_000,
  giveBackMs: 30_000,
  settleMs: 15_000,
  newerAgainMs: 15_000,
}

interface Opened {
  delivery: Delivery
  batch: Batch
}

interface Sorted {
  stored: Delivery[]
  /** Rows that only a newer version can read. */
  newer: Delivery[]
  dead: { delivery: Delivery; reason: string }[]
}

/**
 * Moves what is on the bus into ClickHouse: insert, then acknowledge. Whatever happens between the two, the
 * message comes again and the repeat is harmless. Ends after the signal, with its last group stored.
 */
export async function runArchive(deps: ArchiveDeps, signal: AbortSignal): Promise<void> {
  const settings = { ...DEFAULTS, ...deps.settings }
  const { feed, log, metrics } = deps
  const held = new Set<Delivery>()
  const unread = new UnreadMessages(settings.settleMs)
  const newerSchemas = new NewerSchemas((error) =>
    log.warn({ err: error }, 'messages of a newer version stay on the bus'),
  )
  const holding = setInterval(() => {
    for (const delivery of held) delivery.hold()
  }, settings.holdEveryMs)
  const hurry = new AbortController()
  const insertDeps = { ...deps, ...settings, hurry: hurry.signal }
  signal.addEventListener('abort', () => setTimeout(() => hurry.abort(), settings.finishMs).unref(), { once: true })

  /** A bus that is away may never say that nothing comes; what comes after the end is delivered again. */
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
      log.warn({ err: error }, 'the bus does not deliver')
      await sleep(settings.firstPauseMs)
      return []
    }
  }

  /** What can't be read is let go when there are records in its place. */
  async function settle(): Promise<Sorted['dead']> {
    const settled: Sorted['dead'] = []
    for (const each of unread.due) {
      try {
        const group = await gapsAround(deps.gaps, each)
        if (group !== undefined) await insertGroup(insertDeps, group)
        unread.forget(each)
        settled.push(each)
      } catch (error) {
        if (hurry.signal.aborted) throw error
        log.warn({ err: error }, 'the place of a message that can not be read is not known yet')
      }
    }
    return settled
  }

  async function letGo(sorted: Sorted): Promise<void> {
    await Promise.all(sorted.stored.map((delivery) => acknowledge(deps, delivery, 'stored')))
    for (const { delivery, reason } of sorted.dead) await bury(deps, delivery, reason, settings.giveBackMs)
    for (const delivery of sorted.newer) {
      metrics.messages.inc({ outcome: 'newer_version' })
      delivery.giveBack(settings.newerAgainMs)
    }
    for (const delivery of [...sorted.stored, ...sorted.newer]) held.delete(delivery)
    const deadSequences = new Set(sorted.dead.map(({ delivery }) => delivery.sequence))
    // One that waited may have been delivered again meanwhile.
    for (const delivery of held) if (deadSequences.has(delivery.sequence)) held.delete(delivery)
    metrics.held.set(held.size)
  }

  let coming = receive()
  let leaving = Promise.resolve()
  try {
    for (let isLast = false; !isLast; ) {
      const deliveries = await coming
      isLast = signal.aborted
      // The server is slow to let go (it syncs each message), so one group comes and one leaves while this one is stored.
      coming = receive()
      const { stored, newer, dead } = await store(insertDeps, deliveries, unread, newerSchemas)
      const sorted = { stored, newer, dead: [...dead, ...(await settle())] }
      await leaving
      leaving = letGo(sorted)
    }
    for (const { delivery } of unread.all) delivery.giveBack(0)
  } catch (error) {
    if (!hurry.signal.aborted) throw error
    // Told to end during an outage: what is not acknowledged stays on the bus.
    log.error({ err: error }, 'ended with messages that could not be stored')
  } finally {
    await leaving
    clearInterval(holding)
  }
}

/** Inserts all that can be inserted. `stored` is on ClickHouse's disk; for `dead` there are gaps; the rest is in `unread`. */
async function store(
  deps: InsertDeps,
  deliveries: readonly Delivery[],
  unread: UnreadMessages,
  newerSchemas: NewerSchemas,
): Promise<Sorted> {
  const opened: Opened[] = []
  const newer: Delivery[] = []
  const dead: Sorted['dead'] = []
  for (const delivery of deliveries) {
    const batch = openBatch(delivery)
    if (!(batch instanceof BrokenBatch)) newerSchemas.check(batch)
    if (isNewer(batch)) newer.push(delivery)
    else if (batch instanceof BrokenBatch) unread.add(delivery, `${batch.fault}: ${batch.message}`)
    else {
      opened.push({ delivery, batch })
      unread.heard(delivery, batch.tickAtMs)
    }
  }
  const refusals: Refusal[] = []
  for (const group of groupsOf(opened)) refusals.push(...(await insertGroup(deps, group)))

  const refused = Map.groupBy(refusals, ({ delivery }) => delivery)
  for (const { delivery, batch } of opened) {
    const reasons = refused.get(delivery)
    if (reasons === undefined) continue
    const { gaps, isComplete } = gapsInPlaceOf(delivery, batch, new Set(reasons.map(({ table }) => table)))
    if (gaps !== undefined) await insertGroup(deps, gaps)
    const reason = reasons.map((each) => each.reason).join('; ')
    if (isComplete) dead.push({ delivery, reason })
    else unread.add(delivery, reason, batch.tickAtMs)
  }
  const stored = opened.map(({ delivery }) => delivery).filter((delivery) => !refused.has(delivery))
  return { stored, newer, dead }
}

/** A version byte is outside the checksum, but a damaged one is as unlikely as it is harmless: nothing is lost by waiting. */
function isNewer(batch: Batch | BrokenBatch): boolean {
  return batch instanceof BrokenBatch ? batch.fault === 'newer_version' : batch.newerSections.length > 0
}

function openBatch(delivery: Delivery): Batch | BrokenBatch {
  try {
    return decodeBatch(delivery.bytes)
  } catch (error) {
    if (error instanceof BrokenBatch) return error
    throw error
  }
}

/** RowBinary has no frame of its own: rows can only stand behind each other when they have the same columns. */
function groupsOf(opened: readonly Opened[]): InsertGroup[] {
  const groups = new Map<string, InsertGroup>()
  for (const { delivery, batch } of opened)
    for (const { table, schema, rowCount, bytes } of batch.sections) {
      const key = `${table} ${schema} ${batch.day}`
      const group = groups.get(key) ?? { table, schema, pieces: [] }
      groups.set(key, group)
      group.pieces.push({ delivery, bytes, rowCount })
    }
  // Books last: whoever finds one finds the gaps and trades too that were told with it.
  const isBooks = ({ table }: InsertGroup): number => (table === 'gaps' || table === 'trades' ? 0 : 1)
  return [...groups.values()].toSorted((one, other) => isBooks(one) - isBooks(other))
}

async function acknowledge({ metrics }: ArchiveDeps, delivery: Delivery, outcome: string): Promise<void> {
  const isConfirmed = await delivery.acknowledge()
  metrics.messages.inc({ outcome: isConfirmed ? outcome : 'unconfirmed' })
}

/** Lays a message aside for a person to look at, and only then lets go of it. */
async function bury(deps: ArchiveDeps, delivery: Delivery, reason: string, giveBackMs: number): Promise<void> {
  const { log, deadLetters, metrics } = deps
  const { shard, sequence, bytes } = delivery
  log.error({ shard, sequence, reason }, 'a message could not be stored and is laid aside')
  try {
    await deadLetters.send({ shard, sequence, bytes, reason })
    await acknowledge(deps, delivery, 'buried')
  } catch (error) {
    log.error({ err: error, shard, sequence }, 'a message could not be laid aside')
    metrics.messages.inc({ outcome: 'given_back' })
    delivery.giveBack(giveBackMs)
  }
}
