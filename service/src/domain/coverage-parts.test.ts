import { expect, test } from 'vitest'
import { coverageParts } from './coverage-parts.ts'
import type { Gap } from './rows/gap.ts'

const HOUR_MS = 3_600_000
const INTERVAL_MS = 1_000
const START_MS = 500_000 * HOUR_MS
const slotOf = (atMs: number) => atMs / INTERVAL_MS

function gapOf(fromMs: number, toMs: number, changed: Partial<Gap> = {}): Gap {
  return {
    marketId: '0x1',
    fromSlot: slotOf(fromMs),
    toSlot: slotOf(toMs) - 1,
    knownAtSlot: slotOf(toMs),
    cause: 'disconnected',
    kind: 'missing',
    intervalMs: INTERVAL_MS,
    detail: '',
    ...changed,
  }
}

const hours = (stored: readonly number[], gaps: readonly Gap[], nowMs = START_MS + 100 * HOUR_MS) =>
  coverageParts({
    partMs: HOUR_MS,
    intervalMs: INTERVAL_MS,
    range: { fromMs: START_MS + 1_800_000, toMs: START_MS + stored.length * HOUR_MS },
    stored: new Map(stored.map((count, hour) => [START_MS + hour * HOUR_MS, count])),
    gaps,
    nowMs,
  })

test('each hour has its expected and stored slots, its condition and its causes', () => {
  const parts = hours(
    [1_800, 3_590, 0, 3_600],
    [
      gapOf(START_MS + HOUR_MS, START_MS + HOUR_MS + 10_000),
      gapOf(START_MS + 2 * HOUR_MS, START_MS + 3 * HOUR_MS, { cause: 'venue_silent' }),
      gapOf(START_MS + 3 * HOUR_MS, START_MS + 3 * HOUR_MS + 5_000, { kind: 'suspect', cause: 'resync' }),
    ],
  )
  expect(parts.map(({ expected, condition, suspect, causes }) => [expected, condition, suspect, causes])).toEqual([
    [1_800, 'available', 0, {}],
    [3_600, 'degraded', 0, { disconnected: 10 }],
    [3_600, 'missing', 0, { venue_silent: 3_600 }],
    [3_600, 'degraded', 5, { resync: 5 }],
  ])
})

test('a gap over several hours counts in each of them, and overlapping gaps of one cause count once', () => {
  const over = gapOf(START_MS + 1.5 * HOUR_MS, START_MS + 2.5 * HOUR_MS)
  const [, first, second] = hours([1_800, 1_800, 1_800], [over, over])
  expect([first?.causes, second?.causes]).toEqual([{ disconnected: 1_800 }, { disconnected: 1_800 }])
})

test('an hour is pending until five minutes after its end', () => {
  const endMs = START_MS + 2 * HOUR_MS
  const last = (nowMs: number) => hours([1_800, 3_600], [], nowMs).at(-1)?.condition
  expect(last(endMs + 299_000)).toBe('pending')
  expect(last(endMs + 300_000)).toBe('available')
})
