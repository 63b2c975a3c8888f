import { FRAME_FAULTS, type FrameFaultName } from '@bookreel/simulator/faults/frame-faults'
import { OfflineWorld } from '@bookreel/simulator/polymarket/offline-world'
import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { random } from '@bookreel/simulator/world/random'
import { expect, test } from 'vitest'
import type { GapCause } from '../../src/domain/rows/gap.ts'
import { SNAPSHOT_FLAGS } from '../../src/domain/rows/snapshot.ts'
import { WorldRecorder } from './world-recorder.ts'

const PROVED = SNAPSHOT_FLAGS.verifiedUp | SNAPSHOT_FLAGS.verifiedDown

function hotMarket({ told }: WorldRecorder): WorldMarket {
  const market = [...told.world.markets.values()].find(
    ({ activity, phase }) => activity === 'hot' && phase === 'trading',
  )
  if (market === undefined) throw new Error('the world has no busy market')
  return market
}

/** Every row that says what the venue had at its event is compared with it; returns how many were. */
function comparedWithTruth(recorder: WorldRecorder, market: WorldMarket): number {
  const truth = new Map<number, Set<string>>()
  const textOf = (levels: readonly { price: number; size: number }[]): string =>
    JSON.stringify(levels.map(({ price, size }) => [price, size]))
  const again = new OfflineWorld({ seed: 'habits' }, ({ market: { conditionId, book }, atMs }) => {
    if (conditionId !== market.conditionId) return
    const levels = [...book.bids.toReversed(), ...book.asks].map(({ price, size }) => ({ price, size: size * 10_000 }))
    truth.set(atMs, (truth.get(atMs) ?? new Set()).add(textOf(levels)))
  })
  again.world.advance(recorder.nowMs)
  const comparable = recorder.rowsOf(market).filter(({ eventAtMs }) => truth.has(eventAtMs))
  for (const { slot, eventAtMs, up, flags } of comparable)
    expect(truth.get(eventAtMs)?.has(textOf([...up.bids, ...up.asks])), `slot ${slot} with flags ${flags}`).toBe(true)
  return comparable.length
}

test('every followed market has a proved row at every slot, equal to what the venue had at that event', () => {
  const recorder = new WorldRecorder()
  const market = hotMarket(recorder)
  recorder.follow(market)
  recorder.run(10_000)
  const rows = recorder.rowsOf(market)
  expect([rows.length, recorder.gapsOf(market), recorder.holesOf(market)]).toEqual([40, [], []])
  expect(rows.every(({ flags }) => (flags & PROVED) === PROVED)).toBe(true)
  for (const { slot, intervalMs, capturedAtMs } of rows) expect(capturedAtMs).toBe(slot * intervalMs)
  expect(comparedWithTruth(recorder, market)).toBeGreaterThan(30)
})

const LOST: readonly GapCause[] = ['hash_mismatch', 'impossible_book', 'undecodable', 'resync']

/** The gaps that each fault may cause; no row may be wrong and every slot has a row or a gap record. */
test.each<[numbers: string, fault: FrameFaultName, rate: number, causes: readonly GapCause[]]>([
  ['F4 empty arrays', 'empty-array', 0.3, []],
  ['F9 frames sent twice', 'duplicate', 0.5, []],
  ['F12 truncated frames', 'corrupt', 0.1, LOST],
  ['F12 hashes that belong to no book', 'wrong-hash', 0.1, LOST],
  ['F12 a level with a wrong size', 'wrong-size', 0.1, LOST],
  ['F15 best_bid_ask and changes left out', 'drop', 0.1, LOST],
  ['F17 unknown event types', 'unknown-event', 0.3, []],
  ['F18 text that is not JSON', 'noise-text', 0.3, []],
  ['F27 unknown keys', 'unknown-keys', 0.3, []],
  ['F30 a wrong echo of the best bid', 'wrong-echo', 0.3, ['impossible_book', 'hash_mismatch']],
])('%s: no row is wrong, and every slot has a row or a gap record', (_, fault, rate, causes) => {
  const recorder = new WorldRecorder()
  const market = hotMarket(recorder)
  recorder.follow(market)
  recorder.run(5_000)
  const draw = random('faults', fault)
  let changed = 0
  recorder.disturb((frame) => {
    if (!draw.chance(rate)) return [frame]
    changed++
    return FRAME_FAULTS[fault](frame, draw)
  })
  recorder.run(20_000)
  recorder.disturb(undefined)
  recorder.run(10_000)
  expect(changed).toBeGreaterThan(10)
  expect(recorder.gapsOf(market).filter(({ cause }) => !causes.includes(cause))).toEqual([])
  expect(recorder.holesOf(market)).toEqual([])
  expect(recorder.rowsOf(market).at(-1)?.eventAtMs).toBe(market.changedAtMs)
  expect(comparedWithTruth(recorder, market)).toBeGreaterThan(40)
})

test('F20, F65: a lost connection is a gap from the last frame to the first book after it', () => {
  const recorder = new WorldRecorder()
  const market = hotMarket(recorder)
  recorder.follow(market)
  recorder.run(5_000)
  const lastSlot = recorder.rowsOf(market).at(-1)?.slot ?? 0
  recorder.disconnect(4_000)
  recorder.run(5_000)
  // The record grows while the gap lasts; the store keeps its furthest end.
  const gaps = recorder.gapsOf(market).filter(({ kind }) => kind === 'missing')
  expect(new Set(gaps.map(({ cause, fromSlot }) => `${cause} ${fromSlot - lastSlot}`))).toEqual(
    new Set(['disconnected 1']),
  )
  expect(Math.max(...gaps.map(({ toSlot }) => toSlot))).toBe(lastSlot + 16)
  expect(recorder.holesOf(market)).toEqual([])
  expect(recorder.rowsOf(market)).toHaveLength(40)
})
