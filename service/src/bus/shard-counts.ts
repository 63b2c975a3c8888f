import { setTimeout as sleep } from 'node:timers/promises'
import { jetstream } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { isTaken } from './kv-errors.ts'

export const STATE_BUCKET = 'shard-states'

const CHECK_EVERY_MS = 10_000

/** Markets would be looked for in shards that nobody records. */
export class WrongShardCount extends Error {
  constructor(group: string, configured: number, stored: number) {
    const setting = `${group.toUpperCase()}_SHARDS`
    super(
      `${setting} is ${configured}, but this installation has ${stored} shards of ${group}. Set ${setting}=${stored}. ` +
        `To change the number, stop all recorders and run \`bookreel-server reshard ${group} ${configured}\`.`,
    )
    this.name = 'WrongShardCount'
  }
}

/** Stores the number of shards of each group if none is stored yet; throws `WrongShardCount` for any other. */
export async function requireShardCounts(states: KV, counts: ReadonlyMap<string, number>): Promise<void> {
  for (const [group, count] of counts) {
    await states.create(keyOf(group), String(count)).catch((error: unknown) => {
      if (!isTaken(error)) throw error
    })
  }
  await check(states, counts)
}

export async function storeShardCount(states: KV, group: string, count: number): Promise<void> {
  await states.put(keyOf(group), String(count))
}

export async function storedShardCount(states: KV, group: string): Promise<number | undefined> {
  const entry = await states.get(keyOf(group))
  return entry?.operation === 'PUT' ? Number(entry.string()) : undefined
}

/** For a process that only reads: rejects with `WrongShardCount`, also when the number changes later. */
export async function watchShardCounts(
  connection: NatsConnection,
  counts: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<void> {
  const client = jetstream(connection)
  while (!signal.aborted) {
    // Before the first recorder has started, there is no bucket; while NATS is unavailable, nothing changes.
    const states = await new Kvm(client).open(STATE_BUCKET).catch(() => undefined)
    try {
      if (states !== undefined) await check(states, counts)
    } catch (error) {
      if (error instanceof WrongShardCount) throw error
    }
    await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

async function check(states: KV, counts: ReadonlyMap<string, number>): Promise<void> {
  for (const [group, count] of counts) {
    const stored = await storedShardCount(states, group)
    if (stored !== undefined && stored !== count) throw new WrongShardCount(group, count, stored)
  }
}

function keyOf(group: string): string {
  return `count.${group}`
}
