import { expect, test } from 'vitest'
import { Follower } from '../../src/capture/follower.ts'
import { kalshi } from '../../src/venues/kalshi/venue.ts'
import { frames, MARKET } from '../venues/kalshi-scene.ts'

const [SOCKET, BOOKS] = [7, 2]
const AT_MS = 1_794_916_800_000

function openFollower(): Follower {
  return new Follower({
    venue: kalshi({ restUrl: 'http://127.0.0.1:9', socketUrl: 'ws://127.0.0.1:9' }),
    nowMs: () => AT_MS,
    onTrade: () => {},
    onResolved: () => {},
    onProblem: () => {},
    onDoubt: () => {},
  })
}

const changed = (seq: number): string => frames.delta(BOOKS, seq, { price_dollars: '0.4000', delta_fp: '1.00' })

test('a rebuild that begins in the middle of a connection goes on with its checkpoint, whatever came before it', () => {
  const recorder = openFollower()
  recorder.add(MARKET)
  recorder.opened(SOCKET)
  recorder.frame(frames.subscribed(BOOKS, 'orderbook_delta'), AT_MS, SOCKET)
  recorder.frame(frames.snapshot(BOOKS, 1, { yes: [['0.4000', '5.00']], no: [['0.5000', '5.00']] }), AT_MS, SOCKET)
  for (const seq of [2, 3]) recorder.frame(changed(seq), AT_MS, SOCKET)
  const kept = structuredClone({ protocols: recorder.checkpointProtocols(), market: recorder.checkpoint(MARKET.id) })

  const rebuild = openFollower()
  // Frames that came before the checkpoint are read, too.
  rebuild.frame(changed(3), AT_MS, SOCKET)
  rebuild.restoreProtocols(kept.protocols)
  if (kept.market === undefined) throw new Error('no checkpoint')
  const restored = rebuild.restore(MARKET, kept.market)
  expect([recorder, rebuild].map((each) => each.frame(changed(4), AT_MS + 1, SOCKET))).toEqual(['data', 'data'])
  expect(restored.book.proved?.up).toEqual(recorder.markets.get(MARKET.id)?.book.proved?.up)
  expect(restored.book.proved?.up.bids[0]?.size).toBe(8_000_000)
  // A later checkpoint does not set back what has gone on.
  rebuild.restoreProtocols(kept.protocols)
  expect(rebuild.frame(changed(5), AT_MS + 2, SOCKET)).toBe('data')
})

test('a market that is assigned to no socket stays in doubt, whatever its former socket still delivers', () => {
  const recorder = openFollower()
  const followed = recorder.add(MARKET)
  recorder.route({ kind: 'assigned', marketId: MARKET.id, socket: SOCKET })
  recorder.opened(SOCKET)
  const book = (seq: number): string => frames.snapshot(BOOKS, seq, { yes: [['0.4000', '5.00']] })
  for (const text of [frames.subscribed(BOOKS, 'orderbook_delta'), book(1)]) recorder.frame(text, AT_MS, SOCKET)
  expect(followed.book.proved).toBeDefined()
  recorder.route({ kind: 'assigned', marketId: MARKET.id, socket: -1 })
  recorder.lost([MARKET.id], { cause: 'capturer_overloaded', detail: 'test' }, AT_MS)
  recorder.frame(book(2), AT_MS + 1, SOCKET)
  expect([followed.book.proved, followed.book.doubt?.cause]).toEqual([undefined, 'capturer_overloaded'])
})
