import { PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { TestService } from '@bookreel/testbed/service/test-service'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import { correctHour } from '../../src/stores/books/correct-hour.ts'
import { Corrections } from '../../src/stores/books/corrections.ts'
import { openClickHouse } from '../../src/wiring/engines.ts'

const LAST = 14_399
let service: TestService
let past: PastMarket
let path: string

beforeAll(async () => {
  service = await TestService.start()
  past = await PastMarket.save(service, 'corrected')
  path = `/v1/markets/${past.market.id}/export?hour=${instantOf(PAST_HOUR_MS)}`
  await past.putRows(past.rows(0, LAST))
}, 360_000)
afterAll(() => service?.[Symbol.asyncDispose]())

async function fetchFile(key: string) {
  const { statusCode, rawPayload, headers } = await service.server.inject({ url: path, headers: { 'x-api-key': key } })
  return { status: statusCode, bytes: rawPayload, headers }
}

test('a corrected hour has a new revision, which is free for those who bought the hour and is listed', async () => {
  const { database } = service.access
  const buyer = await service.newAccount('scale')
  // Bought long ago: the download is no longer free because of that alone.
  await sql`INSERT INTO ledger (account_id, delta, kind, idem, fingerprint, endpoint, request_id, at)
    VALUES (${buyer.accountId}::uuid, -29, 'charge',
      ${`held:2026-01-01:export:${past.market.id}:${instantOf(PAST_HOUR_MS)}`}, 'x', 'export_hour', 'x',
      now() - interval '9 days')`.execute(database)
  const anybody = await service.newAccount('scale')
  const first = await fetchFile(anybody.key)
  expect(first.headers).toMatchObject({ 'x-revision': '1', 'x-credits-cost': '29' })

  const corrections = new Corrections(database)
  const rows = past.rows(0, LAST).map((row) => ({ ...row, capturedAtMs: row.capturedAtMs + 1 }))
  const hour = { marketId: past.market.id, hourMs: PAST_HOUR_MS, snapshots: rows, gaps: [], trades: [] }
  const begun = await corrections.begin(hour, 'not finished', { snapshots: 0, gaps: 0, trades: 0 })
  expect((await fetchFile(buyer.key)).status).toBe(409)
  const client = openClickHouse(service.config)
  const corrected = await correctHour({ clients: [client], form: { kind: 'single' } }, corrections, hour, 'a test')
  await client.close()
  expect(corrected).toMatchObject({ revision: begun, changes: { snapshots: LAST + 1 } })

  const second = await fetchFile(buyer.key)
  expect(second.headers).toMatchObject({ 'x-revision': '2', 'x-credits-cost': '0' })
  expect(second.headers.etag).toBe(`"${String(second.headers['x-sha256'])}-r2"`)
  expect(second.headers['content-disposition']).toMatch(/Z-r2\.parquet"$/)
  expect(second.bytes.equals(first.bytes)).toBe(false)
  const other = await service.newAccount('scale')
  expect((await fetchFile(other.key)).headers).toMatchObject({ 'x-revision': '2', 'x-credits-cost': '29' })

  const { status, body } = await service.ask(`/v1/corrections?market=${past.market.id}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    corrections: [
      {
        market_id: past.market.id,
        hour: instantOf(PAST_HOUR_MS),
        revision: 2,
        corrected_at: expect.stringMatching(/Z$/),
        reason: 'a test',
        rows_changed: LAST + 1,
        gaps_changed: 0,
        trades_changed: 0,
        venue: 'polymarket',
      },
    ],
    next_cursor: null,
  })
  expect((await service.ask('/v1/corrections?to=2020-01-01T00:00:00Z')).body.corrections).toEqual([])
  expect((await service.ask('/v1/corrections?cursor=x')).body.error).toBe('invalid_request')
})
