import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RecordedService, startRecordedService } from './recorded-service.ts'

let service: RecordedService

beforeAll(async () => {
  service = await startRecordedService()
}, 90_000)

afterAll(() => service?.[Symbol.asyncDispose]())

describe('the walk of a request', () => {
  test('whoever has no key is told so before anything else is looked at', async () => {
    const answer = await service.ask('/v1/categories?nonsense=1')
    expect(answer.status).toBe(401)
    expect(answer.body).toMatchObject({ error: 'unauthenticated', status: 401 })
    expect(answer.body.request_id).toBe(answer.headers['x-request-id'])
  })

  test('an unknown parameter is refused with those that are allowed', async () => {
    const answer = await service.ask('/v1/categories?nonsense=1', { key: await service.keyOf('free') })
    expect(answer.status).toBe(400)
    expect(answer.body.details).toEqual({ unknown_parameters: ['nonsense'], allowed_parameters: ['format'] })
  })

  test('a list of categories, with the rate told in headers', async () => {
    const answer = await service.ask('/v1/categories', { key: await service.keyOf('pro') })
    expect(answer.status).toBe(200)
    expect(answer.body).toHaveLength(6)
    expect(answer.body[0]).toMatchObject({ id: 'crypto', captureIntervalMs: 250 })
    expect(answer.body[0].activeMarkets).toBeGreaterThan(0)
    expect(answer.headers).toMatchObject({
      'ratelimit-limit': '300',
      'x-ratelimit-limit': '300',
      'x-credits-cost': '0',
    })
  })

  test('flat files are for the upper tiers', async () => {
    expect((await service.ask('/v1/categories?format=csv', { key: await service.keyOf('pro') })).status).toBe(403)
    const csv = await service.ask('/v1/categories?format=csv', { key: await service.keyOf('scale') })
    expect(csv.text.split('\n')[0]).toBe('id,category,displayName,activeMarkets,captureIntervalMs,refreshIntervalMs')
    expect(csv.headers['x-row-count']).toBe('6')
  })

  test('both live books of a market', async () => {
    const [market] = service.stores.catalogue.list({ category: 'crypto', statuses: ['live'] }, Date.now())
    const answer = await service.ask(`/v1/markets/${market?.id}/orderbook`, { key: await service.keyOf('free') })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toMatchObject({ market_id: market?.id, stale: false, up: { outcomeIndex: 0 } })
    expect(answer.body.up.bids.length + answer.body.up.asks.length).toBeGreaterThan(0)
  })

  test('a method that is not served is refused with those that are', async () => {
    const answer = await service.ask('/v1/categories', { method: 'POST' })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('GET')
  })

  test('the interface describes itself', async () => {
    const { body } = await service.ask('/openapi.json')
    expect(body.openapi).toBe('3.1.0')
    expect(Object.keys(body.paths)).toContain('/v1/markets/{id}/orderbook')
  })
})
