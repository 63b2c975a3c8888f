import type { JetStreamClient } from '@nats-io/jetstream'
import type { Market, Resolution } from '../domain/market.ts'
import { MARKETS_STREAM, marketSubject } from './subjects.ts'

/**
 * What became known about a market; the stream keeps the newest of each kind per market. `closed`: the venue has closed
 * it without a result for long, or does not know it any more, so that recorders stop to follow it.
 */
export type MarketUpdate =
  | { kind: 'listed'; venue: string; market: Market }
  | { kind: 'closed'; venue: string; marketId: string }
  | { kind: 'resolved'; venue: string; resolution: Resolution }

const KINDS: ReadonlySet<string> = new Set<MarketUpdate['kind']>(['listed', 'closed', 'resolved'])

export function marketIdOf(update: MarketUpdate): string {
  switch (update.kind) {
    case 'listed':
      return update.market.id
    case 'closed':
      return update.marketId
    case 'resolved':
      return update.resolution.marketId
  }
}

/** Resolves when NATS has stored the update. A repeated `messageId` is stored once. */
export async function publishMarketUpdate(
  jetstream: JetStreamClient,
  update: MarketUpdate,
  messageId?: string,
): Promise<void> {
  const subject = marketSubject(update.venue, update.kind, marketIdOf(update))
  await jetstream.publish(subject, JSON.stringify(update), messageId === undefined ? {} : { msgID: messageId })
}

/** The markets of a venue whose listing is in the stream, but no resolution. */
export async function unresolvedInStream(jetstream: JetStreamClient, venue: string): Promise<string[]> {
  const manager = await jetstream.jetstreamManager()
  const idsOf = async (kind: MarketUpdate['kind']): Promise<string[]> => {
    const filter = marketSubject(venue, kind, '*')
    const { state } = await manager.streams.info(MARKETS_STREAM, { subjects_filter: filter })
    return Object.keys(state.subjects ?? {}).map((subject) => subject.slice(filter.length - 1))
  }
  const resolved = new Set(await idsOf('resolved'))
  return (await idsOf('listed')).filter((id) => !resolved.has(id))
}

/** A market as it was listed last; undefined when the stream has no listing of it. */
export async function listedInStream(
  jetstream: JetStreamClient,
  venue: string,
  marketId: string,
): Promise<Market | undefined> {
  const manager = await jetstream.jetstreamManager()
  const subject = marketSubject(venue, 'listed', marketId)
  const message = await manager.streams.getMessage(MARKETS_STREAM, { last_by_subj: subject })
  const update = message === null ? undefined : decodeMarketUpdate(message.data)
  return update?.kind === 'listed' ? update.market : undefined
}

/** Only Bookreel publishes on these subjects, hence no schema: any other message is a bug, and throws. */
export function decodeMarketUpdate(data: Uint8Array): MarketUpdate {
  const update = JSON.parse(Buffer.from(data).toString()) as MarketUpdate
  if (!KINDS.has(update.kind)) throw new Error('unknown kind of market update')
  return update
}
