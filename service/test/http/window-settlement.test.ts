import { windowPrices } from '@bookreel/simulator/world/fair-price'
import { TestService } from '@bookreel/testbed/service/test-service'
import { expect, test, vi } from 'vitest'

/** The venue is asked a minute after the start of a window, and then every minute. */
const STATED_WITHIN_MS = 180_000

test('the price that a window must beat is the one that the venue states, in the answers about the market', {
  timeout: 500_000,
}, async () => {
  await using service = await TestService.start({ record: true })
  const { world } = service.simulator
  const nowMs = Date.now()
  // The one that started first, usually of a day; one that ends soon may end before the venue is asked.
  const market = [...world.markets.values()]
    .filter(({ draft, event }) => draft.window !== undefined && event.endMs - nowMs > STATED_WITHIN_MS)
    .toSorted((one, other) => (one.event.startMs ?? 0) - (other.event.startMs ?? 0))[0]
  const { window } = market?.draft ?? {}
  const { startMs = 0, endMs = 0 } = market?.event ?? {}
  if (market === undefined || window === undefined) throw new Error('no window')
  const key = await service.keyOf('pro')
  const ask = async (path: string) => (await service.ask(path, { key })).body
  const bySlug = `/v1/markets/by-slug/${market.draft.slug}`
  await vi.waitUntil(async () => (await ask(bySlug)).price_to_beat_source === 'polymarket', {
    timeout: Math.max(0, startMs - nowMs) + STATED_WITHIN_MS,
    interval: 500,
  })
  const stated = {
    price_to_beat: expect.closeTo(windowPrices(window, world.spot, startMs, endMs).opening, 6),
    price_to_beat_source: 'polymarket',
    price_to_beat_at: new Date(startMs).toISOString(),
  }
  const answers = [await ask(bySlug), await ask(`/v1/markets/${market.conditionId}/summary`)]
  for (const answer of answers) {
    expect(answer).toMatchObject(stated)
    expect(answer).not.toHaveProperty('settlement_price')
  }
  const sports = [...world.markets.values()].find(
    ({ draft, phase }) => draft.window === undefined && phase === 'trading',
  )
  expect(await ask(`/v1/markets/by-slug/${sports?.draft.slug}`)).not.toHaveProperty('price_to_beat')
})
