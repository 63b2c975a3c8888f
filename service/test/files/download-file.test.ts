import { createHash } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { asyncBufferFromUrl, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS, dayText } from '../../src/domain/day-file.ts'
import { HOUR_MS } from '../../src/domain/finished-hour.ts'
import { makeDueFiles } from '../../src/workers/files.ts'
import { readParquet } from '../http/read-parquet.ts'
import { DAY, FilesScene, INTERVAL_MS, rowsOf, windowsOf } from './files-scene.ts'

const WINDOWS = 12
const ROWS = 2 * WINDOWS * 100
const CREDITS = 3
const windows = windowsOf(WINDOWS)
const game = madeMarket('game', {
  category: 'sports',
  subcategory: 'NBA',
  timeframe: 'game',
  captureIntervalMs: INTERVAL_MS,
  startsAtMs: DAY,
  endsAtMs: DAY + HOUR_MS,
})
const ID = `polymarket-btc-5m-${dayText(DAY)}-r1`
let scene: FilesScene

beforeAll(async () => {
  scene = await FilesScene.open()
  await scene.store([...windows, game], [...windows.flatMap((market) => rowsOf(market)), ...rowsOf(game)])
  await makeDueFiles(scene.deps(), new AbortController().signal)
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

async function balanceOf(accountId: string): Promise<number> {
  return (await scene.service.access.ledger.spendable(accountId))?.balance ?? Number.NaN
}

async function fetchFile(key: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET', id = ID) {
  const answer = await scene.service.server.inject({
    method,
    url: `/v1/files/${id}`,
    headers: { 'x-api-key': key, ...headers },
  })
  return { status: answer.statusCode, bytes: answer.rawPayload, headers: answer.headers as Record<string, string> }
}

describe('the list of files', () => {
  test('has every file with its price, hash, counts and gaps, and is free', async () => {
    const { body, headers } = await scene.service.ask('/v1/files', { key: await scene.service.keyOf('free') })
    expect(headers['x-credits-cost']).toBe('0')
    expect(body.next_cursor).toBeNull()
    expect(body.files.map(({ id }: { id: string }) => id)).toEqual([ID, `${game.id}-${dayText(DAY)}-r1`])
    expect(body.files[0]).toMatchObject({
      kind: 'series',
      day: dayText(DAY),
      revision: 1,
      coin: 'BTC',
      timeframe: '5m',
      market_id: null,
      markets: WINDOWS,
      rows: ROWS,
      credits: CREDITS,
      gaps: [],
      venue: 'polymarket',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      first_at: new Date(DAY).toISOString(),
    })
  })

  test('is filtered by coin, timeframe, market, day and venue, and has pages', async () => {
    const key = await scene.service.keyOf('free')
    const idsOf = async (query: string): Promise<string[]> => {
      const { body } = await scene.service.ask(`/v1/files?${query}`, { key })
      return body.files.map(({ id }: { id: string }) => id.slice(0, 17))
    }
    const [series, single] = [ID.slice(0, 17), game.id.slice(0, 17)]
    const day = new Date(DAY).toISOString()
    const next = new Date(DAY + DAY_MS).toISOString()
    expect(await idsOf('coin=btc')).toEqual([series])
    expect(await idsOf('coin=ETH')).toEqual([])
    expect(await idsOf('timeframe=game')).toEqual([single])
    expect(await idsOf(`market=${windows[3]?.id}`)).toEqual([series])
    expect(await idsOf(`market=${game.id}&venue=all&all_revisions=true`)).toEqual([single])
    expect(await idsOf('venue=kalshi')).toEqual([])
    expect(await idsOf(`from=${day}&to=${next}`)).toEqual([series, single])
    expect(await idsOf(`from=${next}`)).toEqual([])
    expect(await idsOf(`to=${day}`)).toEqual([])
    const first = (await scene.service.ask('/v1/files?limit=1', { key })).body
    const second = (await scene.service.ask(`/v1/files?limit=1&cursor=${first.next_cursor}`, { key })).body
    expect([first.files[0].id, second.files[0].id, second.next_cursor]).toEqual([ID, expect.any(String), null])
    expect((await scene.service.ask('/v1/files?cursor=x', { key })).body.error).toBe('invalid_request')
  })
})

describe('a file', () => {
  test('is paid once: whole, in parts and on another day', async () => {
    const { key, accountId } = await scene.service.newAccount('scale', { credits: 100 })
    const before = await balanceOf(accountId)
    const whole = await fetchFile(key)
    expect(whole.status).toBe(200)
    const sha256 = createHash('sha256').update(whole.bytes).digest('hex')
    expect(whole.headers).toMatchObject({
      'content-type': 'application/vnd.apache.parquet',
      'content-length': String(whole.bytes.length),
      'content-disposition': `attachment; filename="${ID}.parquet"`,
      'accept-ranges': 'bytes',
      etag: `"${sha256}"`,
      'x-sha256': sha256,
      'x-row-count': String(ROWS),
      'x-revision': '1',
      'x-credits-cost': String(CREDITS),
    })
    expect((await readParquet(whole.bytes)).length).toBe(ROWS)

    const part = await fetchFile(key, { range: 'bytes=100-199' })
    expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 100-199/${whole.bytes.length}`])
    expect(part.bytes.equals(whole.bytes.subarray(100, 200))).toBe(true)
    expect(part.headers['x-credits-cost']).toBe('0')
    const end = await fetchFile(key, { range: 'bytes=-8', 'if-range': `"${sha256}"` })
    expect(end.bytes.equals(whole.bytes.subarray(-8))).toBe(true)
    const other = await fetchFile(key, { range: 'bytes=-8', 'if-range': '"another"' })
    expect([other.status, other.bytes.length]).toEqual([200, whole.bytes.length])
    expect((await fetchFile(key, { 'if-none-match': `"${sha256}"` })).status).toBe(304)

    const later = await scene.service.newServer({ pipeline: { nowMs: () => scene.service.nowMs() + 9 * DAY_MS } })
    const again = await later.inject({ url: `/v1/files/${ID}`, headers: { 'x-api-key': key } })
    expect([again.statusCode, again.headers['x-credits-cost']]).toEqual([200, '0'])
    await later.close()
    expect(before - (await balanceOf(accountId))).toBe(CREDITS)
  })

  test('a range is paid like the whole file, and HEAD costs nothing', async () => {
    const { key, accountId } = await scene.service.newAccount('scale', { credits: 100 })
    const before = await balanceOf(accountId)
    const head = await fetchFile(key, {}, 'HEAD')
    expect([head.status, head.bytes.length, head.headers['x-credits-cost']]).toEqual([200, 0, '0'])
    expect(Number(head.headers['content-length'])).toBeGreaterThan(1_000)
    expect(head.headers['accept-ranges']).toBe('bytes')
    expect((await fetchFile(key, { range: 'bytes=0-3' })).headers['x-credits-cost']).toBe(String(CREDITS))
    expect((await fetchFile(key)).headers['x-credits-cost']).toBe('0')
    expect(before - (await balanceOf(accountId))).toBe(CREDITS)
  })

  test('its entry is free for every tier', async () => {
    const { status, body, headers } = await scene.service.ask(`/v1/files/${ID}?part=about`, {
      key: await scene.service.keyOf('free'),
    })
    expect([status, body.id, body.rows, headers['x-credits-cost']]).toEqual([200, ID, ROWS, '0'])
  })

  test('a Parquet reader gets two columns of it over HTTP, and less than the whole file', async () => {
    const address = await scene.service.server.listen({ port: 0, host: '127.0.0.1' })
    const key = await scene.service.keyOf('scale', { fresh: true })
    const requestInit = { headers: { 'x-api-key': key } }
    const file = await asyncBufferFromUrl({ url: `${address}/v1/files/${ID}`, requestInit })
    const read: number[] = []
    const counted = {
      byteLength: file.byteLength,
      slice: (start: number, end?: number) => {
        read.push((end ?? file.byteLength) - start)
        return file.slice(start, end)
      },
    }
    const metadata = await parquetMetadataAsync(counted, { initialFetchSize: 16_384 })
    const compressors = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) }
    const columns = ['sequence_number', 'best_bid']
    const rows = await parquetReadObjects({ file: counted, metadata, columns, compressors })
    expect(rows.length).toBe(ROWS)
    expect(Object.keys(rows[0] ?? {})).toEqual(columns)
    expect(read.length).toBeGreaterThan(1)
    expect(read.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(file.byteLength)
  })
})

describe('a refused file', () => {
  test.each([
    ['an unknown id', 'scale', `polymarket-btc-5m-${dayText(DAY)}-r9`, {}, 404, 'file_not_found'],
    ['a tier without files', 'pro', ID, {}, 403, 'tier_not_allowed'],
    ['a range after the end', 'scale', ID, { range: 'bytes=99999999-' }, 416, 'range_not_satisfiable'],
  ] as const)('%s', async (_case, tier, id, headers, status, error) => {
    const { key } = await scene.service.newAccount(tier)
    const answer = await scene.service.ask(`/v1/files/${id}`, { key, headers })
    expect([answer.status, answer.body.error]).toEqual([status, error])
    expect(answer.headers['x-credits-cost']).toBe('0')
  })

  test('without enough credits', async () => {
    const { key, accountId } = await scene.service.newAccount('scale', { credits: 0 })
    const charge = {
      accountId,
      credits: await balanceOf(accountId),
      idem: 'all',
      fingerprint: 'x',
      endpoint: 'test',
      requestId: 'x',
    }
    await scene.service.access.ledger.charge(charge)
    const answer = await scene.service.ask(`/v1/files/${ID}`, { key })
    expect([answer.status, answer.body.error]).toEqual([402, 'out_of_credits'])
  })

  test('while object storage is away nothing is charged', async () => {
    const { key, accountId } = await scene.service.newAccount('scale')
    const before = await balanceOf(accountId)
    const objects = join(scene.folder, 'objects')
    await rename(objects, `${objects}-away`)
    const answer = await scene.service.ask(`/v1/files/${ID}`, { key })
    await rename(`${objects}-away`, objects)
    expect([answer.status, answer.body.error]).toEqual([503, 'store_unavailable'])
    expect(await balanceOf(accountId)).toBe(before)
  })

  test('csv', async () => {
    const { key } = await scene.service.newAccount('scale')
    const answer = await scene.service.ask(`/v1/files/${ID}?format=csv`, { key })
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
  })
})
