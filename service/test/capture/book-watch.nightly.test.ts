// Nightly: a recorder follows simulated sockets in real time.
import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { expect, test, vi } from 'vitest'
import type { Market } from '../../src/domain/market.ts'
import { openSimulator, switchOff, switchOn, until } from '../venues/open-simulator.ts'
import { socketScene } from './socket-scene.ts'

const LIMIT_MS = 90_000
/** As one that is not a window, so that several busy markets share a socket. */
const SHARED: Partial<Market> = { category: 'sports', timeframe: 'game' }
const isHot = ({ activity, phase }: WorldMarket): boolean => activity === 'hot' && phase === 'trading'

test('a market that gets no book is requested over REST, then over its socket, and only then moves, alone', async () => {
  const simulator = await openSimulator({ size: { hot: 4, medium: 4, cold: 6 } })
  const scene = socketScene(simulator, { changed: SHARED, limits: { moveWithinMs: 3_000 }, areBooksWatched: true })
  const markets = scene.follow(isHot)
  await until('books', () => markets.every(scene.isProved), LIMIT_MS)
  const [bad, ...others] = markets
  if (bad === undefined) throw new Error('no market')
  const remedies: string[] = []
  const refresh = scene.sockets.refresh.bind(scene.sockets)
  vi.spyOn(scene.sockets, 'refresh').mockImplementation((market) => {
    remedies.push(market.id === bad.id ? 'socket' : `socket of ${market.id}`)
    refresh(market)
  })
  const move = scene.sockets.move.bind(scene.sockets)
  vi.spyOn(scene.sockets, 'move').mockImplementation((market, reason) => {
    const hasMoved = move(market, reason)
    if (hasMoved) remedies.push(`move ${market.id} ${reason}`)
    return hasMoved
  })
  const before = scene.requested.length
  const faults = [
    await switchOn(simulator, { name: 'mute', target: { market: bad.id } }),
    await switchOn(simulator, { name: 'book-404', target: { market: bad.id } }),
  ]
  scene.follower.lost([bad.id], { cause: 'hash_mismatch', detail: 'test' }, undefined)
  let requests = 0
  const noteRequests = (): boolean => {
    const now = scene.requested.slice(before).filter((id) => id === bad.tokenIds[1]).length
    while (requests < now) {
      requests++
      remedies.push('REST')
    }
    return remedies.some((each) => each.startsWith('move'))
  }
  await until('the move', noteRequests, LIMIT_MS)
  expect(remedies).toEqual(['REST', 'socket', 'REST', `move ${bad.id} no_book`])
  await until('the end of the move', () => scene.lost.length > 0, LIMIT_MS)
  expect(scene.lost).toMatchObject([{ marketIds: [bad.id], doubt: { cause: 'resync' } }])
  expect([scene.opened.length, others.every(scene.isProved)]).toEqual([2, true])
  for (const fault of faults) await switchOff(simulator, fault)
  await until('its book', () => scene.isProved(bad), LIMIT_MS)
  expect(scene.lost).toHaveLength(1)
  expect(new Set(others.map(({ id }) => scene.socketOf.get(id)))).toEqual(new Set([scene.opened[0]?.socket]))
})
