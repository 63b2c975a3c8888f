import { list, madeMarket, madeRow, putInRedis } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokenSnapshotOf } from '../../src/endpoints/schemas/snapshot.ts'
import { archiveGaps, archiveRows, gapOf, rowOfSlot, rowsOfSlots } from './snapshots-scene.ts'

let service: TestService
let key: string

const NOW = WORLD_NOW_MS
const HOUR_MS = 3_600_000
const past = madeMarket('at past', { captureIntervalMs: 1_000, startsAtMs: NOW - 40 * HOUR_MS })
const FIRST = Math.floor(NOW / 1_000) - 30 * 3_600
const LAST = FIRST + 1_199
const HOLE = { from: FIRST + 300, to: FIRST + 899 }
/** No other market of this coin has the timeframe of another category. */
const series = { subcategory: 'HYPE', timeframe: 'seasonal' } as const
const soon = madeMarket('latest soon', { ...series, endsAtMs: NOW + 2 * HOUR_MS })
const later = madeMarket('latest later', { ...series, endsAtMs: NOW + 3 * HOUR_MS })
const upcoming = madeMarket('latest upcoming', { ...series, startsAtMs: NOW + HOUR_MS, endsAtMs: NOW + HOUR_MS * 5 })
const silent = madeMarket('latest silent', { subcategory: 'HYPE', timeframe: 'weekly' })

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  key = await service.keyOf('pro')
  await list(service, [past, soon, later, upcoming, silent])
  await archiveRows(service, [...rowsOfSlots(past, FIRST, HOLE.from - 1), ...rowsOfSlots(past, HOLE.to + 1, LAST)])
  await archiveGaps(service, [
    gapOf(past, { fromSlot: HOLE.from, toSlot: HOLE.to, kind: 'missing', cause: 'venue_silent' }),
    gapOf(past, { fromSlot: HOLE.from - 3, toSlot: HOLE.from - 1, kind: 'suspect', cause: 'venue_silent' }),
  ])
})

afterAll(() => service?.[Symbol.asyncDispose]())

const at = (timestamp: string | number, query = '', asking = { key }) =>
  service.ask(`/api/snapshot?marketId=${past.id}&timestamp=${timestamp}${query}`, asking)

describe('GET /api/snapshot', () => {
  test('returns the row captured nearest to the time, UP with DOWN as its counterpart, without ladders', async () => {
    const row = rowOfSlot(past, FIRST + 100)
    const options = { includeBook: false, isSuspect: false }
    const { body } = await at(row.capturedAtMs + 30)
    const { counterpart, distance_ms, venue, ...up } = body
    expect(venue).toBe('polymarket')
    expect(up).toEqual(tokenSnapshotOf(past, row, { outcome: 0, ...options }))
    expect(counterpart).toEqual(tokenSnapshotOf(past, row, { outcome: 1, ...options }))
    expect(distance_ms).toBe(30)
  })

  test('returns the other token and its ladders on request', async () => {
    const row = rowOfSlot(past, FIRST + 100)
    const { body } = await at(new Date(row.capturedAtMs).toISOString(), '&side=DOWN&includebook=true')
    const { counterpart, distance_ms: _, venue: _venue, ...down } = body
    expect(down).toEqual(tokenSnapshotOf(past, row, { outcome: 1, includeBook: true, isSuspect: false }))
    expect(counterpart.side).toBe('UP')
  })

  test('with direction=before returns nothing that was captured later', async () => {
    const [row, next] = [rowOfSlot(past, FIRST + 100), rowOfSlot(past, FIRST + 101)]
    const justBefore = next.capturedAtMs - 1
    expect((await at(justBefore)).body.sequence_number).toBe(next.slot)
    expect((await at(justBefore, '&direction=before')).body.sequence_number).toBe(row.slot)
    expect((await at(next.capturedAtMs, '&direction=before')).body).toMatchObject({
      sequence_number: next.slot,
      distance_ms: 0,
    })
  })

  test('flags a row in doubt', async () => {
    const { body } = await at((HOLE.from - 2) * 1_000)
    expect(body.flags).toContain('suspect')
    expect(body.counterpart.flags).toContain('suspect')
  })

  test('within a gap is an error with the gap and the recorded range of the market', async () => {
    const { status, body } = await at((HOLE.from + 300) * 1_000)
    expect([status, body.error]).toEqual([404, 'no_snapshot'])
    expect(body.details).toMatchObject({
      recorded: { from: new Date(FIRST * 1_000).toISOString(), to: new Date((LAST + 1) * 1_000).toISOString() },
      gap: { first_slot: HOLE.from, cause: 'venue_silent', kind: 'missing' },
    })
    expect((await at((LAST + 7_200) * 1_000)).body.details.gap).toBeNull()
  })
})

describe('GET /api/snapshot/latest', () => {
  const latest = (query = '', asking = { key }) => service.ask(`/api/snapshot/latest${query}`, asking)
  const ids = (body: { condition_id: string; sequence_number: number }[]): [string, number][] =>
    body.map(({ condition_id, sequence_number }) => [condition_id, sequence_number])

  test('returns five rows of live markets, the newest slot first, of one slot the market that ends soonest', async () => {
    const slot = Math.floor(WORLD_NOW_MS / 250)
    const rows = [0, 1, 2, 3].flatMap((back) =>
      [soon, later, upcoming].map((market) => madeRow(market, { atMs: (slot - back) * 250 })),
    )
    await putInRedis(service, rows)
    const { body } = await latest('?crypto=hype&timeframe=seasonal')
    expect(ids(body)).toEqual([
      [soon.id, slot],
      [later.id, slot],
      [soon.id, slot - 1],
      [later.id, slot - 1],
      [soon.id, slot - 2],
    ])
    expect(body[0]).toMatchObject({ side: 'UP', best_bid: 0.48, counterpart: { side: 'DOWN', best_ask: 0.52 } })
    expect(body[0]).not.toHaveProperty('bids')
    expect((await latest('?crypto=hype&timeframe=seasonal&includebook=true')).body[0].bids[0]).toEqual([0.48, 100])
  })

  test('without a filter returns the five newest of all, from many markets', async () => {
    const { body } = await latest()
    expect(body).toHaveLength(5)
    const slotTimes = body.map(
      ({ condition_id, sequence_number }: { condition_id: string; sequence_number: number }) => {
        const market = service.stores.catalogue.byId(condition_id, WORLD_NOW_MS)
        expect(market?.status).toBe('live')
        return sequence_number * (market?.captureIntervalMs ?? 0)
      },
    )
    expect(slotTimes).toEqual(slotTimes.toSorted((one: number, other: number) => other - one))
    expect(slotTimes[0]).toBe(WORLD_NOW_MS)
  })

  test('an empty list gives the reason', async () => {
    expect((await latest('?crypto=HYPE&timeframe=game')).headers['x-empty-reason']).toBe('no_match')
    expect((await latest('?crypto=HYPE&timeframe=weekly')).headers['x-empty-reason']).toBe('gap')
    const free = await latest('?timeframe=daily-high', { key: await service.keyOf('free') })
    expect([free.body, free.headers['x-empty-reason']]).toEqual([[], 'tier'])
    expect((await latest('?crypto=PEPE')).status).toBe(400)
    const unknown = await latest('?timeframe=7m')
    expect([unknown.status, unknown.body.message]).toEqual([
      400,
      expect.stringMatching(/^timeframe must be one of 5m, 15m, 1h, 4h, 1d, hit-price, .*, all, got "7m"$/),
    ])
  })
})
