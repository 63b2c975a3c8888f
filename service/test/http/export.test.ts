import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import {
  asWriter,
  FIRST_SLOT,
  HOUR_MS,
  INTERVAL_MS,
  PAST_HOUR_MS,
  PastMarket,
} from '@bookreel/testbed/service/past-market'
import { putInRedis } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import type { MarketHour } from '../../src/stores/books/exported-hour.ts'
import { HourFiles } from '../../src/stores/books/hour-files.ts'
import { forCaller } from '../../src/stores/engines/waiting-caller.ts'
import { openClickHouse } from '../../src/wiring/engines.ts'
import { readParquet } from './read-parquet.ts'

let service: TestService
let past: PastMarket
let folder: string
let path: string
const LAST = 14_399
/** 40 slots are missing; two token rows for each of the others. */
const ROWS = 2 * (LAST + 1 - 40)
const CREDITS = 29
/** Credits of a new account. */
const FREE = 5_000

beforeAll(async () => {
  service = await TestService.start()
  folder = await mkdtemp(join(tmpdir(), 'bookreel-hours-'))
  past = await PastMarket.save(service, 'export')
  path = `/v1/markets/${past.market.id}/export?hour=${instantOf(PAST_HOUR_MS)}`
  await past.putRows([...past.rows(0, 999), ...past.rows(1_040, LAST + 400)])
  await past.putGaps([past.gap(1_000, 1_039), past.gap(2_000, 2_003, { cause: 'hash_mismatch', kind: 'suspect' })])
}, 360_000)

afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

function hour(): MarketHour {
  const { id: marketId, tokenIds } = past.market
  const suspect = [{ fromSlot: FIRST_SLOT + 2_000, toSlot: FIRST_SLOT + 2_003 }]
  return { marketId, tokenIds, proof: 'hash', intervalMs: INTERVAL_MS, hourMs: PAST_HOUR_MS, revision: 1, suspect }
}

async function fetchFile(key: string, headers: Record<string, string> = {}, url = path) {
  const reply = await service.server.inject({ url, headers: { 'x-api-key': key, ...headers } })
  return { status: reply.statusCode, bytes: reply.rawPayload, headers: reply.headers as Record<string, string> }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

describe('an hour as a file', () => {
  test('a dry run returns rows, price and gaps before anything is built or charged', async () => {
    const { status, body, headers } = await service.ask(`${path}&dry_run=true`, { key: await service.keyOf('free') })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      rows: ROWS,
      credits: CREDITS,
      bytes: null,
      sha256: null,
      gap_count: 2,
      coverage: { missing_slots: 40 },
    })
    expect(body.gaps).toMatchObject([
      { slots: 40, cause: 'disconnected', kind: 'missing' },
      { slots: 4, cause: 'hash_mismatch', kind: 'suspect' },
    ])
    expect(headers['x-credits-cost']).toBe('0')
  })

  test('HEAD returns the counts and writes no file', async () => {
    const key = await service.keyOf('scale', { fresh: true })
    const { statusCode, headers } = await service.server.inject({
      method: 'HEAD',
      url: path,
      headers: { 'x-api-key': key },
    })
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({ 'x-row-count': String(ROWS), 'x-gap-count': '2', 'x-credits-cost': '0' })
    expect(headers['content-type']).toBe('application/vnd.apache.parquet')
    expect(headers.etag).toBeUndefined()
    const { body } = await service.ask(`${path}&dry_run=true`, { key })
    expect(body).toMatchObject({ bytes: null, sha256: null })
  })

  test('the file has both tokens of every stored slot of the hour, in order, with its hash and its counts', async () => {
    const key = await service.keyOf('scale', { fresh: true, credits: 100 })
    const { status, bytes, headers } = await fetchFile(key)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.apache.parquet',
      'content-length': String(bytes.byteLength),
      'x-sha256': sha256(bytes),
      etag: `"${sha256(bytes)}"`,
      'accept-ranges': 'bytes',
      'x-row-count': String(ROWS),
      'x-gap-count': '2',
      'x-credits-cost': String(CREDITS),
      'x-credits-remaining': String(FREE + 100 - CREDITS),
    })
    const rows = await readParquet(bytes)
    expect(rows).toHaveLength(ROWS)
    expect(rows[0]).toMatchObject({
      condition_id: past.market.id,
      token_id: past.market.tokenIds[0],
      side: 'UP',
      sequence_number: FIRST_SLOT,
      best_bid: 0.4,
      best_ask: 0.42,
      flags: ['verified', 'mirrored'],
      proof: 'hash',
    })
    expect(rows[1]).toMatchObject({
      side: 'DOWN',
      sequence_number: FIRST_SLOT,
      best_bid: 0.58,
      best_ask: 0.6,
      flags: ['unverified', 'mirrored'],
      proof: 'hash',
    })
    const order = rows.map(({ sequence_number, side }) => 2 * Number(sequence_number) + (side === 'UP' ? 0 : 1))
    expect(order).toEqual(order.toSorted((one, other) => one - other))
    expect(rows.at(-1)).toMatchObject({ sequence_number: FIRST_SLOT + LAST })
    expect(rows.filter(({ flags }) => (flags as string[]).includes('suspect'))).toHaveLength(8)
    const again = await fetchFile(key, { 'accept-encoding': 'gzip' }, `${path}&format=parquet`)
    expect(sha256(again.bytes)).toBe(sha256(bytes))
    expect((await service.ask(`${path}&format=csv`, { key })).status).toBe(400)
    expect((await service.ask(`${path}&format=parquet&dry_run=true`, { key })).status).toBe(400)
    const dry = await service.ask(`${path}&dry_run=true`, { key })
    expect(dry.body).toMatchObject({ bytes: bytes.byteLength, sha256: sha256(bytes) })
  })

  test('the same hour built in two places, or again after removal, has the same bytes', async () => {
    const made = async (name: string): Promise<string> => {
      const files = new HourFiles({ clickhouse: service.stores.clickhouse, folder: join(folder, name), maxBytes: 1e9 })
      return (await files.get(hour())).sha256
    }
    const first = await made('one')
    expect(await made('two')).toBe(first)
    await asWriter(service, (client) => client.command({ query: 'OPTIMIZE TABLE snapshots FINAL' }))
    await rm(join(folder, 'one'), { recursive: true })
    expect(await made('one')).toBe(first)
    const { headers } = await fetchFile(await service.keyOf('scale'))
    expect(headers['x-sha256']).toBe(first)
  })

  test('concurrent requests build a file once, and leave no unfinished file', async () => {
    const place = join(folder, 'crowd')
    const files = new HourFiles({ clickhouse: service.stores.clickhouse, folder: place, maxBytes: 1e9 })
    const asked = Array.from({ length: 8 }, () => files.get(hour()))
    expect(new Set(await Promise.all(asked)).size).toBe(1)
    expect(await readdir(place)).toHaveLength(1)
    expect(await files.peek(hour())).toEqual(await asked[0])
  })

  test('when the disk limit is reached, the least recently used file is removed', async () => {
    const place = join(folder, 'small')
    const other = { ...hour(), hourMs: PAST_HOUR_MS + HOUR_MS }
    const { byteCount } = await new HourFiles({
      clickhouse: service.stores.clickhouse,
      folder: place,
      maxBytes: 1e9,
    }).get(hour())
    const files = new HourFiles({ clickhouse: service.stores.clickhouse, folder: place, maxBytes: byteCount })
    await files.get(other)
    expect(await files.peek(hour())).toBeUndefined()
    expect(await files.peek(other)).toBeDefined()
  })
})

