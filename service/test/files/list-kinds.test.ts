import { madeMarket, storeFacts } from '@bookreel/testbed/service/stored-markets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS, dayText, fileIdOf } from '../../src/domain/day-file.ts'
import { writeSnapshot } from '../../src/domain/rows/snapshot.ts'
import { makeDueFiles } from '../../src/workers/files.ts'
import { readParquet } from '../http/read-parquet.ts'
import { DAY, FilesScene, INTERVAL_MS, rowsOf } from './files-scene.ts'
import { other, storeDay } from './recorded-day.ts'

const DAYS = `from=${new Date(DAY).toISOString()}&to=${new Date(DAY + 1).toISOString()}`
const BOOKS = [other.id, 'polymarket-btc-5m']
const TRADES = [`${other.id}-trades`, 'polymarket-btc-5m-trades']
const PERPS = [
  'hyperliquid-btc-perp-books',
  'hyperliquid-btc-perp-contexts',
  'hyperliquid-btc-perp-trades',
  'hyperliquid-eth-perp-books',
]
const PRICES = ['binance-btc-prices', 'chainlink-btc-prices']
const GAPS = ['hyperliquid-gaps', 'polymarket-gaps']
const ALL = [...BOOKS, ...TRADES, ...PERPS, ...PRICES, ...GAPS]
/** On the day before, of another venue, and without a gap. */
const calm = madeMarket('calm', {
  venue: 'kalshi',
  captureIntervalMs: INTERVAL_MS,
  startsAtMs: DAY - DAY_MS,
  endsAtMs: DAY - DAY_MS + 60_000,
})
let scene: FilesScene

beforeAll(async () => {
  scene = await FilesScene.open()
  await storeDay(scene)
  await makeDueFiles(scene.deps(), new AbortController().signal)
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

async function list(query: string) {
  return scene.service.ask(`/v1/files?${DAYS}&${query}`, { key: await scene.service.keyOf('free') })
}

test.each([
  ['neither kind nor venue, as before there were other kinds', '', BOOKS],
  ['every venue, as before', 'venue=all', BOOKS],
  ['every kind', 'kind=all', ALL],
  ['one kind', 'kind=perp_books', ['hyperliquid-btc-perp-books', 'hyperliquid-eth-perp-books']],
  ['one kind of a coin', 'kind=perp_books&coin=eth', ['hyperliquid-eth-perp-books']],
  ['the gaps of every venue', 'kind=gaps', GAPS],
  ['the gaps of one venue', 'kind=gaps&venue=polymarket', ['polymarket-gaps']],
  ['a venue of perps', 'venue=hyperliquid', [...PERPS, 'hyperliquid-gaps']],
  ['a source of prices', 'venue=chainlink', ['chainlink-btc-prices']],
  ['every kind of one venue', 'kind=all&venue=polymarket', [...BOOKS, ...TRADES, 'polymarket-gaps']],
  ['a market', `market=${other.id}`, [other.id]],
  ['a market, in every kind', `kind=all&market=${other.id}`, [other.id, `${other.id}-trades`, 'polymarket-gaps']],
  ['a timeframe', 'kind=trades&timeframe=5m', ['polymarket-btc-5m-trades']],
])('%s: %s', async (_case, query, subjects) => {
  const { body } = await list(query)
  const ids = body.files.map(({ id }: { id: string }) => id)
  expect(ids.toSorted()).toEqual(subjects.map((subject) => fileIdOf(subject, DAY, 1)).toSorted())
  const first = (await list(`${query}&limit=1`)).body
  expect([first.files[0].id, first.next_cursor === null]).toEqual([ids[0], ids.length === 1])
})

test('an entry says what the file has, and what it costs', async () => {
  const { body } = await list('kind=all')
  const entryOf = (subject: string) =>
    body.files.find(({ id }: { readonly id: string }) => id === fileIdOf(subject, DAY, 1))
  const day = { day: dayText(DAY), revision: 1 }
  expect(entryOf(`${other.id}-trades`)).toMatchObject({ ...day, market_id: other.id, markets: 1, rows: 7, credits: 1 })
  expect(entryOf('polymarket-btc-5m-trades')).toMatchObject({
    ...{ kind: 'trades', coin: 'BTC', timeframe: '5m', market_id: null, markets: 3, rows: 24, credits: 1 },
    gaps: [
      { cause: 'disconnected', kind: 'missing', gaps: 1, slots: 6 },
      { cause: 'hash_mismatch', kind: 'suspect', gaps: 1, slots: 2 },
      { cause: 'disconnected', kind: 'trades', gaps: 1, slots: 2 },
    ],
  })
  const perp = { coin: 'BTC', timeframe: '', category: 'crypto', market_id: null, markets: 0, venue: 'hyperliquid' }
  expect(entryOf('hyperliquid-btc-perp-books')).toMatchObject({ ...perp, kind: 'perp_books', rows: 590, credits: 1 })
  expect(entryOf('binance-btc-prices')).toMatchObject({ kind: 'prices', venue: 'binance', coin: 'BTC', gaps: [] })
  expect(entryOf('polymarket-gaps')).toMatchObject({ kind: 'gaps', coin: null, category: '', markets: 4, rows: 3 })
})

test('each kind is downloaded and paid once; a file without a gap is free', async () => {
  const { key, accountId } = await scene.service.newAccount('scale', { credits: 100 })
  const balance = async () => (await scene.service.access.ledger.spendable(accountId))?.balance ?? Number.NaN
  const before = await balance()
  const download = async (id: string) => {
    const answer = await scene.service.server.inject({ url: `/v1/files/${id}`, headers: { 'x-api-key': key } })
    return { status: answer.statusCode, bytes: answer.rawPayload, headers: answer.headers }
  }
  for (const subject of ['hyperliquid-btc-perp-books', 'hyperliquid-gaps', 'binance-btc-prices']) {
    const { status, bytes, headers } = await download(fileIdOf(subject, DAY, 1))
    expect([subject, status, headers['x-credits-cost']]).toEqual([subject, 200, '1'])
    expect((await readParquet(bytes)).length).toBe(Number(headers['x-row-count']))
    expect((await download(fileIdOf(subject, DAY, 1))).headers['x-credits-cost']).toBe('0')
  }
  expect(before - (await balance())).toBe(3)
  await scene.insert('snapshots', writeSnapshot, rowsOf(calm))
  await storeFacts(scene.service, [calm])
  await makeDueFiles(scene.deps(), new AbortController().signal)
  const free = await download(fileIdOf('kalshi-gaps', DAY - DAY_MS, 1))
  expect([free.status, free.headers['x-credits-cost'], await readParquet(free.bytes)]).toEqual([200, '0', []])
})

test.each(['kind=books', 'venue=nowhere'])('%s is refused', async (query) => {
  const { status, body } = await list(query)
  expect([status, body.error]).toEqual([400, 'invalid_request'])
})
