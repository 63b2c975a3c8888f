import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../src/domain/day-file.ts'
import { HOUR_MS } from '../../src/domain/finished-hour.ts'
import { writeGap } from '../../src/domain/rows/gap.ts'
import { writePerpTrade } from '../../src/domain/rows/perp-trade.ts'
import { writePrice } from '../../src/domain/rows/price.ts'
import { writeTrade } from '../../src/domain/rows/trade.ts'
import { FolderStore } from '../../src/objects/folder-store.ts'
import { Files } from '../../src/stores/files/files.ts'
import { makeDueFiles } from '../../src/workers/files.ts'
import { makeFile } from '../../src/workers/make-file.ts'
import { DAY, FilesScene, INTERVAL_MS } from './files-scene.ts'
import { gapOf, other, PERP_BOOKS, perpTradeOf, priceOf, storeDay, tradeOf, windows } from './recorded-day.ts'

const never = new AbortController().signal
const RANGE = `from=${new Date(DAY).toISOString()}&to=${new Date(DAY + DAY_MS).toISOString()}&limit=500`
const PERP_RANGE = `symbol=BTC&${RANGE}`
/** Subject, rows and kind of every file of the day. */
const FILES = [
  ['binance-btc-prices', 50, 'prices'],
  ['chainlink-btc-prices', 50, 'prices'],
  ['hyperliquid-btc-perp-books', PERP_BOOKS - 10, 'perp_books'],
  ['hyperliquid-btc-perp-contexts', 30, 'perp_contexts'],
  ['hyperliquid-btc-perp-trades', 40, 'perp_trades'],
  ['hyperliquid-eth-perp-books', PERP_BOOKS, 'perp_books'],
  ['hyperliquid-gaps', 3, 'gaps'],
  [other.id, 2 * 300, 'market'],
  [`${other.id}-trades`, 7, 'trades'],
  ['polymarket-btc-5m', 2 * 294, 'series'],
  ['polymarket-btc-5m-trades', 24, 'trades'],
  ['polymarket-gaps', 3, 'gaps'],
]
let scene: FilesScene
let key: string

beforeAll(async () => {
  scene = await FilesScene.open()
  await storeDay(scene)
  key = await scene.service.keyOf('scale')
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

async function body(path: string) {
  const { status, body: answer } = await scene.service.ask(path, { key })
  expect([path, status]).toEqual([path, 200])
  return answer
}

/** Times as epoch milliseconds, as the rows of a Parquet file have them here. */
function plain(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const isTime = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d{2}-.*Z$/.test(value)
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, isTime(value) ? Date.parse(value) : value])),
  )
}

test('an interrupted day goes on where it stopped: one file of each kind and subject, none twice', async () => {
  const stop = new AbortController()
  let puts = 0
  const put: FolderStore['putFile'] = async (name, path) => {
    await scene.objects.putFile(name, path)
    if (++puts === 5) stop.abort()
  }
  const objects = { head: (name: string) => scene.objects.head(name), putFile: put }
  await expect(makeDueFiles(scene.deps({ objects }), stop.signal)).rejects.toThrow()
  await makeDueFiles(scene.deps({ objects }), never)
  expect(scene.failed).toEqual([])
  expect(scene.postponed).toEqual([])
  const stored = await new Files(scene.service.access.database).list({ isNewestOnly: false, limit: 100 })
  const ofDay = stored.filter(({ dayMs }) => dayMs === DAY)
  expect(new Set(ofDay.map(({ subject, rows, kind }) => [subject, rows, kind]))).toEqual(new Set(FILES))
  expect(ofDay.length).toBe(FILES.length)
  expect(puts).toBe(stored.length)
})

