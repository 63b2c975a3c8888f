import { expect, test } from 'vitest'
import { isRowGap, type StoredGap } from '../domain/rows/gap.ts'
import { Recorder } from './recorder.ts'
import type { SampledMarket } from './sampled-market.ts'
import { StoredRows } from './stored-rows.ts'

const SHARD = 'polymarket.0'
const ID = `0x${'1'.repeat(64)}`
const INTERVAL_MS = 250
const FIRST_MS = 1_800_000_000_000

const market: SampledMarket = {
  id: ID,
  intervalMs: INTERVAL_MS,
  settle: () => [],
  takeLosses: () => [],
  sample: () => ({ absence: { cause: 'venue_silent', detail: 'no book' } }),
}

function recorderWith(gaps: StoredGap[]): Recorder {
  const recorder = new Recorder({
    nowMs: () => FIRST_MS,
    shardOf: () => SHARD,
    publish: (_, __, rows) => gaps.push(...rows.gaps),
  })
  recorder.add(market)
  return recorder
}

function tick(recorder: Recorder, fromMs: number, toMs: number): void {
  for (let tickMs = fromMs; tickMs <= toMs; tickMs += INTERVAL_MS) recorder.tick(tickMs)
}

/** The last slot that a record covers. */
function coveredTo(gaps: readonly StoredGap[]): number {
  return Math.max(...gaps.filter(isRowGap).map(({ toSlot }) => toSlot))
}

test('the record of an open gap reaches the last tick when the shard is left', () => {
  const gaps: StoredGap[] = []
  const recorder = recorderWith(gaps)
  recorder.hold(SHARD)
  const lastMs = FIRST_MS + 1_500
  tick(recorder, FIRST_MS, lastMs)
  expect(coveredTo(gaps)).toBeLessThan(lastMs / INTERVAL_MS)
  recorder.leave(SHARD)
  expect(coveredTo(gaps)).toBe(lastMs / INTERVAL_MS)
})

test('after a recorder that was killed within a gap, a standby records every slot that no stored record covers', () => {
  const killed: StoredGap[] = []
  const first = recorderWith(killed)
  first.hold(SHARD)
  const lastMs = FIRST_MS + 1_500
  tick(first, FIRST_MS, lastMs)

  const gaps: StoredGap[] = []
  const standby = recorderWith(gaps)
  tick(standby, FIRST_MS - 2_000, lastMs + 500)
  // The standby has not seen the last messages of the bus, and the state names the last tick.
  const inherited = new Map([[ID, lastMs]])
  standby.hold(SHARD, { inherited, notBeforeMs: 0, wrongTime: undefined, stored: new StoredRows() })
  tick(standby, lastMs + 750, lastMs + 2_000)

  const covered = new Set(
    [...killed, ...gaps]
      .filter(isRowGap)
      .flatMap(({ fromSlot, toSlot }) => Array.from({ length: toSlot - fromSlot + 1 }, (_, index) => fromSlot + index)),
  )
  const holes: number[] = []
  for (let slot = FIRST_MS / INTERVAL_MS; slot <= coveredTo(gaps); slot++) if (!covered.has(slot)) holes.push(slot)
  expect(holes).toEqual([])
})
