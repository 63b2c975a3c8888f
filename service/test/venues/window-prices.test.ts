import { windowPrices } from '@bookreel/simulator/world/fair-price'
import { expect, test } from 'vitest'
import { usdOf } from '../../src/domain/decimal.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import { openSimulator, switchOn } from './open-simulator.ts'

const { signal } = new AbortController()

/** A venue whose clock the test moves, and a five-minute window that is listed but not open yet. */
async function scene() {
  const simulator = await openSimulator({ speed: 0 })
  const { gamma: gammaUrl, clob: clobUrl, marketSocket: socketUrl } = simulator.addresses
  const venue = polymarket({ gammaUrl, clobUrl, socketUrl })
  const { world } = simulator
  const market = [...world.markets.values()].find(
    ({ draft, event }) => draft.window?.length === '5m' && (event.startMs ?? 0) > world.nowMs,
  )
  const { window } = market?.draft ?? {}
  const { startMs = 0, endMs = 0, slug = '' } = market?.event ?? {}
  if (window === undefined) throw new Error('no window is about to open')
  const trueUsd = windowPrices(window, world.spot, startMs, endMs)
  const statedAt = async (atMs: number): Promise<(number | undefined)[]> => {
    world.advance(atMs)
    const { start, end } = await venue.fetchWindowPrices(slug, signal)
    return [start, end].map((units) => (units === undefined ? undefined : usdOf(units)))
  }
  return { simulator, venue, startMs, endMs, trueUsd, statedAt }
}

test('the prices of a window are read from the catalogue of the venue: the first after its start, the last after its end', async () => {
  const { startMs, endMs, trueUsd, statedAt } = await scene()
  const opening = expect.closeTo(trueUsd.opening, 6)
  expect(await statedAt(startMs - 1_000)).toEqual([undefined, undefined])
  expect(await statedAt(startMs + 30_000)).toEqual([opening, undefined])
  expect(await statedAt(endMs + 30_000)).toEqual([opening, expect.closeTo(trueUsd.closing, 6)])
  expect(trueUsd.opening).not.toBe(trueUsd.closing)
})

test('an event that the venue does not know has no prices; a venue that fails is an error', async () => {
  const { simulator, venue } = await scene()
  expect(await venue.fetchWindowPrices('btc-updown-5m-1', signal)).toEqual({})
  await switchOn(simulator, { name: 'rest-error', target: { feed: 'gamma' } })
  await expect(venue.fetchWindowPrices('btc-updown-5m-1', signal)).rejects.toThrow()
})
