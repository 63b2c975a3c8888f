import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Level, mirrorOf } from '../domain/book.ts'
import { RowWriter } from '../domain/rows/row-binary.ts'
import { SNAPSHOT_FLAGS, type Snapshot, writeSnapshot } from '../domain/rows/snapshot.ts'
import { SnapshotRows } from '../domain/rows/snapshot-rows.ts'
import { AsciiText } from './ascii-text.ts'
import { renderTokenSnapshots } from './token-snapshots.ts'

const MARKET = { venue: 'polymarket', id: `0x${'ab'.repeat(32)}`, tokenIds: ['1'.repeat(77), '2'.repeat(77)] } as const

const size = fc.oneof(
  fc.nat(999_999),
  fc.nat(99).map((hundreds) => hundreds * 10_000),
  fc.integer({ min: 1, max: 2 ** 50 }),
)
const levels: fc.Arbitrary<Level[]> = fc.array(fc.record({ price: fc.nat(10_000), size }), { maxLength: 140 })
const ladders = fc.record({ bids: levels, asks: levels })

const anyRow: fc.Arbitrary<Snapshot> = fc
  .record({
    slot: fc.nat(2 ** 40),
    capturedAtMs: fc.nat(4e12),
    eventAtMs: fc.nat(4e12),
    flags: fc.nat(0xff),
    spotPrice: fc.nat(2 ** 45),
    spotAgeMs: fc.nat(0xffff_ffff),
    up: ladders,
    down: ladders,
  })
  .map((row) => ({
    ...row,
    marketId: MARKET.id,
    intervalMs: 250,
    receivedAtMs: row.capturedAtMs,
    changes: 1,
    down: row.flags & SNAPSHOT_FLAGS.mirrored ? mirrorOf(row.up) : row.down,
  }))

/** A few levels taken out and others put in their place. */
const edit = fc.record({
  at: fc.nat(12),
  out: fc.nat(3),
  put: fc.array(fc.record({ price: fc.nat(10_000), size }), { maxLength: 3 }),
})
const few: fc.Arbitrary<Level[]> = fc.array(fc.record({ price: fc.nat(3), size: fc.nat(2) }), { maxLength: 12 })

/** Some rows hold the same book as the row before, some a book in which little has changed. */
const anyRows = fc
  .array(
    fc.record({ row: anyRow, few, kind: fc.constantFrom('new', 'few', 'same', 'edited'), bids: edit, asks: edit }),
    { maxLength: 8 },
  )
  .map((drawn) => {
    const rows: Snapshot[] = []
    for (const { row, few: levels, kind, bids, asks } of drawn) {
      const before = rows.at(-1)
      const { up, flags, down } = kind === 'new' || kind === 'few' || before === undefined ? row : before
      const changed =
        kind === 'edited'
          ? {
              bids: up.bids.toSpliced(bids.at, bids.out, ...bids.put),
              asks: up.asks.toSpliced(asks.at, asks.out, ...asks.put),
            }
          : kind === 'few'
            ? { bids: levels, asks: levels.toReversed() }
            : up
      rows.push({ ...row, flags, up: changed, down: flags & SNAPSHOT_FLAGS.mirrored ? mirrorOf(changed) : down })
    }
    return rows
  })

