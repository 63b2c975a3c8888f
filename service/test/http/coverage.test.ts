import { asWriter, HOUR_MS, INTERVAL_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'

const LAST = 159
const DAY_MS = 24 * HOUR_MS
const HOUR = instantOf(PAST_HOUR_MS)
const DAY = instantOf(Math.floor(PAST_HOUR_MS / DAY_MS) * DAY_MS)

let service: TestService
let past: PastMarket
let key: string

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('pro')
  past = await PastMarket.save(service, 'coverage')
  // Duplicate rows stay.
  await asWriter(service, (client) => client.command({ query: 'SYSTEM STOP MERGES snapshots' }))
  await past.putRows([...past.rows(0, 59), ...past.rows(80, LAST)])
  await past.putRows(past.rows(80, 90))
  await past.putGaps([past.gap(60, 79), past.gap(110, 111, { cause: 'hash_mismatch', kind: 'suspect' })])
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const coverage = (query = '', as = key) => service.ask(`/v1/markets/${past.market.id}/coverage${query}`, { key: as })

test.each([
  ['day', DAY],
  ['hour', HOUR],
])(
  'by %s: the recorded slots, those missing and in doubt, and their causes; a row stored twice counts once',
  async (by, start) => {
    const { status, body } = await coverage(`?by=${by}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      market_id: past.market.id,
      capture_interval_ms: INTERVAL_MS,
      by,
      recorded_from: HOUR,
      from: HOUR,
      to: instantOf(PAST_HOUR_MS + (LAST + 1) * INTERVAL_MS),
      coverage: { expected_slots: 160, stored_slots: 140, missing_slots: 20, share: 0.875 },
    })
    expect(body.parts).toEqual([
      {
        start,
        expected_slots: 160,
        stored_slots: 140,
        missing_slots: 20,
        suspect_slots: 2,
        share: 0.875,
        condition: expect.stringMatching(/degraded|pending/),
        causes: { disconnected: 20, hash_mismatch: 2 },
      },
    ])
  },
)

test('an interval that does not divide a day: every slot counts in its own hour', async () => {
  const intervalMs = 700
  const odd = await PastMarket.save(service, 'odd coverage', { captureIntervalMs: intervalMs })
  const firstSlot = Math.ceil(PAST_HOUR_MS / intervalMs)
  const rows = Array.from({ length: Math.ceil((2 * HOUR_MS) / intervalMs) - 1 }, (_, index) => {
    const slot = firstSlot + index
    const atMs = slot * intervalMs
    return { ...odd.row(0), slot, intervalMs, capturedAtMs: atMs, eventAtMs: atMs, receivedAtMs: atMs }
  })
  await odd.putRows(rows)
  const { body } = await service.ask(`/v1/markets/${odd.market.id}/coverage?by=hour`, { key })
  const stored = (hourMs: number) =>
    rows.filter(({ slot }) => slot * intervalMs >= hourMs && slot * intervalMs < hourMs + HOUR_MS).length
  expect(body.parts).toMatchObject([
    { start: HOUR, stored_slots: stored(PAST_HOUR_MS), missing_slots: 0 },
    { start: instantOf(PAST_HOUR_MS + HOUR_MS), stored_slots: stored(PAST_HOUR_MS + HOUR_MS), missing_slots: 0 },
  ])
  const range = { from: HOUR, to: instantOf(PAST_HOUR_MS + HOUR_MS) }
  const { body: estimated } = await service.ask('/v1/estimate', {
    key,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ product: 'hours', markets: [odd.market.id], ...range }),
  })
  expect(estimated).toMatchObject({ stored_slots: stored(PAST_HOUR_MS), missing_slots: 0 })
})

test('a range is widened to whole hours, and one without recorded slots is empty with the reason', async () => {
  const inside = await coverage(`?by=hour&from=${PAST_HOUR_MS + 10_000}&to=${PAST_HOUR_MS + 20_000}`)
  expect(inside.body.coverage).toMatchObject({ expected_slots: 160, stored_slots: 140 })
  const outside = await coverage(`?by=hour&from=${PAST_HOUR_MS + HOUR_MS}&to=${PAST_HOUR_MS + 2 * HOUR_MS}`)
  expect(outside.body).toMatchObject({ parts: [], from: null, empty_reason: 'outside_capture' })
  expect(outside.headers['x-empty-reason']).toBe('outside_capture')
})
