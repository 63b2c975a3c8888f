import { decodeBatch } from '../../src/bus/batch.ts'
import { listRowStreams } from '../../src/bus/row-streams.ts'
import type { Bus } from '../bus/open-bus.ts'

/** `market slot` of every row that no archive has acknowledged. */
export async function rowsInStream({ manager }: Bus): Promise<ReadonlySet<string>> {
  const rows = new Set<string>()
  for (const stream of await listRowStreams(manager)) {
    const { state } = await manager.streams.info(stream)
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(stream, { seq }).catch(() => null)
      if (!message?.subject.startsWith('snap.')) continue
      for (const { marketId, slot } of decodeBatch(message.data).index()) rows.add(`${marketId} ${slot}`)
    }
  }
  return rows
}
