import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeCursor } from '../../src/endpoints/shared/cursor.ts'
import { PastScene, readList } from './past-scene.ts'

const FEW = 2_000
const MANY = 150_000
const LISTS = ['/v1/markets/history/recent', '/v1/markets/history']

let scene: PastScene
let pro: string
let free: string

beforeAll(async () => {
  scene = await PastScene.open()
  pro = await scene.service.keyOf('scale')
  free = await scene.service.keyOf('free')
})
afterAll(() => scene?.[Symbol.asyncDispose]())

test('a page costs the same whatever the number of markets that are no longer recorded', async () => {
  const cursor = encodeCursor('market history', [WORLD_NOW_MS - 20 * 86_400_000, `0x${'0'.repeat(64)}`])
  const requests = LISTS.flatMap(
    (list) =>
      [
        ...[
          'limit=1',
          'status=closed&limit=10',
          'status=closed&subcategory=NBA&limit=10',
          'crypto=BTC&timeframe=5m&limit=500',
        ].map((query): [string, string] => [`${list}?${query}`, pro]),
        [`${list}?complete=true&limit=1`, pro],
        [`${list}?limit=1&cursor=${cursor}`, pro],
        [`${list}?limit=1`, free],
        [`${list}?q=nothing`, free],
        [list, free],
      ] as [string, string][],
  )
  const costs = async () => {
    const rows: Record<string, number> = {}
    for (const [path, key] of requests)
      rows[`${path} ${key === free ? 'free' : 'pro'}`] = await scene.rowsFor(path, key)
    return rows
  }
  await scene.addPast(0, FEW)
  await costs()
  const few = await costs()
  await scene.addPast(FEW, MANY)
  // The counts are read once more.
  await scene.rowsFor(LISTS[0] ?? '', free)
  const many = await costs()
  for (const [request, rows] of Object.entries(many)) {
    expect(rows, request).toBeLessThan(20_000)
    expect(rows - (few[request] ?? 0), request).toBeLessThan(12_000)
  }
})

test('all callers share a list that is at most two seconds old', async () => {
  const [recent = ''] = LISTS
  const reads = () => scene.queries.filter((query) => query.includes('groupBitmapMerge')).length
  await scene.rowsFor(`${recent}?limit=1`, pro)
  const before = reads()
  scene.laterMs += 1_999
  const keys = [pro, free, await scene.service.keyOf('free', { fresh: true })]
  await Promise.all(
    keys.flatMap((key) => ['limit=1', 'status=live', 'q=bitcoin'].map((query) => scene.ask(`${recent}?${query}`, key))),
  )
  expect(reads()).toBe(before)
  scene.laterMs += 1
  await Promise.all(keys.map((key) => scene.ask(`${recent}?limit=1`, key)))
  expect(reads()).toBe(before + 1)
})

test('a list without a limit is read while it is sent: whole, in order, in little memory', async () => {
  const { total_markets: total } = (await scene.ask('/v1/markets/history?limit=1', pro)).body
  expect(total).toBeGreaterThan(MANY)
  const list = await readList(() => scene.connect('/v1/markets/history', pro), '"market_id"')
  expect(list.found).toBe(total)
  expect(list.bytes).toBeGreaterThan(50_000_000)
  expect(list.grownBytes).toBeLessThan(25_000_000)
  expect(list.first).toMatch(new RegExp(`^\\{"total_markets":${total},.*"next_cursor":null,"markets":\\[\\{`))
  expect(list.last).toMatch(/"slug":"past-149999".*\}\]\}$/)
})

test.each(['csv', 'tsv'])('%s of it has the same lines, and its totals in headers', async (format) => {
  const query = 'subcategory=NBA&status=closed'
  const { body } = await scene.ask(`/v1/markets/history?${query}`, pro)
  const { text, headers } = await scene.ask(`/v1/markets/history?${query}&format=${format}`, pro)
  const [header, ...lines] = text.trimEnd().split('\n')
  const column = header?.split(format === 'csv' ? ',' : '\t').indexOf('market_id') ?? -1
  const ids = lines.map((line) => line.split(format === 'csv' ? ',' : '\t')[column])
  expect(ids).toEqual(body.markets.map(({ market_id }: { market_id: string }) => market_id))
  expect(headers).toMatchObject({ 'x-total-markets': String(ids.length), 'x-row-count': String(ids.length) })
})

test('a list that nobody reads any more is read no further, and leaves its place to other requests', async () => {
  const { key } = await scene.service.newAccount('scale')
  const unread = await Promise.all([1, 2, 3, 4].map(() => scene.connect('/v1/markets/history', key)))
  let isAnswered = false
  const waiting = scene.ask('/v1/markets/history?limit=1', key).finally(() => {
    isAnswered = true
  })
  await scene.ask('/v1/markets/history?limit=1', pro)
  expect(isAnswered).toBe(false)
  for (const answer of unread) answer.destroy()
  expect((await waiting).status).toBe(200)
  const answers = await Promise.all([1, 2, 3, 4].map(() => scene.ask('/v1/markets/history?limit=1', key)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const pages = () => scene.queries.filter((query) => query.includes('FROM past_markets')).length
  const before = pages()
  await scene.ask('/v1/markets/history?limit=1', pro)
  expect(pages() - before).toBeLessThanOrEqual(1)
})
