import assert from 'node:assert/strict'
import { readParquet } from '../../http/read-parquet.ts'
import { cellsOf, recordsOf } from '../checks.ts'
import { type Check, type Clause, type ContractScene, clause, served } from '../clause.ts'

type Entry = Record<string, unknown> & {
  readonly sequence_number: number
  readonly side: 'UP' | 'DOWN'
  readonly event_timestamp: string
  readonly bids: [number, number][]
  readonly asks: [number, number][]
}

const TIMES = ['event_timestamp', 'capture_timestamp', 'timestamp', 'touch_timestamp']
async function formatsOfSnapshots(scene: ContractScene): Promise<void> {
  const request = `/v1/markets/{closed}/snapshots?from={row.first}&limit=50`
  const { body } = await scene.ask('scale', request)
  const rows: Entry[] = body.snapshots
  assert.equal(rows.length, 50)
  for (const [format, delimiter] of [
    ['csv', ','],
    ['tsv', '\t'],
  ] as const) {
    const { text, headers } = await scene.ask('scale', `${request}&format=${format}`)
    assert.deepEqual(recordsOf(text, delimiter), rows.map(asCells))
    assert.equal(headers['x-next-cursor'] ?? null, body.next_cursor)
    assert.equal(headers['x-market-id'], body.market_id)
  }
  const key = await scene.service.keyOf('scale')
  const url = scene.fill(`${request}&format=parquet`)
  const file = await scene.service.server.inject({ url, headers: { 'x-api-key': key } })
  assert.equal(file.statusCode, 200)
  const stored = await readParquet(file.rawPayload)
  assert.deepEqual(
    stored.map((row) => numbersIn(row, rows[0])),
    rows.map((row) => numbersIn(row, rows[0])),
  )
}

async function formatsOfPerp(scene: ContractScene): Promise<void> {
  const request = `/v1/exchange/snapshots?symbol=BTC&from={perp.first}&limit=50`
  const { body } = await scene.ask('scale', request)
  assert.equal(body.length, 50)
  for (const [format, delimiter] of [
    ['csv', ','],
    ['tsv', '\t'],
  ] as const) {
    const { text } = await scene.ask('scale', `${request}&format=${format}`)
    assert.deepEqual(recordsOf(text, delimiter), body.map(asCells))
  }
}

/** The expected cell of every member in a flat file. */
function asCells(row: Record<string, unknown>): Record<string, string> {
  const cell = (value: unknown): string => {
    if (value === null || value === undefined) return '\\N'
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)]))
}

/** A row in a form that all formats share: times as numbers, members in one order. */
function numbersIn(row: Record<string, unknown>, like: Entry | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(like ?? {}).map((name) => {
      const value = row[name] ?? null
      return [name, TIMES.includes(name) && typeof value === 'string' ? Date.parse(value) : value]
    }),
  )
}

const isStored: Check = async ({ body: live }, scene) => {
  const at = live.up.captureTimestamp
  const { body: stored } = await scene.ask('pro', `/v1/markets/{live}/snapshots?from=${at}&to=${at + 1}`)
  const { body: near } = await scene.ask('pro', `/api/snapshot?timestamp=${at}&marketId={live}&includebook=true`)
  for (const [index, book] of [live.up, live.down].entries()) {
    const pairs = (levels: { price: number; size: number }[]) => levels.map(({ price, size }) => [price, size])
    const expected = {
      token_id: book.tokenId,
      sequence_number: book.sequenceNumber,
      event_timestamp: new Date(book.eventTimestamp).toISOString(),
      best_bid: book.bestBid,
      best_ask: book.bestAsk,
      mid: book.midPrice,
      spread: book.spread,
      bids: pairs(book.bids),
      asks: pairs(book.asks),
    }
    assert.partialDeepStrictEqual(stored.snapshots[index], expected)
    assert.partialDeepStrictEqual(index === 0 ? near : near.counterpart, expected)
  }
}

export const formatClauses: readonly Clause[] = [
  clause('4.2', 'csv, tsv and Parquet have the values of the JSON answer; null is `\\N`.', [
    served('scale', '/v1/markets/{live}/snapshots?limit=1', (_, scene) => formatsOfSnapshots(scene)),
    served('scale', '/v1/exchange/snapshots?symbol=BTC&limit=1', (_, scene) => formatsOfPerp(scene)),
  ]),
  clause('4.2', 'With `includebook=true` the levels are compact JSON in their cell.', [
    served(
      'scale',
      '/v1/markets/{closed}/snapshots?from={row.first}&limit=2&includebook=true&format=csv',
      ({ text }) => {
        const [names = [], first = []] = cellsOf(text, ',')
        assert.equal(first[names.indexOf('bids')], '[[0.48,100.5]]')
        assert.equal(first[names.indexOf('spot_crypto_usd')], '\\N')
      },
    ),
    served(
      'scale',
      '/v1/markets/{closed}/snapshots?from={row.first}&limit=2&includebook=false&format=csv',
      ({ text }) => {
        const [names = []] = cellsOf(text, ',')
        assert.ok(names.includes('mid') && !names.includes('bids') && !names.includes('asks'))
      },
    ),
  ]),
  clause('1', 'A live book is stored as it was served, and found again by its time.', [
    served('pro', '/v1/markets/{live}/orderbook', isStored),
  ]),
]
