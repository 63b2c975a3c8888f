import { asWriter, HOUR_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import { noteRetention } from '../../src/stores/engines/clickhouse-retention.ts'

const DAY_MS = 24 * HOUR_MS
/** Before the 30 days that are kept. */
const EARLIER_MS = PAST_HOUR_MS - 40 * DAY_MS

let service: TestService
let path: string
let id: string

beforeAll(async () => {
  service = await TestService.start()
  const past = await PastMarket.save(service, 'kept', { startsAtMs: EARLIER_MS })
  id = past.market.id
  path = `/v1/markets/${id}`
  await past.putRows(past.rows(0, 9))
  await setDays(30)
})

afterAll(async () => {
  await setDays(0)
  await service[Symbol.asyncDispose]()
})

function setDays(days: number): Promise<void> {
  const retention = { RETENTION_DAYS_SNAPSHOTS: days, RETENTION_DAYS_TRADES: days }
  return asWriter(service, (client) => noteRetention(client, retention))
}

test.each(['markets/ID/gaps?', 'markets/ID/bars?interval=1m&side=UP&', 'markets/ID/snapshots?', 'trades?marketId=ID&'])(
  'a range before the time that is kept is empty because of retention: /v1/%s',
  async (name) => {
    const url = `/v1/${name.replace('ID', id)}from=${EARLIER_MS}&to=${EARLIER_MS + HOUR_MS}`
    const { status, headers } = await service.ask(url, { key: await service.keyOf('enterprise') })
    expect([status, headers['x-empty-reason']]).toEqual([200, 'retention'])
  },
)

test('an hour, a book and a price of that time do not exist because of retention', async () => {
  const key = await service.keyOf('enterprise')
  const hour = `${path}/export?hour=${instantOf(EARLIER_MS)}`
  const listed = await service.ask(`${hour}&part=gaps`, { key })
  expect(listed.body).toMatchObject({ rows: 0, credits: 0, empty_reason: 'retention' })
  const refused = { error: 'no_data_at_time', details: { reason: 'retention' } }
  expect((await service.ask(hour, { key })).body).toMatchObject(refused)
  const asked = await service.ask(`/v1/asof?timestamp=${EARLIER_MS}&markets=${id}`, { key })
  expect(asked.body.markets[0]).toMatchObject({ status: 'retention', up: null })
  const price = await service.ask(`${path}/execution?side=UP&action=buy&size=10&timestamp=${EARLIER_MS}`, { key })
  expect(price.body).toMatchObject(refused)
})

test('a time that is kept has its usual reasons', async () => {
  const key = await service.keyOf('enterprise')
  const asked = await service.ask(`/v1/asof?timestamp=${PAST_HOUR_MS - 1_000}&markets=${id}`, { key })
  expect(asked.body.markets[0]).toMatchObject({ status: 'outside_capture' })
  const { headers } = await service.ask(`${path}/bars?interval=1m&side=UP&from=${PAST_HOUR_MS + 10 * 60_000}`, { key })
  expect(headers['x-empty-reason']).toBe('outside_capture')
})
