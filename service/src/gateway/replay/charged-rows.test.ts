import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MarketStream } from '../channels/market-stream.ts'
import type { StreamRow } from '../frames/stream-row.ts'
import type { StreamMarket } from '../markets/stream-market.ts'
import { ChargedRows, MAX_PARTS } from './charged-rows.ts'
import type { ReplayItem } from './replay-reader.ts'

const row = {} as StreamRow
const told = {} as NonNullable<ReplayItem['told']>
const streams: MarketStream[] = []
const [one, other] = ['0x1', '0x2'].map((id) => ({ market: { id } as StreamMarket, fromMs: 0, toMs: 1e6, streams }))

/** Several items share a time: trades and rows of two markets. */
const ITEMS = Array.from({ length: 40 }, (_, index) => index * 250).flatMap((atMs): ReplayItem[] => {
  const at = { atMs, happenedAtMs: atMs }
  const trades = (atMs / 250) % 3 === 0 ? [{ ...at, of: one, told } as ReplayItem, { ...at, of: one, told }] : []
  return [...trades, { ...at, of: one, row }, { ...at, of: other, row }] as ReplayItem[]
})

describe('the rows of a replay', () => {
  test('are each charged once, wherever it is moved and interrupted', () => {
    const passes = fc.array(fc.record({ fromMs: fc.nat(10_000), items: fc.nat(60) }), { maxLength: 30 })
    fc.assert(
      fc.property(passes, (moves) => {
        const charged = new ChargedRows()
        const sent = new Set<ReplayItem>()
        for (const { fromMs, items } of moves) {
          charged.startAt(fromMs)
          for (const item of ITEMS.filter(({ atMs }) => atMs >= fromMs).slice(0, items)) {
            if (charged.advanceTo(item) === sent.has(item)) return false
            charged.add()
            sent.add(item)
          }
        }
        return true
      }),
    )
  })

  test('are not charged before they are sent', () => {
    const charged = new ChargedRows()
    const [item] = ITEMS as [ReplayItem]
    charged.startAt(0)
    expect(charged.advanceTo(item)).toBe(true)
    charged.startAt(0)
    expect(charged.advanceTo(item)).toBe(true)
  })

  test('are remembered in a bounded number of parts, which join when a part reaches the next one', () => {
    const charged = new ChargedRows()
    const send = (atMs: number) => {
      charged.advanceTo({ of: one, row, atMs, happenedAtMs: atMs } as ReplayItem)
      charged.add()
    }
    for (let part = 0; part < MAX_PARTS; part++) {
      expect(charged.canStartAt(part * 1_000)).toBe(true)
      charged.startAt(part * 1_000)
      send(part * 1_000)
    }
    expect([5_000, 5_500].map((atMs) => charged.canStartAt(atMs))).toEqual([true, false])
    charged.startAt(5_000)
    send(5_000)
    send(6_000)
    expect(charged.canStartAt(8_500)).toBe(true)
  })

  test('a seek that sends nothing uses no part', () => {
    const charged = new ChargedRows()
    for (let part = 0; part < 2 * MAX_PARTS; part++) charged.startAt(part)
    expect(charged.canStartAt(5)).toBe(true)
  })
})
