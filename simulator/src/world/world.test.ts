import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashesOf } from '../polymarket/frames.ts'
import { usualSize } from './roster.ts'
import { type Happening, World } from './world.ts'

const START_MS = Date.parse('2026-11-15T02:24:30Z')

function worldOf(markets: number, tell: (happening: Happening) => void = () => {}, startMs = START_MS): World {
  return new World({ seed: 'test', startMs, size: usualSize(markets) }, tell)
}

/** Everything a client could ever see of a happening, hashes included. */
function told({ kind, market, atMs, ...rest }: Happening): string {
  return JSON.stringify([kind, market.draft.slug, atMs, rest, hashesOf(market, atMs)])
}

test('the same seed and the same times give the same happenings, however time is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1_500 }), { minLength: 1, maxLength: 12 }), (steps) => {
      const once: string[] = []
      const inSteps: string[] = []
      const totalMs = steps.reduce((sum, step) => sum + step, 0)
      worldOf(60, (happening) => once.push(told(happening))).advance(START_MS + totalMs)
      const other = worldOf(60, (happening) => inSteps.push(told(happening)))
      let atMs = START_MS
      for (const step of steps) {
        atMs += step
        other.advance(atMs)
      }
      expect(inSteps).toEqual(once)
    }),
    { numRuns: 20 },
  )
})

test('another seed gives another world', () => {
  const one = new World({ seed: 'one', startMs: START_MS, size: usualSize(40) }, () => {})
  const other = new World({ seed: 'other', startMs: START_MS, size: usualSize(40) }, () => {})
  expect([...one.markets.keys()]).not.toEqual([...other.markets.keys()])
})

test('a world has as many markets of each activity as it was asked for, and keeps them while windows roll', () => {
  const world = worldOf(400)
  const activities = () => {
    const trading = [...world.markets.values()].filter(
      ({ phase, event }) => phase !== 'resolved' && event.endMs > world.nowMs,
    )
    return Object.groupBy(trading, ({ activity }) => activity)
  }
  for (const afterMs of [0, 60_000, 400_000]) {
    world.advance(START_MS + afterMs)
    const { hot = [], medium = [], cold = [] } = activities()
    expect([hot.length, medium.length, cold.length], `after ${afterMs} ms`).toEqual([30, 70, 300])
  }
})

test('a book is never crossed, its levels stand on the tick, and sizes are positive', () => {
  let seen = 0
  const world = worldOf(100, ({ market }) => {
    seen++
    const { bids, asks, bestBid, bestAsk } = market.book
    if (bestBid >= bestAsk) throw new Error(`${market.draft.slug} is crossed: ${bestBid} / ${bestAsk}`)
    for (const { price, size } of [...bids, ...asks]) {
      if (price % market.tickSize !== 0 || price <= 0 || price >= 10_000 || size <= 0) {
        throw new Error(`${market.draft.slug} has ${size} at ${price}`)
      }
    }
  })
  world.advance(START_MS + 120_000)
  expect(seen).toBeGreaterThan(10_000)
})

test('each activity changes about as often as its class says', () => {
  const batches = new Map<string, number>()
  const world = worldOf(1_000, ({ kind, market }) => {
    if (kind === 'batch') batches.set(market.activity, (batches.get(market.activity) ?? 0) + 1)
  })
  world.advance(START_MS + 20_000)
  const perSecond = (activity: string, markets: number): number => (batches.get(activity) ?? 0) / markets / 20
  expect(perSecond('hot', 75)).toBeCloseTo(16, -1)
  expect(perSecond('hot', 75)).toBeGreaterThan(14.5)
  expect(perSecond('medium', 175)).toBeGreaterThan(1.7)
  expect(perSecond('medium', 175)).toBeLessThan(2.2)
  expect(perSecond('cold', 750)).toBeGreaterThan(0.12)
  expect(perSecond('cold', 750)).toBeLessThan(0.18)
})

test('a window opens, ends, is emptied, is resolved by its spot price, and a new one is created for it', () => {
  const lives: [string, string, number][] = []
  const startMs = Date.parse('2026-11-15T02:24:58Z')
  const world = worldOf(
    60,
    ({ kind, market, atMs, ...rest }) => {
      if (!market.draft.slug.startsWith('btc-updown-5m')) return
      const isEmptied = kind === 'batch' && market.phase === 'emptied' && 'changes' in rest
      if (isEmptied || kind === 'created' || kind === 'resolved') {
        lives.push([isEmptied ? 'emptied' : kind, market.draft.slug, atMs])
      }
    },
    startMs,
  )
  const ending = [...world.markets.values()].find(({ draft }) => draft.slug === 'btc-updown-5m-1794709200')
  world.advance(startMs + 200_000)
  expect(lives.map(([kind]) => kind)).toEqual(['created', 'emptied', 'resolved'])
  const [created, emptied, resolved] = lives
  expect(created?.[2]).toBe(Date.parse('2026-11-15T02:25:00Z'))
  expect(emptied?.[1]).toBe('btc-updown-5m-1794709200')
  expect((emptied?.[2] ?? 0) - Date.parse('2026-11-15T02:25:00Z')).toBeGreaterThanOrEqual(53_000)
  expect((resolved?.[2] ?? 0) - (emptied?.[2] ?? 0)).toBe(30)
  expect(ending?.book.bids.length).toBe(0)
  const coin = ending?.draft.window?.coin
  if (coin === undefined) throw new Error('the window has no coin')
  const opening = world.spot.minuteAverageAt(coin, 1_794_709_200_000)
  const closing = world.spot.minuteAverageAt(coin, 1_794_709_500_000)
  expect(ending?.winner).toBe(closing >= opening ? 0 : 1)
})
