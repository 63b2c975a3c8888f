import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'

let service: TestService

/** Credits of a new account. */
const FREE = 5_000

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
})

afterAll(() => service?.[Symbol.asyncDispose]())

describe('limits of a key', () => {
  test('show the tier, the rate and the credits, and are free', async () => {
    const key = await service.keyOf('pro', { fresh: true, credits: 77, scopes: ['stream'] })
    const first = await service.ask('/v1/limits', { key })
    expect(first.status, first.text).toBe(200)
    expect(first.headers['x-credits-cost']).toBe('0')
    expect(first.body).toMatchObject({
      tier: 'pro',
      label: 'test',
      rpm: 300,
      rateUsed: 1,
      rateRemaining: 299,
      creditsRemaining: FREE + 77,
      creditsPerMonth: 50_000,
      keyCreditsRemaining: null,
      historyHours: 0,
      formats: ['json'],
      maxKeys: 5,
      wsMax: 1,
      mcp: 'full',
    })
    expect(first.body.rateRemaining).toBe(Number(first.headers['ratelimit-remaining']))
  })

  test('show what is left of the limit of the key itself', async () => {
    const { access } = service
    const { id } = await access.accounts.create('capped')
    await access.accounts.setTier(id, { tier: 'scale', monthlyCredits: 0 })
    const { key } = await issueKey(access, { accountId: id, label: 'capped', creditLimit: 40 })
    expect((await service.ask(`/v1/markets/${service.world.hot.id}/snapshots?limit=1`, { key })).status).toBe(200)
    const { body } = await service.ask('/v1/limits', { key })
    expect(body).toMatchObject({ creditsRemaining: FREE - 10, keyCreditsRemaining: 30 })
    expect(body.formats).toEqual(['json', 'csv', 'tsv', 'parquet'])
  })

  test('a key is validated whatever its scopes, and a wrong one is 401', async () => {
    const key = await service.keyOf('free', { fresh: true, credits: 5, scopes: ['mcp'] })
    const { status, body } = await service.ask('/v1/api-keys/validate', { key })
    expect(status).toBe(200)
    expect(body).toMatchObject({ valid: true, active: true, label: 'test', tier: 'free' })
    expect(body.creditsRemaining).toBeGreaterThanOrEqual(5)
    expect((await service.ask('/v1/api-keys/validate', { key: `${key}x` })).status).toBe(401)
  })
})
