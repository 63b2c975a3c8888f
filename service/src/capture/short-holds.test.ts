import { expect, test } from 'vitest'
import { isRowGap, type StoredGap } from '../domain/rows/gap.ts'
import { Recorder } from './recorder.ts'
import type { InheritedMarkets } from './resumed-shard.ts'
import type { SampledMarket } from './sampled-market.ts'
import { shardSlots } from './shard-slots.ts'
import { StoredRows } from './stored-rows.ts'

const SHARD = 'polymarket.0'
const ID = `0x${'1'.repeat(64)}`
/** Long enough that a recorder may hold the shard without a slot of the market. */
const INTERVAL_MS = 3_000
const SLOT = 600_000_000
const SLOT_MS = SLOT * INTERVAL_MS
const TICK_MS = 250

const market: SampledMarket = {
  id: ID,
  intervalMs: INTERVAL_MS,
  settle: () => [],
  takeLosses: () => [],
  sample: () => ({ absence: { cause: 'venue_silent', detail: 'no book' } }),
}

/** A recorder that followed the shard for two seconds before it got it. */
function standby(gaps: StoredGap[]): { recorder: Recorder; tickUntil: (endMs: number) => void } {
  let nowMs = SLOT_MS - 2_000
  const recorder = new Recorder({
    nowMs: () => nowMs,
    shardOf: () => SHARD,
    publish: (_, __, rows) => gaps.push(...rows.gaps),
  })
  recorder.add(market)
  return {
    recorder,
    tickUntil(endMs) {
      for (; nowMs <= endMs; nowMs += TICK_MS) recorder.tick(nowMs)
    },
  }
}

test('a recorder that holds a shard for less than a slot leaves no gap for a slot that an earlier one recorded', () => {
  const gaps: StoredGap[] = []
  const { recorder, tickUntil } = standby(gaps)
  // The earlier recorder left half a second after the slot, which is on the bus.
  const leftAtMs = SLOT_MS + 500
  tickUntil(leftAtMs)
  const inherited: InheritedMarkets = new Map([[ID, leftAtMs]])
  const stored = new StoredRows({ ticksMs: [SLOT_MS], slots: [[ID, [[SLOT, SLOT]]]], trades: [] })
  recorder.hold(SHARD, { inherited, notBeforeMs: 0, wrongTime: undefined, stored })
  const lastTickMs = leftAtMs + 1_500
  tickUntil(lastTickMs)
  const { marketIds, waiting } = shardSlots({
    accountedTickMs: lastTickMs,
    followed: [ID],
    inherited,
    firstTickMs: (id) => recorder.firstTickMs(SHARD, id),
    isDiscoveryComplete: false,
  })
  // The next recorder counts from the last tick, not from the time at which the earlier one left.
  expect({ marketIds, waiting }).toEqual({ marketIds: [ID], waiting: {} })
  expect(gaps.filter(isRowGap)).toEqual([])
})
