import { expect, test } from 'vitest'
import type { TapeRow } from '../domain/rows/tape-row.ts'
import { PublishedTrades } from './published-trades.ts'

function trade(tradeId: number): TapeRow {
  const figures = { side: 'BUY', price: 1, size: 1, tradedAtMs: 1, receivedAtMs: 1 } as const
  return { kind: 'trade', row: { venue: 'hyperliquid', symbol: 'BTC', tradeId, transactionHash: '0x', ...figures } }
}

test('the state names the last 60 trades that are on the bus, also those of earlier recorders', () => {
  const trades = new PublishedTrades({ 'hyperliquid:ETH': [7] })
  for (let id = 1; id <= 100; id++) trades.add(id, [trade(id)])
  const saved = trades.upTo(90)
  const [ofBtc] = Object.entries(saved).filter(([id]) => id !== 'hyperliquid:ETH')
  expect(ofBtc?.[1]).toEqual(Array.from({ length: 60 }, (_, index) => 31 + index))
  expect(saved['hyperliquid:ETH']).toEqual([7])
})

test('trades that could not be published are not named, so the next recorder stores what the venue repeats of them', () => {
  const trades = new PublishedTrades()
  for (let id = 1; id <= 5; id++) trades.add(id, [trade(id)])
  trades.forget([trade(2), trade(4)].flatMap(({ kind, row }) => (kind === 'trade' ? [row] : [])))
  expect(Object.values(trades.upTo(5))).toEqual([[1, 3, 5]])
})
