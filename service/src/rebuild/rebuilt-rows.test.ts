import { expect, test } from 'vitest'
import type { Trade } from '../domain/rows/trade.ts'
import { RebuiltRows, SETTLES_WITHIN_MS } from './rebuilt-rows.ts'

const FROM_MS = Date.parse('2027-01-31T05:00:00Z')
const RANGE = { fromMs: FROM_MS, toMs: FROM_MS + 3_600_000 }
const MARKET = `0x${'1'.repeat(64)}`
const at = (second: number): number => FROM_MS + second * 1_000

const trade = (second: number): Trade => ({
  marketId: MARKET,
  outcome: 0,
  side: 'BUY',
  price: 5_000,
  size: 1,
  tradedAtMs: at(second),
  receivedAtMs: at(second),
  transactionHash: `0x${'0'.repeat(64)}`,
  occurrence: 0,
})

function read(rows: RebuiltRows, epoch: number, fromS: number, toS: number): void {
  for (let second = fromS; second <= toS; second++) {
    rows.ticked('polymarket.0', epoch, at(second))
    rows.add('polymarket.0', epoch, at(second), { snapshots: [], gaps: [], trades: [trade(second)] })
  }
}

const inSeconds = (times: readonly { fromMs: number; toMs: number }[]) =>
  times.map(({ fromMs, toMs }) => [(fromMs - FROM_MS) / 1_000, (toMs - FROM_MS) / 1_000])

test('rows of a lease count up to what its successor knew; what is stored between the two stays', () => {
  const rows = new RebuiltRows(RANGE)
  read(rows, 1, 0, 600)
  rows.stopped('polymarket.0', 1)
  rows.takenOver('polymarket.0', { epoch: 2, lastTickMs: at(590) })
  read(rows, 2, 610, 3_600)
  rows.stopped('polymarket.0', 2)
  const [part] = rows.partsOf(MARKET)
  expect(part?.trades.map(({ tradedAtMs }) => (tradedAtMs - FROM_MS) / 1_000)).not.toContain(591)
  expect(part?.trades).toHaveLength(591 + 2_990)
  expect(inSeconds(part?.kept.snapshots ?? [])).toEqual([[590.001, 610]])
  expect(inSeconds(rows.unreadOf('polymarket.0'))).toEqual([[590.001, 610]])
  expect([rows.wasTakenOver('polymarket.0', 1), rows.wasTakenOver('polymarket.0', 2)]).toEqual([true, false])
})

test('of a recorder that did not say that it stopped, gaps and trades before its end are not known whole', () => {
  const rows = new RebuiltRows(RANGE)
  read(rows, 1, 0, 1_000)
  const [part] = rows.partsOf(MARKET)
  expect(inSeconds(part?.kept.snapshots ?? [])).toEqual([[1_000.001, 3_600]])
  expect(inSeconds(part?.kept.others ?? [])).toEqual([[1_000.001 - SETTLES_WITHIN_MS / 1_000, 3_600]])
})

test('without any record of a shard, everything of it stays', () => {
  const rows = new RebuiltRows(RANGE)
  expect(inSeconds(rows.unreadOf('polymarket.3'))).toEqual([[0, 3_600]])
})
