import type { JetStreamClient } from '@nats-io/jetstream'
import type { Market, Resolution } from '../domain/market.ts'
import { marketSubject } from './subjects.ts'

/** What the catalogue is told; the newest of each kind is kept for every market. */
export type MarketUpdate =
  | { kind: 'listed'; venue: string; market: Market }
  | { kind: 'resolved'; venue: string; resolution: Resolution }

export async function publishMarketUpdate(jetstream: JetStreamClient, news: MarketUpdate): Promise<void> {
  const marketId = news.kind === 'listed' ? news.market.id : news.resolution.marketId
  await jetstream.publish(marketSubject(news.venue, news.kind, marketId), JSON.stringify(news))
}

/** Only ours are on these subjects, hence no schema: JSON that isn't news is a bug, and throws. */
export function decodeMarketUpdate(data: Uint8Array): MarketUpdate {
  const news = JSON.parse(Buffer.from(data).toString()) as MarketUpdate
  if (news.kind !== 'listed' && news.kind !== 'resolved') throw new Error('unknown kind of market news')
  return news
}