describe('ranges of a file', () => {
  test('ranges put together are the whole file, and a changed file is detected', async () => {
    const key = await service.keyOf('scale')
    const whole = await fetchFile(key)
    const { etag = '' } = whole.headers
    const size = whole.bytes.byteLength
    const head = await fetchFile(key, { range: 'bytes=0-999', 'if-range': etag })
    const tail = await fetchFile(key, { range: 'bytes=1000-' })
    expect([head.status, tail.status]).toEqual([206, 206])
    expect(head.headers).toMatchObject({ 'content-range': `bytes 0-999/${size}`, 'content-length': '1000', etag })
    expect(sha256(Buffer.concat([head.bytes, tail.bytes]))).toBe(sha256(whole.bytes))
    expect((await fetchFile(key, { range: 'bytes=-8' })).bytes).toEqual(whole.bytes.subarray(-8))
    const changed = await fetchFile(key, { range: 'bytes=0-999', 'if-range': '"other"' })
    expect([changed.status, changed.bytes.byteLength]).toEqual([200, size])
    expect((await fetchFile(key, { 'if-none-match': etag })).status).toBe(304)
  })

  test('a range past the end is refused with the file size, and is free', async () => {
    const key = await service.keyOf('scale', { fresh: true, credits: 7 })
    const beyond = await fetchFile(key, { range: 'bytes=99999999-' })
    expect(beyond.status).toBe(416)
    const refusal = JSON.parse(beyond.bytes.toString())
    expect(refusal.error).toBe('range_not_satisfiable')
    expect(beyond.headers['content-range']).toBe(`bytes */${refusal.details.size}`)
    expect((await service.ask('/v1/limits', { key })).body.creditsRemaining).toBe(FREE + 7)
  })

  test('HEAD is free', async () => {
    const key = await service.keyOf('scale', { fresh: true, credits: CREDITS })
    const { statusCode, headers, body } = await service.server.inject({
      method: 'HEAD',
      url: path,
      headers: { 'x-api-key': key },
    })
    expect([statusCode, body, headers['x-credits-cost']]).toEqual([200, '', '0'])
    expect(Number(headers['content-length'])).toBeGreaterThan(1_000)
  })
})

