import type { JetStreamClient } from '@nats-io/jetstream'
import type { Market, Resolution } from '../domain/market.ts'
import { marketSubject } from './subjects.ts'

/** A listing or a resolution of a market; the stream keeps the newest of each kind per market. */
export type MarketUpdate =
  | { kind: 'listed'; venue: string; market: Market }
  | { kind: 'resolved'; venue: string; resolution: Resolution }

export async function publishMarketUpdate(jetstream: JetStreamClient, update: MarketUpdate): Promise<void> {
  const marketId = update.kind === 'listed' ? update.market.id : update.resolution.marketId
  await jetstream.publish(marketSubject(update.venue, update.kind, marketId), JSON.stringify(update))
}

/** Only Bookreel publishes on these subjects, hence no schema: any other message is a bug, and throws. */
export function decodeMarketUpdate(data: Uint8Array): MarketUpdate {
  const update = JSON.parse(Buffer.from(data).toString()) as MarketUpdate
  if (update.kind !== 'listed' && update.kind !== 'resolved') throw new Error('unknown kind of market update')
  return update
}
