import { zstdDecompressSync } from 'node:zlib'
import { list, madeMarket } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokenSnapshotOf } from '../../src/endpoints/schemas/snapshot.ts'
import { archiveGaps, archiveRows, gapOf, rowsOfSlots } from './snapshots-scene.ts'

let service: TestService
let key: string

const NOW = WORLD_NOW_MS
const HOUR_MS = 3_600_000
/** Two past hours, whose first rows include midnight, with a gap in the middle and rows in doubt after it. */
const history = madeMarket('list history', { captureIntervalMs: 1_000, startsAtMs: NOW - 40 * HOUR_MS })
const FIRST = Math.floor(NOW / 1_000) - 36.2 * 3_600
const HOLE = { from: FIRST + 1_500, to: FIRST + 5_499 }
const LAST = FIRST + 5_999
const growing = madeMarket('list growing', { captureIntervalMs: 250 })
const bare = madeMarket('list bare')
const retried = madeMarket('list retried', { captureIntervalMs: 1_000 })

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('scale')
  await list(service, [history, growing, bare, retried])
  await archiveRows(service, rowsOfSlots(history, FIRST, HOLE.from - 1))
  await archiveRows(service, rowsOfSlots(history, HOLE.to + 1, LAST))
  // The same rows again, because duplicates must be removed.
  await archiveRows(service, rowsOfSlots(history, FIRST + 50, FIRST + 150))
  await archiveGaps(service, [
    gapOf(history, { fromSlot: HOLE.from, toSlot: HOLE.to, kind: 'missing', cause: 'capturer_down' }),
    gapOf(history, { fromSlot: HOLE.to + 5, toSlot: HOLE.to + 8, kind: 'suspect', cause: 'hash_mismatch' }),
  ])
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = (market: { id: string }, query = '', asking = { key }) =>
  service.ask(`/v1/markets/${market.id}/snapshots${query}`, asking)
const keys = (body: { snapshots: { sequence_number: number; side: string }[] }): string[] =>
  body.snapshots.map(({ sequence_number, side }) => `${sequence_number} ${side}`)

/** The rows that paging over these slots must return. */
function truth(slots: readonly number[], sides = ['UP', 'DOWN']): string[] {
  return slots.flatMap((slot) => sides.map((side) => `${slot} ${side}`))
}

async function walk(market: { id: string }, query: string): Promise<string[]> {
  const all: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body, status, text } = await ask(market, `${query}${cursor && `&cursor=${cursor}`}`)
    expect(status, text).toBe(200)
    all.push(...keys(body))
    cursor = body.next_cursor
  }
  return all
}

/** The capture time of the row at that position. */
const capturedAt = (place: number): number => stored[place]?.capturedAtMs ?? Number.NaN

const stored = [...rowsOfSlots(history, FIRST, HOLE.from - 1), ...rowsOfSlots(history, HOLE.to + 1, LAST)]

describe('a page', () => {
  test('has every member of a snapshot in its order, as the row was stored, without duplicates', async () => {
    const { body } = await ask(history, `?from=${FIRST * 1_000}&limit=500`)
    const expected = stored
      .slice(0, 250)
      .flatMap((row) =>
        ([0, 1] as const).map((outcome) =>
          tokenSnapshotOf(history, row, { outcome, includeBook: true, isSuspect: false }),
        ),
      )
    expect(JSON.stringify(body.snapshots)).toBe(JSON.stringify(expected))
    expect(Object.keys(body.snapshots[0]).slice(0, 16)).toEqual(
      'condition_id token_id side event_timestamp capture_timestamp sequence_number best_bid best_ask mid spread bids asks depth5_bid depth5_ask spot_crypto_usd spot_crypto_age_ms'.split(
        ' ',
      ),
    )
  })

  test('lists the gaps in its range, flags rows in doubt, and counts what is missing', async () => {
    const { body } = await ask(history, `?from=${(HOLE.from - 10) * 1_000}&limit=60`)
    expect(keys(body)[20]).toBe(`${HOLE.to + 1} UP`)
    expect(body.gaps).toEqual([
      expect.objectContaining({ first_slot: HOLE.from, last_slot: HOLE.to, cause: 'capturer_down', kind: 'missing' }),
      expect.objectContaining({
        first_slot: HOLE.to + 5,
        kind: 'suspect',
        known_at: new Date((HOLE.to + 9) * 1_000).toISOString(),
      }),
    ])
    const doubted = body.snapshots.filter(({ flags }: { flags: string[] }) => flags.includes('suspect'))
    expect(keys({ snapshots: doubted })).toEqual(truth([5, 6, 7, 8].map((step) => HOLE.to + step)))
    expect(body.coverage).toMatchObject({
      expected_slots: 4_030,
      stored_slots: 30,
      missing_slots: 4_000,
      first_slot: HOLE.from - 10,
    })
    const { body: calm } = await ask(history, `?from=${FIRST * 1_000}&limit=60`)
    expect(calm.gaps).toEqual([])
    expect(calm.coverage).toMatchObject({ expected_slots: 30, stored_slots: 30, missing_slots: 0, share: 1 })
  })
})

