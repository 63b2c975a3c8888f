import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usdUnitsIn } from '../../src/domain/decimal.ts'
import { type Price, writePrice } from '../../src/domain/rows/price.ts'
import { insert } from './snapshots-scene.ts'

let service: TestService
let key: string

const NOW = WORLD_NOW_MS
const FIRST_MS = Math.floor(NOW / 1_000 - 30 * 3_600) * 1_000
const COUNT = 700

function priceRow(second: number, changed: Partial<Price> = {}): Price {
  const priceAtMs = FIRST_MS + second * 1_000
  return {
    source: 'chainlink',
    coin: 'BTC',
    price: usdUnitsIn(`80684.${second}7`) ?? 0n,
    priceAtMs,
    isVenueTime: true,
    receivedAtMs: priceAtMs + 30,
    ...changed,
  }
}

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('scale')
  const rows = Array.from({ length: COUNT }, (_, second) => priceRow(second))
  const corrected = priceRow(3, { price: usdUnitsIn('1.5') ?? 0n, receivedAtMs: NOW })
  const other = priceRow(5, { source: 'binance', isVenueTime: false })
  for (const part of [rows, [corrected, other], rows.slice(0, 10)])
    await insert(service, 'prices', (writer) => {
      for (const row of part) writePrice(writer, row)
    })
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = (query: string, asking = { key }) => service.ask(`/v1/prices?${query}`, asking)
const SERIES = 'coin=BTC&source=chainlink'

test.each(['asc', 'desc'])('%s pages return every price once, a corrected one as corrected', async (order) => {
  const seen: { price: number; price_at: string }[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body, status, text } = await ask(
      `${SERIES}&from=${FIRST_MS}&to=${FIRST_MS + 600_000}&order=${order}&limit=250${cursor}`,
    )
    expect(status, text).toBe(200)
    seen.push(...body.prices)
    cursor = body.next_cursor === null ? undefined : `&cursor=${body.next_cursor}`
  }
  const expected = Array.from({ length: 600 }, (_, second) => [
    FIRST_MS + second * 1_000,
    second === 3 ? 1.5 : Number(`80684.${second}7`),
  ])
  const got = seen.map(({ price, price_at }) => [Date.parse(price_at), price])
  expect(got).toEqual(order === 'asc' ? expected : expected.toReversed())
})

test('sources are apart, and say what they are and where their time comes from', async () => {
  const { body } = await ask(`coin=btc&source=binance&from=${FIRST_MS}`)
  const at = new Date(FIRST_MS + 5_000).toISOString()
  expect(body).toMatchObject({ coin: 'BTC', source: 'binance', kind: 'spot', next_cursor: null })
  expect(body.prices).toEqual([
    {
      coin: 'BTC',
      source: 'binance',
      price: 80684.57,
      price_at: at,
      time_from: 'receipt',
      received_at: new Date(FIRST_MS + 5_030).toISOString(),
    },
  ])
  expect((await ask(`coin=BTC&source=twap60`)).body).toMatchObject({ kind: 'average', prices: [] })
})

test('an empty list says why', async () => {
  const reasonOf = async (query: string) => (await ask(query)).body.empty_reason
  expect(await reasonOf('coin=ETH&source=chainlink')).toBe('not_recorded_yet')
  expect(await reasonOf(`${SERIES}&to=${FIRST_MS}`)).toBe('outside_capture')
  expect(await reasonOf(`${SERIES}&from=${FIRST_MS + COUNT * 1_000}`)).toBe('gap')
})

test('free reads 24 hours back, and is told that there is more', async () => {
  const free = await service.keyOf('free')
  expect((await ask(`${SERIES}&from=${FIRST_MS}`, { key: free })).body.error).toBe('tier_not_allowed')
  const { body, status } = await ask(SERIES, { key: free })
  expect([status, typeof body.history_from]).toEqual([200, 'string'])
})
