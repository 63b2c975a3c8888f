import type { JetStreamClient } from '@nats-io/jetstream'
import { unresolvedInStream } from '../bus/market-updates.ts'
import type { ShardLeases } from '../bus/shard-leases.ts'

export interface InheritedMarketsDeps {
  jetstream: JetStreamClient
  leases: ShardLeases
  shards: readonly string[]
}

/** Markets that earlier recorders followed: in the saved shard states, or published as listed and not as resolved. */
export async function inheritedMarketIds(
  { jetstream, leases, shards }: InheritedMarketsDeps,
  venueId: string,
): Promise<string[]> {
  const ids = await unresolvedInStream(jetstream, venueId)
  for (const shard of shards) {
    const { marketIds = [], waiting = {} } = (await leases.stateOf(shard)) ?? {}
    ids.push(...marketIds, ...Object.keys(waiting))
  }
  return ids
}