/** The same members computed the simple way. */
function simpleForm(snapshot: Snapshot, { outcome, includeBook }: { outcome: 0 | 1; includeBook: boolean }): object {
  const { bids, asks } = outcome === 0 ? snapshot.up : snapshot.down
  const [bid, ask] = [bids[0]?.price ?? 0, asks[0]?.price ?? 10_000]
  const pairs = (side: readonly Level[]) => side.map((level) => [level.price / 10_000, level.size / 1e6])
  const depth5 = (side: readonly Level[]) => side.slice(0, 5).reduce((sum, level) => sum + level.size, 0) / 1e6
  const has = (flag: keyof typeof SNAPSHOT_FLAGS): boolean => (snapshot.flags & SNAPSHOT_FLAGS[flag]) !== 0
  const flags = {
    verified: has(outcome === 0 ? 'verifiedUp' : 'verifiedDown'),
    unverified: !has(outcome === 0 ? 'verifiedUp' : 'verifiedDown'),
    mirrored: has('mirrored'),
    one_sided: has('oneSided'),
    crossed: has('crossed'),
    // A bit that this version doesn’t know.
    bit_7: (snapshot.flags & 128) !== 0,
    suspect: isSuspect(snapshot.slot),
  }
  return {
    condition_id: MARKET.id,
    token_id: MARKET.tokenIds[outcome],
    side: outcome === 0 ? 'UP' : 'DOWN',
    event_timestamp: new Date(snapshot.eventAtMs).toISOString(),
    capture_timestamp: new Date(snapshot.capturedAtMs).toISOString(),
    sequence_number: snapshot.slot,
    best_bid: bid / 10_000,
    best_ask: ask / 10_000,
    mid: (bid + ask) / 20_000,
    spread: (ask - bid) / 10_000,
    ...(includeBook && { bids: pairs(bids), asks: pairs(asks) }),
    depth5_bid: depth5(bids),
    depth5_ask: depth5(asks),
    spot_crypto_usd: has('hasSpot') ? snapshot.spotPrice / 1e8 : null,
    spot_crypto_age_ms: has('hasSpot') ? snapshot.spotAgeMs : null,
    flags: Object.entries(flags).flatMap(([name, isSet]) => (isSet ? [name] : [])),
    proof: 'hash',
  }
}

function isSuspect(slot: number): boolean {
  return slot % 2 === 0
}

function rowsOf(snapshots: readonly Snapshot[]): SnapshotRows {
  const writer = new RowWriter()
  for (const snapshot of snapshots) writeSnapshot(writer, snapshot)
  return new SnapshotRows(writer.take())
}

test('the text of a page has the members of each token snapshot in order, with exact values', () => {
  fc.assert(
    fc.property(anyRows, fc.boolean(), fc.integer({ min: 1, max: 3 }), (snapshots, includeBook, sides) => {
      const rows = rowsOf(snapshots)
      const outcomes = ([0, 1] as const).filter((outcome) => sides & (1 << outcome))
      const tokens = snapshots.flatMap((_, index) => outcomes.map((outcome) => ({ index, outcome })))
      const text = renderTokenSnapshots(MARKET, rows, tokens, { includeBook, isSuspect })
      const objects = tokens.map(({ index, outcome }) => simpleForm(rows.row(index), { outcome, includeBook }))
      expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(objects))
    }),
    { numRuns: 300 },
  )
})

test('rows of a venue without a proof are never unverified', () => {
  fc.assert(
    fc.property(anyRow, (snapshot) => {
      const options = { includeBook: false, isSuspect }
      const text = renderTokenSnapshots(
        { ...MARKET, venue: '' },
        rowsOf([snapshot]),
        [{ index: 0, outcome: 0 }],
        options,
      )
      const [token] = JSON.parse(text)
      expect(token.proof).toBe('none')
      expect(token.flags).not.toContain('unverified')
    }),
  )
})

test('a size is its exact decimal, whatever its length', () => {
  const textOf = (units: number): string => {
    const text = new AsciiText(0)
    text.size(units)
    return text.toString()
  }
  expect([0, 1, 10_000, 1_000_000, 38_620_000, 2_147_483_648_000_001].map(textOf)).toEqual([
    '0',
    '0.000001',
    '0.01',
    '1',
    '38.62',
    '2147483648.000001',
  ])
  fc.assert(
    fc.property(fc.maxSafeNat(), (units) => {
      expect(Number(textOf(units))).toBe(units / 1e6)
    }),
  )
})

test('every price has the text of its number', () => {
  for (let units = 0; units <= 10_000; units++) {
    const text = new AsciiText(0)
    text.price(units)
    expect(text.toString()).toBe(String(units / 10_000))
  }
})
