import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import type { SavedState } from '../bus/shard-states.ts'
import type { Market } from '../domain/market.ts'
import { isRowGap, type StoredGap } from '../domain/rows/gap.ts'
import type { ProvedState } from '../venues/venue.ts'
import { ClockWatch } from './clock-watch.ts'
import { FollowedMarket } from './followed-market.ts'
import { Recorder } from './recorder.ts'
import { LONGEST_WAIT_MS, resumedShard } from './resumed-shard.ts'
import { sampledBinary } from './sampled-binary.ts'
import { SamplingClock } from './sampling-clock.ts'
import { startTimeOf } from './start-time.ts'

const NOW_MS = 1_790_000_000_000
const HOUR_MS = 3_600_000
const INTERVAL_MS = 250
const ID = `0x${'1'.repeat(64)}`

function stateLeft(lastTickMs: number, rest: Partial<SavedState> = {}): SavedState {
  return { epoch: 1, lastTickMs, marketIds: [ID], waiting: {}, savedAtMs: NOW_MS - 10_000, ...rest }
}

describe('the time at which a recorder starts', () => {
  test.each([
    ['both clocks agree', { wallMs: NOW_MS, busMs: NOW_MS + 900, lastTickMs: NOW_MS + HOUR_MS }],
    ['this clock is ahead', { wallMs: NOW_MS + HOUR_MS, busMs: NOW_MS, lastTickMs: NOW_MS - 5_000 }],
    ['this clock is behind', { wallMs: NOW_MS - HOUR_MS, busMs: NOW_MS, lastTickMs: NOW_MS - 5_000 }],
    ['the clock of NATS is ahead', { wallMs: NOW_MS, busMs: NOW_MS + HOUR_MS, lastTickMs: NOW_MS - 5_000 }],
    [
      'NATS is behind and the venue answers',
      { wallMs: NOW_MS, busMs: NOW_MS - HOUR_MS, venueMs: NOW_MS, lastTickMs: 0 },
    ],
    ['this clock is ahead and nothing was recorded', { wallMs: NOW_MS + HOUR_MS, busMs: NOW_MS, lastTickMs: 0 }],
  ])('is the right one when %s', (_, known) => {
    expect(startTimeOf(known)).toBe(NOW_MS)
  })
})

describe('a clock that was ahead recovers', () => {
  test('a last tick in the past changes nothing, and a restart adds no time', () => {
    expect(resumedShard(stateLeft(NOW_MS - 3_000), NOW_MS)).toEqual({
      inherited: new Map([[ID, NOW_MS - 3_000]]),
      notBeforeMs: 0,
      wrongTime: undefined,
    })
  })

  test('a near tick is waited for: no slot is written twice, and the clock is not moved', () => {
    const lastTickMs = NOW_MS + 20_000
    const { ticks, gaps } = record(stateLeft(lastTickMs), { forMs: 40_000 })
    expect(ticks[0]).toBeGreaterThan(lastTickMs)
    expect(ticks[0]).toBeLessThan(lastTickMs + 6_000)
    expect(ticks).toEqual(ticks.toSorted((one, other) => one - other))
    const rowGaps = gaps.filter(isRowGap)
    expect(new Set(rowGaps.map(({ cause }) => cause))).toEqual(new Set(['clock_step']))
    expect(rowGaps.find(({ kind }) => kind === 'suspect')).toMatchObject({
      fromSlot: NOW_MS / INTERVAL_MS,
      toSlot: lastTickMs / INTERVAL_MS,
    })
    expect(rowGaps.find(({ kind }) => kind === 'missing')?.toSlot).toBe((ticks[0] ?? 0) / INTERVAL_MS - 1)
  })

  test('a far tick was never real: recording goes on at once, and the rows of the wrong time are suspect', () => {
    const [sinceTickMs, lastTickMs] = [NOW_MS + HOUR_MS - 600_000, NOW_MS + HOUR_MS]
    const { ticks, gaps } = record(stateLeft(lastTickMs, { sinceTickMs }), { forMs: 2_000 })
    expect(ticks[0]).toBe(NOW_MS + INTERVAL_MS)
    const suspect = gaps.filter(isRowGap).filter(({ kind }) => kind === 'suspect')
    expect(suspect).toMatchObject([{ cause: 'clock_step', fromSlot: sinceTickMs / INTERVAL_MS }])
    expect(suspect[0]?.toSlot).toBeGreaterThanOrEqual(lastTickMs / INTERVAL_MS)
    const missing = gaps.filter(isRowGap).filter(({ kind }) => kind === 'missing')
    expect(missing).toMatchObject([{ cause: 'clock_step', toSlot: NOW_MS / INTERVAL_MS }])
    expect(missing[0]?.fromSlot).toBeLessThanOrEqual((NOW_MS - 10_000) / INTERVAL_MS)
  })

  test('the limit between near and far is the longest wait', () => {
    expect(resumedShard(stateLeft(NOW_MS + LONGEST_WAIT_MS), NOW_MS).notBeforeMs).toBeGreaterThan(NOW_MS)
    expect(resumedShard(stateLeft(NOW_MS + LONGEST_WAIT_MS + 1), NOW_MS).notBeforeMs).toBe(0)
  })
})

