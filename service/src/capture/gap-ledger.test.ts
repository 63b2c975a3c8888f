import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Gap, GapCause } from '../domain/rows/gap.ts'
import { GapLedger } from './gap-ledger.ts'

const ID = `0x${'1'.repeat(64)}`
const INTERVAL_MS = 250

/** What the store keeps: of records with the same key, the longest. */
function stored(gaps: readonly Gap[]): Gap[] {
  const byKey = new Map<string, Gap>()
  for (const gap of gaps) {
    const key = `${gap.fromSlot} ${gap.cause} ${gap.kind}`
    const known = byKey.get(key)
    if (known === undefined || known.toSlot < gap.toSlot) byKey.set(key, gap)
  }
  return [...byKey.values()]
}

type Step = { jump: number; row: true } | { jump: number; row: false; cause: GapCause }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ jump: fc.constant(1), row: fc.constant(true as const) }),
  fc.record({
    jump: fc.constantFrom(1, 1, 1, 4),
    row: fc.constant(false as const),
    cause: fc.constantFrom<GapCause>('disconnected', 'hash_mismatch', 'venue_silent'),
  }),
  fc.record({ jump: fc.constantFrom(2, 9), row: fc.constant(true as const) }),
)

test('every slot has a row or a gap record, and no missing slot has a row', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 200 }), (steps) => {
      const ledger = new GapLedger(ID, INTERVAL_MS)
      const gaps: Gap[] = []
      const rows = new Set<number>()
      let slot = 1_000
      for (const each of steps) {
        slot += each.jump
        if (each.row) {
          rows.add(slot)
          gaps.push(...ledger.sampled(slot))
        } else gaps.push(...ledger.absent(slot, { cause: each.cause, detail: '' }))
      }
      gaps.push(...ledger.end())
      const missing = stored(gaps).filter(({ kind }) => kind === 'missing')
      for (let each = 1_000 + (steps[0]?.jump ?? 0); each <= slot; each++) {
        const records = missing.filter(({ fromSlot, toSlot }) => fromSlot <= each && each <= toSlot)
        expect(records.length, `slot ${each}`).toBe(rows.has(each) ? 0 : 1)
      }
    }),
  )
})

test('the stored record of an open gap lags by less than a second', () => {
  const ledger = new GapLedger(ID, INTERVAL_MS)
  const gaps: Gap[] = ledger.sampled(99)
  for (let slot = 100; slot < 200; slot++) {
    gaps.push(...ledger.absent(slot, { cause: 'disconnected', detail: '' }))
    const [open] = stored(gaps)
    expect(slot - (open?.toSlot ?? 0)).toBeLessThan(4)
  }
  expect(gaps.length).toBeLessThanOrEqual(26)
})

describe('suspect rows', () => {
  test('rows since the book was last right become suspect, with the slot at which that was known', () => {
    const ledger = new GapLedger(ID, INTERVAL_MS)
    for (let slot = 100; slot <= 120; slot++) ledger.sampled(slot)
    const [suspect, missing] = ledger.absent(121, {
      cause: 'venue_silent',
      detail: 'silent',
      rightUntilMs: 110 * INTERVAL_MS + 30,
    })
    expect(suspect).toMatchObject({
      kind: 'suspect',
      fromSlot: 111,
      toSlot: 120,
      knownAtSlot: 121,
      cause: 'venue_silent',
    })
    expect(missing).toMatchObject({ kind: 'missing', fromSlot: 121, toSlot: 121, knownAtSlot: 121 })
  })

  test('a doubt that is found at once leaves no suspect rows', () => {
    const ledger = new GapLedger(ID, INTERVAL_MS)
    ledger.sampled(100)
    const gaps = ledger.absent(101, { cause: 'hash_mismatch', detail: '', rightUntilMs: 100 * INTERVAL_MS + 200 })
    expect(gaps.map(({ kind }) => kind)).toEqual(['missing'])
  })
})

test('the first slot of a new market makes no gap for the time before it', () => {
  expect(new GapLedger(ID, INTERVAL_MS).sampled(7_000)).toEqual([])
})

test('slots that were skipped become a late_slot gap', () => {
  const ledger = new GapLedger(ID, INTERVAL_MS)
  ledger.sampled(100)
  expect(ledger.sampled(105)).toMatchObject([{ cause: 'late_slot', fromSlot: 101, toSlot: 104, knownAtSlot: 105 }])
})

test('after a restart the downtime becomes one gap before the first new row', () => {
  const ledger = new GapLedger(ID, INTERVAL_MS, 500)
  expect(ledger.sampled(540)).toMatchObject([{ cause: 'capturer_down', fromSlot: 501, toSlot: 539, knownAtSlot: 540 }])
  expect(ledger.sampled(543)).toMatchObject([{ cause: 'late_slot', fromSlot: 541, toSlot: 542 }])
})

test('a restart while the market is in doubt makes two gaps: the downtime, then the doubt', () => {
  const ledger = new GapLedger(ID, INTERVAL_MS, 500)
  const gaps = ledger.absent(540, { cause: 'not_listed_yet', detail: '' })
  expect(gaps.map(({ cause, fromSlot, toSlot }) => [cause, fromSlot, toSlot])).toEqual([
    ['capturer_down', 501, 539],
    ['not_listed_yet', 540, 540],
  ])
})

test('slots that the clock passed over when it moved ahead are a clock step, and only those', () => {
  const ledger = new GapLedger(ID, INTERVAL_MS)
  ledger.sampled(100)
  ledger.clockStepped()
  expect(ledger.sampled(500)).toMatchObject([{ cause: 'clock_step', kind: 'missing', fromSlot: 101, toSlot: 499 }])
  expect(ledger.sampled(503)).toMatchObject([{ cause: 'late_slot', fromSlot: 501, toSlot: 502 }])
})
