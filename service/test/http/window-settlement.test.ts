import { TestService } from '@bookreel/testbed/service/test-service'
import { expect, test } from 'vitest'

test('the price that a window must beat is the one that the venue states, in the answers about the market', async () => {
  await using service = await TestService.start({ world: 'frozen' })
  const { world } = service
  const key = await service.keyOf('pro')
  const ask = async (path: string) => (await service.ask(path, { key })).body
  const { live5m, next5m } = world
  const answers = [await ask(`/v1/markets/by-slug/${live5m.slug}`), await ask(`/v1/markets/${live5m.id}/summary`)]
  for (const answer of answers) {
    expect(answer).toMatchObject({
      price_to_beat: expect.closeTo(83_897.297488, 6),
      price_to_beat_source: 'polymarket',
      price_to_beat_at: '2026-10-14T12:00:00.000Z',
    })
    expect(answer).not.toHaveProperty('settlement_price')
  }
  for (const { slug } of [next5m, world.longLived('sports')])
    expect(await ask(`/v1/markets/by-slug/${slug}`)).not.toHaveProperty('price_to_beat')
})