describe('a clock that is corrected while a recorder runs', () => {
  test('a recorder that is behind moves ahead, and the slots between have the cause clock_step', () => {
    const { watch, hands, clock, steps } = watched()
    hands.wall += HOUR_MS
    for (let check = 0; check < 3; check++) watch.check(hands.wall)
    expect([clock.nowMs(), steps.count]).toEqual([hands.wall, 1])
  })

  test('a recorder that is ahead ends and says what to do', () => {
    const { watch, hands } = watched()
    hands.wall -= HOUR_MS
    watch.check(hands.wall)
    watch.check(hands.wall)
    expect(() => watch.check(hands.wall)).toThrow('3600 s ahead')
  })

  test('a wall clock that NATS does not confirm changes nothing', () => {
    const { watch, hands, clock, steps } = watched()
    hands.wall -= HOUR_MS
    for (let check = 0; check < 9; check++) watch.check(NOW_MS)
    expect([clock.nowMs(), steps.count]).toEqual([NOW_MS, 0])
  })
})

function watched() {
  const hands = { wall: NOW_MS, monotonic: 5_000 }
  const clock = new SamplingClock({ wallMs: () => hands.wall, monotonicMs: () => hands.monotonic })
  const steps = { count: 0 }
  clock.onMovedAhead(() => steps.count++)
  const watch = new ClockWatch({
    clock,
    leases: { serverTimeMs: async () => NOW_MS },
    log: pino({ level: 'silent' }),
  })
  return { watch, hands, clock, steps }
}

/** Records one market whose shard another recorder left, from `NOW_MS` on. */
function record(state: SavedState, { forMs }: { forMs: number }): { ticks: number[]; gaps: StoredGap[] } {
  const [ticks, gaps]: [number[], StoredGap[]] = [[], []]
  let nowMs = NOW_MS
  const recorder = new Recorder({
    nowMs: () => nowMs,
    shardOf: () => 'polymarket.0',
    publish: (_shard, tickMs, rows) => {
      ticks.push(tickMs)
      gaps.push(...rows.gaps)
    },
  })
  recorder.hold('polymarket.0', resumedShard(state, NOW_MS))
  recorder.add(sampledBinary(new FollowedMarket(provedBook(), NOW_MS), () => undefined))
  while (nowMs < NOW_MS + forMs) {
    nowMs += INTERVAL_MS
    recorder.tick(nowMs)
  }
  return { ticks, gaps }
}

function provedBook(): FollowedMarket['book'] {
  const empty = { bids: [], asks: [] }
  const proved: ProvedState = {
    up: empty,
    down: empty,
    isUpVerified: true,
    isDownVerified: true,
    eventAtMs: NOW_MS,
    receivedAtMs: NOW_MS,
  }
  return {
    market: { id: ID, captureIntervalMs: INTERVAL_MS } as Market,
    proved,
    doubt: undefined,
    provedAtMs: NOW_MS,
    takeChangeCount: () => 0,
    takeDoubts: () => [],
    take: () => {},
    isToBeCompared: () => false,
    compare: () => {},
    relationTo: () => 'equal',
    settle: () => {},
    distrust: () => {},
    checkpoint: () => undefined,
    restore: () => {},
  }
}