describe('paging', () => {
  test.each([
    ['asc', 7, ''],
    ['asc', 500, ''],
    ['desc', 33, ''],
    ['asc', 9, 'DOWN'],
    ['desc', 10, 'UP'],
  ])('%s by %i %s returns every row once, in order, across the gap', async (order, limit, side) => {
    const slots = stored.slice(1_470, 1_530).map(({ slot }) => slot)
    const [from, to] = [capturedAt(1_470), capturedAt(1_530)]
    const query = `?from=${from}&to=${to}&limit=${limit}&order=${order}&includebook=false${side && `&side=${side}`}`
    expect(await walk(history, query)).toEqual(
      truth(order === 'asc' ? slots : slots.toReversed(), side ? [side] : undefined),
    )
  })

  test('is disjoint and complete while rows arrive', async () => {
    const start = Math.floor((NOW - 120_000) / 250)
    const batches = [40, 1, 60, 25, 80, 3, 91].map((count, index, all) => {
      const before = all.slice(0, index).reduce((sum, each) => sum + each, 0)
      return rowsOfSlots(growing, start + before, start + before + count - 1)
    })
    await archiveRows(service, batches[0] ?? [])
    let hasArrived = false
    const arriving = (async () => {
      for (const batch of batches.slice(1)) await archiveRows(service, batch)
      hasArrived = true
    })()
    const seen: string[] = []
    let cursor = ''
    for (let isOver = false; !isOver; ) {
      const isLastLook = hasArrived
      const { body } = await ask(
        growing,
        `?from=${start * 250}&limit=17&includebook=false${cursor && `&cursor=${cursor}`}`,
      )
      isOver = body.next_cursor === null && isLastLook
      // A last page is requested again as long as rows may arrive.
      if (body.next_cursor !== null || isOver) seen.push(...keys(body))
      cursor = body.next_cursor ?? cursor
    }
    await arriving
    expect(seen).toEqual(truth(batches.flat().map(({ slot }) => slot)))
  })
})

describe('a retry under the same idempotency key', () => {
  const newest = Math.floor(NOW / 1_000) - 60
  const late = newest - 50
  const QUERIES = [
    '?limit=7',
    '?limit=500',
    `?from=${(newest - 5) * 1_000}`,
    `?from=${(newest - 9) * 1_000}&limit=3`,
    `?from=${(newest - 20) * 1_000}&to=${Date.UTC(2098, 0)}&order=desc&side=UP`,
    `?from=${(newest + 3) * 1_000}`,
    '?limit=7&format=csv',
    '?limit=7&format=parquet',
  ]

  test('returns the answer that was charged and not the newer rows, for free', async () => {
    await archiveRows(service, [
      ...rowsOfSlots(retried, newest - 99, late - 1),
      ...rowsOfSlots(retried, late + 1, newest),
    ])
    const asking = async (query: string, idempotencyKey?: string) => {
      const headers = { 'x-api-key': key, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) }
      const answer = await service.server.inject({ url: `/v1/markets/${retried.id}/snapshots${query}`, headers })
      return { ...answer, costs: answer.headers['x-credits-cost'], bytes: answer.rawPayload.toString('base64') }
    }
    const first = await Promise.all(QUERIES.map((query) => asking(query, query)))
    expect(first.map(({ statusCode, costs }) => [statusCode, costs])).toEqual(QUERIES.map(() => [200, '10']))
    await archiveRows(service, rowsOfSlots(retried, newest + 1, newest + 20))
    for (const [index, query] of QUERIES.entries()) {
      const again = await asking(query, query)
      expect(again.costs, `${query} ${again.body}`).toBe('0')
      expect(again.headers['x-idempotent-replay']).toBe('true')
      expect(again.bytes, query).toBe(first[index]?.bytes)
    }
    expect((await asking('?limit=7')).bytes).not.toBe(first[0]?.bytes)
  })

  test('is refused and free when rows of the charged answer were added later', async () => {
    const asking = { key, headers: { 'idempotency-key': 'corrected' } }
    const ask = () => service.ask(`/v1/markets/${retried.id}/snapshots?to=${newest * 1_000}`, asking)
    expect((await ask()).headers['x-credits-cost']).toBe('10')
    await archiveRows(service, rowsOfSlots(retried, late, late))
    const { status, body, headers } = await ask()
    expect([status, body.error, headers['x-credits-cost']]).toEqual([409, 'idempotency_spent', '0'])
  })
})