describe('the price of a file', () => {
  test('an account pays once for an hour: repeated, in ranges, concurrently and with another key it is free', async () => {
    const { access } = service
    const { id } = await access.accounts.create('exporter')
    await access.accounts.setTier(id, { tier: 'scale', monthlyCredits: 0 })
    await access.ledger.grant({ accountId: id, credits: CREDITS + 3, kind: 'grant', idem: 'test' })
    const { key } = await issueKey(access, { accountId: id, label: 'one' })
    const { key: other } = await issueKey(access, { accountId: id, label: 'two' })
    const crowd = await Promise.all(
      Array.from({ length: 12 }, (_, part) =>
        fetchFile(part % 2 === 0 ? key : other, { range: `bytes=${part}-${part}` }),
      ),
    )
    expect(crowd.map(({ status }) => status)).toEqual(crowd.map(() => 206))
    const paid = crowd.map(({ headers }) => Number(headers['x-credits-cost']))
    expect(paid.reduce((sum, credits) => sum + credits, 0)).toBe(CREDITS)
    expect((await fetchFile(other)).headers).toMatchObject({ 'x-credits-cost': '0', 'x-idempotent-replay': 'true' })
    expect((await access.accounts.find(id))?.balance).toBe(FREE + 3)
  })

  test('after a day it is charged again', async () => {
    const { access } = service
    const { id } = await access.accounts.create('returning exporter')
    await access.accounts.setTier(id, { tier: 'scale', monthlyCredits: 0 })
    const { key } = await issueKey(access, { accountId: id, label: 'one' })
    await noteBought(id, 25)
    expect((await fetchFile(key)).headers['x-credits-cost']).toBe(String(CREDITS))
  })

  test('within a day it stays paid, also over midnight', async () => {
    const { access } = service
    const { id } = await access.accounts.create('staying exporter')
    await access.accounts.setTier(id, { tier: 'scale', monthlyCredits: 0 })
    const { key } = await issueKey(access, { accountId: id, label: 'one' })
    await noteBought(id, 23)
    expect((await fetchFile(key)).headers['x-credits-cost']).toBe('0')
  })

  test('without enough credits no file is built', async () => {
    const { access } = service
    const unmade = await PastMarket.save(service, 'unmade')
    await unmade.putRows(unmade.rows(0, 1_999))
    const { id } = await access.accounts.create('poor')
    await access.accounts.setTier(id, { tier: 'scale', monthlyCredits: 0 })
    const { key } = await issueKey(access, { accountId: id, label: 'poor', creditLimit: 3 })
    const url = `/v1/markets/${unmade.market.id}/export?hour=${instantOf(PAST_HOUR_MS)}`
    const answer = await service.ask(url, { key })
    expect(answer.status).toBe(402)
    expect(answer.body).toMatchObject({ error: 'out_of_credits', details: { credits_needed: 4 } })
    expect((await service.ask(`${url}&dry_run=true`, { key })).body).toMatchObject({ credits: 4, sha256: null })
  })

  test('the file needs an upper tier, its list of gaps does not', async () => {
    expect((await service.ask(path, { key: await service.keyOf('pro') })).body.error).toBe('tier_not_allowed')
    const gaps = await service.ask(`${path}&part=gaps`, { key: await service.keyOf('pro') })
    expect(gaps.body.gaps).toHaveLength(2)
  })
})

