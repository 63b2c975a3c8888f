import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test } from 'vitest'

let service: TestService
let id: string
let key: string

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  key = await service.keyOf('pro')
  id = service.world.live5m.id
})

afterAll(() => service?.[Symbol.asyncDispose]())

interface TokenDepth {
  side: string
  mid: number
  microprice: number
  bid_size: number
  ask_size: number
  imbalance: number
}

test('a wider distance never has less depth, and both tokens mirror each other', async () => {
  const sizes: number[] = []
  for (const within of [0.01, 0.05, 0.5]) {
    const { status, body } = await service.ask(`/v1/markets/${id}/depth?within=${within}`, { key })
    expect(status).toBe(200)
    expect(body).toMatchObject({ market_id: id, within, stale: false })
    const [up, down] = body.tokens as [TokenDepth, TokenDepth]
    expect(up.side + down.side).toBe('UPDOWN')
    expect(down).toMatchObject({ bid_size: up.ask_size, ask_size: up.bid_size })
    expect(up.imbalance + down.imbalance).toBeCloseTo(0, 9)
    expect(up.microprice + down.microprice).toBeCloseTo(1, 9)
    sizes.push(up.bid_size + up.ask_size)
  }
  expect(sizes).toEqual(sizes.toSorted((one, other) => one - other))
  expect(sizes.at(-1)).toBeGreaterThan(0)
})

test.each([
  ['without a key', 401, 'unauthenticated', '', undefined],
  ['with no distance', 400, 'invalid_request', '?within=0', 'key'],
  ['with too wide a distance', 400, 'invalid_request', '?within=0.51', 'key'],
  ['of a market that does not exist', 404, 'market_not_found', 'unknown', 'key'],
])('%s: %i %s', async (_, status, error, query, withKey) => {
  const path = query === 'unknown' ? `/v1/markets/0x${'0'.repeat(64)}/depth` : `/v1/markets/${id}/depth${query}`
  const answer = await service.ask(path, { key: withKey && key })
  expect(answer.status).toBe(status)
  expect(answer.body.error).toBe(error)
})
