import { setTimeout as sleep } from 'node:timers/promises'
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { shardOf, shardsOf } from '../domain/shards.ts'
import { raiseFence } from './fence.ts'
import { type KeyValues, natsKeyValues } from './key-values.ts'
import { listRowStreams, shardsByStream } from './row-streams.ts'
import { reshardKeyOf, STATE_BUCKET, storedShardCount, storeShardCount } from './shard-counts.ts'
import { type ShardLease, ShardLeases } from './shard-leases.ts'
import { deleteState, readState, type ShardState, StateWriter } from './shard-states.ts'
import { rowsSubject } from './subjects.ts'

export interface ReshardOptions {
  readonly group: string
  readonly count: number
  /** Told about once a second while messages wait for the archive. */
  readonly onWaiting?: (messages: number) => void
  /** How long messages may wait; default: `DRAINED_WITHIN_MS`. */
  readonly drainedWithinMs?: number
}

export interface Resharded {
  readonly from: number
  readonly to: number
  readonly markets: number
}

const OWNER = 'reshard'
const DRAINED_WITHIN_MS = 600_000
const RENEW_EVERY_MS = 1_000
const LOOK_EVERY_MS = 1_000

/**
 * Changes the number of shards of a group while no recorder runs. Stored rows stay where they are, because they name
 * markets; each market is inherited by its new shard, with the tick up to which it has rows or gap records.
 */
export async function reshard(jetstream: JetStreamClient, options: ReshardOptions): Promise<Resharded> {
  const { group, count } = options
  const states = natsKeyValues(await new Kvm(jetstream).open(STATE_BUCKET))
  const from = await storedShardCount(states, group)
  if (from === undefined)
    throw new Error(`No recorder of ${group} has started yet. Set ${group.toUpperCase()}_SHARDS=${count} instead.`)
  const shards = shardsOf(group, Math.max(from, count))
  const manager = await jetstream.jetstreamManager(false)
  const streamed = new Set([...(await shardsByStream(manager)).values()].flat())
  if (shardsOf(group, count).some((shard) => !streamed.has(shard)))
    throw new Error(
      `NATS has no stream for ${count} shards of ${group}. Set ${group.toUpperCase()}_SHARDS=${count}, run \`prepare\`, and try again.`,
    )
  await using _held = await holdShards(jetstream, shards)
  await untilDrained(manager, options)
  // A recorder that was cut off from NATS and still believes in its leases is refused from now on.
  for (const shard of shards) if (streamed.has(shard)) await raiseFence(jetstream, shard, OWNER)
  // Copies first: a command that is interrupted while it writes new states finds the old ones again.
  const copied = await copyStates(states, group, from)
  const copies = await readCopies(states, group, copied)
  const inherited = new Map(copies.flatMap(ticksOf))
  await writeStates(states, { group, count, inherited, former: copies })
  for (const shard of shardsOf(group, copied).slice(count)) await deleteState(states, shard)
  await storeShardCount(states, group, count)
  await states.delete(reshardKeyOf(group))
  for (const shard of shardsOf(group, copied)) await deleteState(states, copyOf(shard))
  return { from, to: count, markets: inherited.size }
}

/** Keeps recorders away until the end: one that starts now would write its own state over the new ones. */
async function holdShards(jetstream: JetStreamClient, shards: readonly string[]): Promise<AsyncDisposable> {
  const leases = await ShardLeases.open(jetstream, OWNER)
  const held: ShardLease[] = []
  const release = async (): Promise<void> => {
    await Promise.all(held.map((lease) => lease.release()))
  }
  for (const shard of shards) {
    const lease = await leases.acquire(shard)
    if (lease !== undefined) held.push(lease)
    else {
      await release()
      throw new Error(`The recorder ${await leases.holderOf(shard)} holds shard ${shard}. Stop all recorders first.`)
    }
  }
  const renewing = setInterval(() => {
    for (const lease of held) void lease.renew().catch(() => {})
  }, RENEW_EVERY_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(renewing)
      await release()
    },
  }
}

/** Rows on the bus belong to shards of the former number. */
async function untilDrained(
  manager: JetStreamManager,
  { group, onWaiting, drainedWithinMs = DRAINED_WITHIN_MS }: ReshardOptions,
): Promise<void> {
  const until = performance.now() + drainedWithinMs
  for (;;) {
    const waiting = await rowsWaiting(manager, group)
    if (waiting === 0) return
    if (performance.now() >= until)
      throw new Error(`${waiting} messages of ${group} wait for the archive. Start the role archive, and try again.`)
    onWaiting?.(waiting)
    await sleep(LOOK_EVERY_MS)
  }
}

async function rowsWaiting(manager: JetStreamManager, group: string): Promise<number> {
  const filter = { subjects_filter: rowsSubject(`${group}.*`) }
  const streams = await Promise.all((await listRowStreams(manager)).map((name) => manager.streams.info(name, filter)))
  const messages = streams.flatMap(({ state }) => Object.values(state.subjects ?? {}))
  return messages.reduce((sum, each) => sum + each, 0)
}

/** The number of shards whose states were copied, now or by a command that was interrupted. */
async function copyStates(states: KeyValues, group: string, from: number): Promise<number> {
  const mark = await states.get(reshardKeyOf(group))
  if (mark !== undefined) return Number(mark.value)
  for (const shard of shardsOf(group, from)) {
    const state = await readState(states, shard)
    await deleteState(states, copyOf(shard))
    if (state !== undefined) await new StateWriter(states, copyOf(shard), state.epoch).write(state)
  }
  await states.put(reshardKeyOf(group), String(from))
  return from
}

async function readCopies(states: KeyValues, group: string, count: number): Promise<ShardState[]> {
  const copies: ShardState[] = []
  for (const shard of shardsOf(group, count)) {
    const state = await readState(states, copyOf(shard))
    if (state !== undefined) copies.push(state)
  }
  return copies
}

function ticksOf({ marketIds, waiting, lastTickMs }: ShardState): [marketId: string, tickMs: number][] {
  return [...Object.entries(waiting), ...marketIds.map((id): [string, number] => [id, lastTickMs])]
}

async function writeStates(
  states: KeyValues,
  {
    group,
    count,
    inherited,
    former,
  }: { group: string; count: number; inherited: ReadonlyMap<string, number>; former: readonly ShardState[] },
): Promise<void> {
  if (former.length === 0) return
  const lastTickMs = Math.max(...former.map((state) => state.lastTickMs))
  // A recorder that was suspended meanwhile must not save its former state.
  const epoch = 1 + Math.max(...former.map((state) => state.epoch))
  const markets = Map.groupBy(inherited, ([id]) => shardOf(group, id, count))
  for (const shard of shardsOf(group, count)) {
    const waiting = Object.fromEntries(markets.get(shard) ?? [])
    await deleteState(states, shard)
    await new StateWriter(states, shard, epoch).write({ lastTickMs, marketIds: [], waiting })
  }
}

function copyOf(shard: string): string {
  return `copy.${shard}`
}