describe('unavailable hours', () => {
  test('the current hour is not finished, and the error says when to retry', async () => {
    const present = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
    const url = `/v1/markets/${past.market.id}/export?hour=${present}`
    const answer = await service.ask(url, { key: await service.keyOf('scale') })
    expect([answer.status, answer.body.error]).toEqual([409, 'hour_not_finished'])
    const waitSeconds = Number(answer.headers['retry-after'])
    const availableMs = present + HOUR_MS + 300_000
    expect(Math.abs(availableMs / 1_000 - Date.now() / 1_000 - waitSeconds)).toBeLessThan(60)
    expect(answer.body.details).toEqual({
      slug: past.market.slug,
      hour: instantOf(present),
      available_at: instantOf(availableMs),
    })
    const clock = instantOf(availableMs).slice(0, 16).replace('T', ' ')
    const minutes = Math.ceil(waitSeconds / 60)
    expect(answer.body.message).toContain(`is available at ${clock} UTC (in ${minutes} minute`)
  })

  test('an hour with unexplained missing slots is not finished either', async () => {
    const holey = await PastMarket.save(service, 'holey')
    await holey.putRows([...holey.rows(0, 9), ...holey.rows(12, 20)])
    const url = `/v1/markets/${holey.market.id}/export?hour=${instantOf(PAST_HOUR_MS)}`
    const key = await service.keyOf('scale')
    expect((await service.ask(url, { key })).body).toMatchObject({
      error: 'hour_not_finished',
      message: `2 slots of the hour ${instantOf(PAST_HOUR_MS)} are not stored yet. Try again in 60 seconds.`,
      details: { available_at: null },
    })
    await holey.putGaps([holey.gap(10, 11)])
    expect((await fetchFile(key, {}, url)).status).toBe(200)
  })

  test('a partial hour is refused, and an hour without rows has no file', async () => {
    const key = await service.keyOf('scale')
    const half = await service.ask(`/v1/markets/${past.market.id}/export?hour=${PAST_HOUR_MS + 1_800_000}`, { key })
    expect(half.status).toBe(400)
    const before = `/v1/markets/${past.market.id}/export?hour=${PAST_HOUR_MS - HOUR_MS}`
    expect((await service.ask(before, { key })).body).toMatchObject({
      error: 'no_data_at_time',
      details: { reason: 'outside_capture' },
    })
    const dry = await service.ask(`${before}&dry_run=true`, { key })
    expect(dry.body).toMatchObject({ rows: 0, credits: 0, empty_reason: 'outside_capture' })
  })
})

/** Stores a purchase of the hour some hours ago. */
async function noteBought(accountId: string, hoursAgo: number): Promise<void> {
  const at = new Date(Date.now() - hoursAgo * HOUR_MS)
  const item = `export:${past.market.id}:${instantOf(PAST_HOUR_MS)}`
  const idem = `held:${at.toISOString().slice(0, 10)}:${item}`
  await sql`
    INSERT INTO ledger (account_id, delta, kind, idem, fingerprint, endpoint, request_id, at)
    VALUES (${accountId}::uuid, -1, 'charge', ${idem}, ${item}, 'export_hour', 'test', ${at})
  `.execute(service.access.database)
}

test('lists of markets that wait for PostgreSQL delay no key check and no charge', async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => service.keyOf('scale', { fresh: true })))
  const fresh = await service.keyOf('scale', { fresh: true })
  const [lists, checked] = await service.access.database.transaction().execute(async (transaction) => {
    await sql`LOCK TABLE markets IN ACCESS EXCLUSIVE MODE`.execute(transaction)
    // More than the connections of either pool, within the concurrency limit of each account.
    const asked = keys.flatMap((key) =>
      Array.from({ length: 4 }, () => service.ask('/v1/markets/live?status=expired&offset=999999999', { key })),
    )
    const waiting = async (): Promise<number> => {
      const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE wait_event_type = 'Lock'`.execute(service.access.database)
      return rows[0]?.count ?? 0
    }
    await expect.poll(waiting).toBeGreaterThanOrEqual(5)
    const answer = await Promise.race([service.ask('/v1/limits', { key: fresh }), after(10_000, 'too late')])
    return [Promise.all(asked), answer] as const
  })
  expect(checked).toMatchObject({ status: 200 })
  for (const { status } of await lists) expect([200, 503]).toContain(status)
})

test('a query that nobody waits for any more ends in ClickHouse', async () => {
  await using observer = openClickHouse(service.config)
  const running = async (): Promise<number> => {
    const found = await observer.query({
      query: "SELECT query_id FROM system.processes WHERE query LIKE 'SELECT sum(sleepEachRow(0.1))%'",
      format: 'JSONEachRow',
    })
    return (await found.json()).length
  }
  const caller = new AbortController()
  const sleeping = forCaller({ signal: caller.signal }, () =>
    service.stores.clickhouse.exec({
      query: 'SELECT sum(sleepEachRow(0.1)) FROM numbers(500) SETTINGS max_block_size = 1 FORMAT TSVRaw',
    }),
  )
  sleeping.catch(() => {})
  await expect.poll(running, { timeout: 20_000 }).toBe(1)
  caller.abort(new Error('the caller left'))
  await expect(sleeping).rejects.toThrow()
  await expect.poll(running, { timeout: 15_000 }).toBe(0)
})

test('an hour is not sold while its end is in Redis and not in ClickHouse yet', async () => {
  const late = await PastMarket.save(service, 'late end')
  const url = `/v1/markets/${late.market.id}/export?hour=${instantOf(PAST_HOUR_MS)}&dry_run=true`
  const report = async () => (await service.ask(url, { key: await service.keyOf('free') })).body
  await late.putRows(late.rows(LAST - 100, LAST - 20))
  expect((await report()).rows).toBe(2 * 81)
  await putInRedis(service, [late.row(LAST + 3)])
  expect((await report()).error).toBe('hour_not_finished')
  await late.putRows(late.rows(LAST - 19, LAST))
  expect((await report()).rows).toBe(2 * 101)
})
