import { createHash } from 'node:crypto'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { type PerpSnapshot, perpMarketId } from '../../src/domain/rows/perp-snapshot.ts'
import { readParquet } from './read-parquet.ts'
import { archiveGaps, archivePerps } from './snapshots-scene.ts'
import { tapeBookRow } from './tape-scene.ts'

const HOUR_MS = 3_600_000
const SLOT_MS = 500
const NOW = WORLD_NOW_MS
const HOUR = Math.floor(NOW / HOUR_MS) * HOUR_MS - 3 * HOUR_MS
const LAST = HOUR_MS / SLOT_MS - 1
/** Slots 1,000 to 1,039 are missing. */
const ROWS = LAST + 1 - 40
const CREDITS = 8
/** Credits of a new account. */
const FREE = 5_000

let service: TestService

function rowsOf(symbol: string, from: number, to: number): PerpSnapshot[] {
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const slot = from + index
    const touch = { bidPrice: 209_950, bidSize: 2_000_000, askPrice: 210_050, askSize: 0, eventAtMs: HOUR + slot }
    const row = tapeBookRow(symbol, HOUR + slot * SLOT_MS)
    return slot % 2 === 0 ? row : { ...row, touch }
  })
}

function gap(symbol: string, from: number, to: number, kind: 'missing' | 'suspect' = 'missing') {
  const slots = { fromSlot: HOUR / SLOT_MS + from, toSlot: HOUR / SLOT_MS + to, knownAtSlot: HOUR / SLOT_MS + from }
  const marketId = perpMarketId('hyperliquid', symbol)
  return { marketId, ...slots, intervalMs: SLOT_MS, detail: '', cause: 'disconnected', kind } as const
}

beforeAll(async () => {
  service = await TestService.start()
  const oneSided = rowsOf('DOGE', 5, 5).map((row) => ({ ...row, ladders: { ...row.ladders, asks: [] } }))
  await archivePerps(service, rowsOf('DOGE', 0, 4))
  await archivePerps(service, [...oneSided, ...rowsOf('DOGE', 6, 999), ...rowsOf('DOGE', 1_040, LAST + 400)])
  // Inserted again after a retry.
  await archivePerps(service, rowsOf('DOGE', 100, 200))
  await archiveGaps(service, [gap('DOGE', 1_000, 1_039), gap('DOGE', 2_000, 2_003, 'suspect')])
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const instant = (ms: number): string => new Date(ms).toISOString()
const pathOf = (hourMs = HOUR, symbol = 'doge') => `/v1/exchange/export?symbol=${symbol}&hour=${instant(hourMs)}`
const balanceOf = async (id: string) => Number((await service.access.accounts.find(id))?.balance)
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function fetchFile(key: string, headers: Record<string, string> = {}) {
  const answer = await service.server.inject({ url: pathOf(), headers: { 'x-api-key': key, ...headers } })
  const { statusCode: status, rawPayload: bytes } = answer
  return { status, bytes, headers: answer.headers as Record<string, string> }
}

describe('an hour of a perpetual future as a file', () => {
  test('it has the book of every stored slot once, as the list has it, and its hash', async () => {
    const key = await service.keyOf('scale', { fresh: true, credits: 100 })
    const { status, bytes, headers } = await fetchFile(key)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.apache.parquet',
      'content-disposition': `attachment; filename="hyperliquid-DOGE-perp-${instant(HOUR).slice(0, 13)}Z.parquet"`,
      'x-sha256': sha256(bytes),
      etag: `"${sha256(bytes)}"`,
      'x-row-count': String(ROWS),
      'x-gap-count': '2',
      'x-venue': 'hyperliquid',
      'x-credits-cost': String(CREDITS),
      'x-credits-remaining': String(FREE + 100 - CREDITS),
    })
    const rows = await readParquet(bytes)
    const slots = rows.map(({ sequence_number: slot }) => Number(slot) - HOUR / SLOT_MS)
    expect(slots).toEqual([...Array(LAST + 1).keys()].filter((slot) => slot < 1_000 || slot > 1_039))
    const { body: listed } = await service.ask(
      `/v1/exchange/snapshots?symbol=DOGE&from=${HOUR}&to=${HOUR + 10 * SLOT_MS}`,
      { key },
    )
    const times = ['timestamp', 'event_timestamp', 'touch_timestamp']
    const asListed = rows.slice(0, 10).map((row) => {
      const shown = times.map((name) => [name, row[name] === null ? null : instant(Number(row[name]))])
      return { ...row, ...Object.fromEntries(shown) }
    })
    expect(asListed).toEqual(listed)
    expect(Object.keys(rows[0] ?? {})).toEqual(Object.keys(listed[0]))
    expect(rows[5]).toMatchObject({ best_bid: 0.21, best_ask: null, mid_price: null, spread: null, asks: [] })
    const dry = await service.ask(`${pathOf()}&dry_run=true`, { key })
    expect(dry.body).toMatchObject({ bytes: bytes.byteLength, sha256: sha256(bytes) })
  })

  test('an account pays once, also for ranges and with another key, and the ledger has its path', async () => {
    const { key, accountId } = await service.newAccount('scale')
    const { key: other } = await issueKey(service.access, { accountId, label: 'other' })
    const before = await balanceOf(accountId)
    const crowd = await Promise.all(
      Array.from({ length: 6 }, (_, part) =>
        fetchFile(part % 2 === 0 ? key : other, { range: `bytes=${part}-${part}` }),
      ),
    )
    expect(crowd.map(({ status }) => status)).toEqual(crowd.map(() => 206))
    expect((await fetchFile(other)).headers['x-credits-cost']).toBe('0')
    expect(await balanceOf(accountId)).toBe(before - CREDITS)
    const { body } = await service.ask('/v1/credits', { key })
    const [entry] = body.entries
    expect(entry).toMatchObject({ credits: -CREDITS, endpoint: 'export_exchange_hour' })
    expect((await service.ask(`${entry.downloadPath}&dry_run=true`, { key })).body).toMatchObject({ rows: ROWS })
  })
})

describe('an hour that is not finished', () => {
  test('an hour with missing slots that no gap explains is not finished either', async () => {
    const key = await service.keyOf('scale')
    await archivePerps(service, [...rowsOf('XRP', 0, 9), ...rowsOf('XRP', 12, 20)])
    await archiveGaps(service, [gap('XRP', 21, LAST)])
    const { body } = await service.ask(pathOf(HOUR, 'XRP'), { key })
    expect(body).toMatchObject({ error: 'hour_not_finished', details: { symbol: 'XRP', available_at: null } })
    expect(body.message).toContain('2 slots of the hour')
    await archiveGaps(service, [gap('XRP', 10, 11)])
    expect((await service.ask(`${pathOf(HOUR, 'XRP')}&dry_run=true`, { key })).body).toMatchObject({ rows: 19 })
  })

  test('an hour whose last rows are not stored yet is not finished: a perpetual future does not end', async () => {
    const key = await service.keyOf('scale')
    await archivePerps(service, rowsOf('BNB', 0, 20))
    const { body } = await service.ask(pathOf(HOUR, 'BNB'), { key })
    expect([body.error, body.message]).toEqual(['hour_not_finished', expect.stringContaining(`${LAST - 20} slots`)])
    await archivePerps(service, rowsOf('BNB', 21, LAST))
    const whole = await service.ask(`${pathOf(HOUR, 'BNB')}&dry_run=true`, { key })
    expect(whole.body).toMatchObject({ rows: LAST + 1 })
  })
})