describe('the rows of a file are those that the list has', () => {
  test('trades of markets', async () => {
    const byId = windows.map(({ id }) => id).toSorted()
    const listed = []
    for (const id of byId) listed.push(...(await body(`/v1/trades?marketId=${id}&${RANGE}`)).trades)
    expect(await scene.rowsOf('polymarket-btc-5m-trades')).toEqual(plain(listed))
    const { trades } = await body(`/v1/trades?marketId=${other.id}&${RANGE}`)
    expect(await scene.rowsOf(`${other.id}-trades`)).toEqual(plain(trades))
  })

  test('books of perps', async () => {
    const listed = await body(`/v1/exchange/snapshots?${PERP_RANGE}`)
    const rows = await scene.rowsOf('hyperliquid-btc-perp-books')
    expect(rows.slice(0, 500)).toEqual(plain(listed))
    expect(rows.map(({ sequence_number: slot }) => slot)).toEqual(
      rows.map(({ sequence_number: slot }) => slot as number).toSorted((one, two) => one - two),
    )
  })

  test('trades and contexts of perps', async () => {
    const { trades } = await body(`/v1/exchange/trades?${PERP_RANGE}`)
    expect(await scene.rowsOf('hyperliquid-btc-perp-trades')).toEqual(plain(trades))
    const { funding } = await body(`/v1/exchange/funding?${PERP_RANGE}`)
    const { open_interest: interest } = await body(`/v1/exchange/open-interest?${PERP_RANGE}`)
    const { prices } = await body(`/v1/exchange/prices?${PERP_RANGE}`)
    const listed = funding.map((row: object, at: number) => ({ ...row, ...interest[at], ...prices[at] }))
    expect(await scene.rowsOf('hyperliquid-btc-perp-contexts')).toEqual(plain(listed))
  })

  test('prices', async () => {
    const { prices } = await body(`/v1/prices?coin=BTC&source=binance&${RANGE}`)
    expect(await scene.rowsOf('binance-btc-prices')).toEqual(plain(prices))
    expect(prices[10].price).toBe(61_000)
  })

  test('gaps, with those of trades beside them', async () => {
    const about = ({
      first_slot,
      last_slot,
      slots,
      from,
      to,
      cause,
      kind,
      known_at,
      detail,
    }: Record<string, unknown>) => ({
      ...{ first_slot, last_slot, slots, from, to, cause, kind, known_at, detail },
    })
    const market = windows[1]?.id
    const { gaps } = await body(`/v1/markets/${market}/gaps?${RANGE}`)
    const rows = await scene.rowsOf('polymarket-gaps')
    expect(rows.map(({ venue, market_id, coin }) => [venue, market_id, coin])).toEqual(
      Array(3).fill(['polymarket', market, 'BTC']),
    )
    expect(rows.filter(({ kind }) => kind !== 'trades').map(about)).toEqual(plain(gaps.map(about)))
    expect(rows.find(({ kind }) => kind === 'trades')).toMatchObject({ slots: 2, cause: 'disconnected' })

    const { gaps: ofPerp } = await body(`/v1/exchange/gaps?${PERP_RANGE.replace('&limit=500', '')}`)
    const perps = await scene.rowsOf('hyperliquid-gaps')
    expect(perps.map(about)).toEqual(plain(ofPerp.map(about)))
    expect(perps.map(({ market_id, coin }) => [market_id, coin])).toEqual(Array(3).fill([null, 'BTC']))
  })
})

test('the same rows give the same bytes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bookreel-again-'))
  const deps = scene.deps({ objects: new FolderStore(folder) })
  const { subjects } = await deps.days.subjectsOf(DAY)
  expect(subjects.length).toBe(FILES.length)
  for (const subject of subjects) {
    const { sha256, bytes } = scene.newest(subject.name)
    expect(await makeFile(deps, { subject, revision: 1 }, never)).toMatchObject({
      subject: subject.name,
      sha256,
      bytes,
    })
  }
  await rm(folder, { recursive: true })
})

test('a row that is stored after the file was made is in a new revision of its file only', async () => {
  const [window] = windows
  const slot = (window?.startsAtMs ?? 0) / INTERVAL_MS + 7
  const atMs = DAY + DAY_MS + 40 * HOUR_MS
  const deps = scene.deps({ nowMs: () => atMs })
  scene.made.length = 0
  await makeDueFiles(deps, never)
  expect(scene.made.filter(({ dayMs }) => dayMs === DAY)).toEqual([])

  await scene.insert('trades', writeTrade, [tradeOf(31)])
  await scene.insert('perp_trades', writePerpTrade, [perpTradeOf(50)])
  await scene.insert('prices', writePrice, [priceOf(55)])
  await scene.insert('gaps', writeGap, [gapOf(window?.id ?? '', [slot, slot], { kind: 'suspect' })])
  await makeDueFiles(scene.deps({ nowMs: () => atMs }), never)
  const remade = scene.made.filter(({ dayMs }) => dayMs === DAY)
  expect(remade.map(({ subject, revision, rows }) => [subject, revision, rows])).toEqual([
    [`${other.id}-trades`, 2, 8],
    ['hyperliquid-btc-perp-trades', 2, 41],
    ['binance-btc-prices', 2, 51],
    ['polymarket-gaps', 2, 4],
  ])
})