describe('a dry run', () => {
  test('returns what paging then returns, and is free', async () => {
    const asking = { key: await service.keyOf('pro', { fresh: true, credits: 1_000 }) }
    const query = `?from=${capturedAt(1_400)}&to=${capturedAt(1_600)}&limit=30`
    const before = Number((await ask(history, query, asking)).headers['x-credits-remaining'])
    const { body, headers } = await ask(history, `${query}&dry_run=true`, asking)
    expect(headers['x-credits-cost']).toBe('0')
    expect(body).toMatchObject({ dry_run: true, rows: 400, calls: 14, credits: 140, gap_count: 2 })
    expect(body.coverage).toMatchObject({ stored_slots: 200, missing_slots: 4_000, expected_slots: 4_200 })
    const after = (await ask(history, query, asking)).headers['x-credits-remaining']
    expect(Number(after)).toBe(before - 10)
  })

  test('counts whole days as it counts hours', async () => {
    const { body } = await ask(history, '?dry_run=true&from=2026-01-01T00:00:00Z&side=UP')
    expect(body).toMatchObject({ rows: stored.length, coverage: { expected_slots: 6_000, stored_slots: 2_000 } })
  })
})

describe('an empty page', () => {
  test.each([
    ['not_recorded_yet', bare, ''],
    ['outside_capture', history, `?from=${(LAST + 600) * 1_000}`],
    ['outside_capture', history, `?from=${(FIRST - 900) * 1_000}&to=${(FIRST - 600) * 1_000}`],
    ['gap', history, `?from=${(HOLE.from + 100) * 1_000}&to=${(HOLE.from + 200) * 1_000}`],
  ])('gives the reason: %s', async (reason, market, query) => {
    const { body, headers, status } = await ask(market, query)
    expect(status).toBe(200)
    expect(body).toMatchObject({ snapshots: [], next_cursor: null, empty_reason: reason })
    expect(headers['x-empty-reason']).toBe(reason)
    expect(body.coverage).toMatchObject(
      reason === 'gap' ? { missing_slots: 100, share: 0 } : { missing_slots: 0, share: null },
    )
  })
})

describe('other formats', () => {
  const query = `?from=${(HOLE.from - 10) * 1_000}&limit=45`

  test.each(['', '&order=desc&includebook=false'])('Parquet has the same rows and numbers %s', async (more) => {
    const { body } = await ask(history, query + more)
    const answer = await service.server.inject({
      url: `/v1/markets/${history.id}/snapshots${query}${more}&format=parquet`,
      headers: { 'x-api-key': key },
    })
    expect(answer.statusCode, answer.body).toBe(200)
    const bytes = answer.rawPayload
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
    const rows = await parquetReadObjects({ file, compressors: { ZSTD: (packed) => zstdDecompressSync(packed) } })
    const plain = rows.map(({ sequence_number, spot_crypto_age_ms, spot_crypto_usd, ...row }) => ({
      ...row,
      sequence_number: Number(sequence_number),
      spot_crypto_age_ms: spot_crypto_age_ms == null ? null : Number(spot_crypto_age_ms),
      spot_crypto_usd: spot_crypto_usd ?? null,
    }))
    expect(JSON.parse(JSON.stringify(plain))).toEqual(body.snapshots)
    expect(answer.headers['x-next-cursor']).toBe(body.next_cursor)
  })
})
