import { setTimeout as sleep } from 'node:timers/promises'
import { JetStreamApiCodes, JetStreamApiError, type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { type KeyValues, natsKeyValues } from './key-values.ts'
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
export async function requireShardCounts(states: KeyValues, counts: ReadonlyMap<string, number>): Promise<void> {
  for (const [group, count] of counts) {
    await states.create(keyOf(group), String(count)).catch((error: unknown) => {
      if (!isTaken(error)) throw error
    })
  }
  for (const group of counts.keys()) await requireUndivided(states, group)
  await check(states, counts)
}

/** Throws while the number of shards of a group is being changed. */
async function requireUndivided(states: KeyValues, group: string): Promise<void> {
  if ((await states.get(reshardKeyOf(group))) === undefined) return
  throw new Error(
    `The number of shards of ${group} is being changed, or the change was interrupted. If no \`bookreel-server reshard\` runs, run it again.`,
  )
}

/** Throws when a shard of this group must not be recorded with this number of shards now. */
export async function requireShardCount(states: KeyValues, group: string, count: number): Promise<void> {
  await requireUndivided(states, group)
  await check(states, new Map([[group, count]]))
}

export async function storeShardCount(states: KeyValues, group: string, count: number): Promise<void> {
  await states.put(keyOf(group), String(count))
}

export async function storedShardCount(states: KeyValues, group: string): Promise<number | undefined> {
  const entry = await states.get(keyOf(group))
  return entry && Number(entry.value)
}

/** A process with a smaller number, perhaps by mistake, must not take the streams of shards that are recorded. */
export async function storedOrMore(
  client: JetStreamClient,
  counts: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const states = natsKeyValues(await new Kvm(client).open(STATE_BUCKET))
  const stored = async (group: string): Promise<number> => {
    try {
      return (await storedShardCount(states, group)) ?? 0
    } catch (error) {
      // Before the first start there is no bucket.
      if (isMissing(error)) return 0
      throw error
    }
  }
  const all = await Promise.all(
    [...counts].map(async ([group, count]): Promise<[string, number]> => [group, Math.max(count, await stored(group))]),
  )
  return new Map(all)
}

/** For a process that only reads: rejects with `WrongShardCount`, also when the number changes later. */
export async function watchShardCounts(
  connection: NatsConnection,
  { counts, onTrouble }: { counts: ReadonlyMap<string, number>; onTrouble: (error: unknown) => void },
  signal: AbortSignal,
): Promise<void> {
  const client = jetstream(connection)
  while (!signal.aborted) {
    try {
      await check(natsKeyValues(await new Kvm(client).open(STATE_BUCKET)), counts)
    } catch (error) {
      if (error instanceof WrongShardCount) throw error
      // Before the first recorder has started, there is no bucket.
      if (!isMissing(error)) onTrouble(error)
    }
    await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

async function check(states: KeyValues, counts: ReadonlyMap<string, number>): Promise<void> {
  for (const [group, count] of counts) {
    const stored = await storedShardCount(states, group)
    if (stored !== undefined && stored !== count) throw new WrongShardCount(group, count, stored)
  }
}

/** Exists while, or since, the number of shards is being changed. */
export function reshardKeyOf(group: string): string {
  return `resharding.${group}`
}

function keyOf(group: string): string {
  return `count.${group}`
}

function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound
}
