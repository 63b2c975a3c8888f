import type { Simulator } from '@bookreel/simulator/simulator'
import { usualSize } from '@bookreel/simulator/world/roster'
import { expect, test } from 'vitest'
import { CATEGORIES, type Category, COINS, type Market } from '../../src/domain/market.ts'
import { CATEGORY_PLANS, type CategoryPlan } from '../../src/domain/plan.ts'
import { classify } from '../../src/venues/polymarket/classify.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import { openSimulator, switchOn } from './open-simulator.ts'

const { signal } = new AbortController()

function planOf(category: Category): CategoryPlan {
  const plan = CATEGORY_PLANS.find((each) => each.category === category)
  if (plan === undefined) throw new Error(`no plan for ${category}`)
  return plan
}

function open({ addresses }: Simulator) {
  const problems: string[] = []
  const { gamma: gammaUrl, clob: clobUrl, marketSocket: socketUrl } = addresses
  return { venue: polymarket({ gammaUrl, clobUrl, socketUrl }, (reason) => problems.push(reason)), problems }
}

/** The simulated markets of a category, without windows that are not due yet. */
function truthOf({ world }: Simulator, category: Category): string[] {
  const slugs: string[] = []
  for (const { draft, event, phase } of world.markets.values()) {
    const facts = {
      slug: event.slug,
      title: event.title,
      seriesSlugs: event.series === undefined ? [] : [event.series.slug],
      tagSlugs: event.tags.map(({ slug }) => slug),
    }
    const isEarly =
      draft.window !== undefined &&
      event.startMs !== undefined &&
      world.nowMs < event.startMs - Math.max(300_000, event.endMs - event.startMs)
    const isFar = category === 'sports' && event.endMs > world.nowMs + 14 * 86_400_000
    if (classify(facts, draft.slug)?.category === category && phase !== 'resolved' && !isEarly && !isFar)
      slugs.push(draft.slug)
  }
  return slugs.sort()
}

/** Enough for three windows of every coin and length. */
const EVERY_SERIES = { hot: 70, medium: 40, cold: 140 }

const slugsOf = (markets: readonly Market[]): string[] => markets.map(({ slug }) => slug).sort()

test('F33: every plan lists exactly its markets, and none that ended long ago', async () => {
  const simulator = await openSimulator({ size: usualSize(700) })
  const { venue, problems } = open(simulator)
  for (const category of CATEGORIES) {
    const { markets: found, isPartial } = await venue.discover(planOf(category), simulator.world.nowMs, signal)
    expect(isPartial, category).toBe(false)
    expect(slugsOf(found), category).toEqual(truthOf(simulator, category))
    expect(found.length, category).toBeGreaterThan(0)
    expect(found.filter(({ label }) => label === '')).toEqual([])
  }
  expect(problems).toEqual([])
})

test('a market has every input of its book hash, in v1 and v2', async () => {
  const simulator = await openSimulator({ size: usualSize(700) })
  const { venue } = open(simulator)
  const found: Market[] = []
  for (const category of CATEGORIES)
    found.push(...(await venue.discover(planOf(category), simulator.world.nowMs, signal)).markets)
  expect(new Set(found.map(({ facts }) => facts.version))).toEqual(new Set(['v1', 'v2']))
  for (const market of found) {
    const real = simulator.world.markets.get(market.id)
    expect(market).toMatchObject({
      tokenIds: real?.tokenIds,
      outcomeNames: real?.draft.outcomes,
      facts: { negRisk: real?.event.negRisk, version: real?.version, minOrderSize: '5' },
      endsAtMs: real?.event.endMs,
    })
    expect(market.startsAtMs).toBe(real?.event.startMs)
  }
})

test('a window that ended is listed until it is resolved', async () => {
  const simulator = await openSimulator({ speed: 60, startMs: Date.parse('2026-11-15T02:24:00Z') })
  const { world } = simulator
  const window = [...world.markets.values()].find(({ draft }) => draft.slug.startsWith('btc-updown-5m-'))
  if (window === undefined) throw new Error('no window')
  let wasSeenAfterEnd = false
  while (window.phase !== 'resolved') {
    // A new venue has no memory, as after a restart.
    const { markets } = await open(simulator).venue.discover(planOf('crypto'), world.nowMs, signal)
    if (world.nowMs > window.event.endMs && markets.some(({ id }) => id === window.conditionId)) wasSeenAfterEnd = true
  }
  expect(wasSeenAfterEnd).toBe(true)
})

test('F31, F35, F40, F43, V4: errors and 429 lose no market; a list that can’t be read to its end is partial', async () => {
  const simulator = await openSimulator({ size: usualSize(1_500) })
  const { venue, problems } = open(simulator)
  const plan = planOf('equities')
  const truth = truthOf(simulator, 'equities')
  const list = () => venue.discover(plan, simulator.world.nowMs, signal)
  await switchOn(simulator, { name: 'rest-429', times: 1, options: { retryAfterS: 1 } })
  await switchOn(simulator, { name: 'rest-error', times: 2 })
  await switchOn(simulator, { name: 'lists-as-arrays', rate: 0.5 })
  const whole = await list()
  expect([slugsOf(whole.markets), whole.isPartial]).toEqual([truth, false])
  await switchOn(simulator, { name: 'repeat-page' })
  const repeated = await list()
  expect(repeated.isPartial).toBe(true)
  expect(truth).toEqual(expect.arrayContaining(slugsOf(repeated.markets)))
  expect(problems).toContain('the list of events repeats its pages')
})

test('every window of every coin is found by its slug, although its series says the wrong recurrence', async () => {
  const simulator = await openSimulator({ size: EVERY_SERIES })
  for (const event of simulator.world.events)
    if (event.series !== undefined) event.series = { ...event.series, recurrence: 'daily' }
  const { venue } = open(simulator)
  const { markets, differences } = await venue.discover(planOf('crypto'), simulator.world.nowMs, signal)
  const windows = markets.filter(({ timeframe }) => timeframe !== 'hit-price')
  const series = new Set(windows.map(({ subcategory, timeframe }) => `${subcategory} ${timeframe}`))
  const all = COINS.flatMap((coin) => ['5m', '15m', '4h', '1h', '1d'].map((length) => `${coin} ${length}`))
  expect(series).toEqual(new Set(all.filter((each) => each !== 'ZEC 1h' && each !== 'ZEC 1d')))
  expect(differences).toEqual([])
})

test('what the list of windows shows and the slugs do not, and the reverse, is counted and followed', async () => {
  const simulator = await openSimulator({ size: EVERY_SERIES })
  const { world } = simulator
  const windowOf = (start: string) => {
    const found = world.events.find(
      ({ slug, startMs = 0, endMs }) => slug.startsWith(start) && startMs <= world.nowMs && world.nowMs < endMs,
    )
    if (found === undefined) throw new Error(`no ${start}`)
    return found
  }
  const renamed = windowOf('eth-updown-15m-')
  const untagged = windowOf('sol-updown-5m-')
  renamed.slug = `${renamed.slug}-moved`
  untagged.tags = untagged.tags.filter(({ slug }) => slug !== 'up-or-down')
  const { markets, differences, isPartial } = await open(simulator).venue.discover(
    planOf('crypto'),
    world.nowMs,
    signal,
  )
  const slugs = slugsOf(markets)
  for (const {
    markets: [market],
  } of [renamed, untagged])
    expect(slugs).toContain(market?.draft.slug)
  expect(isPartial).toBe(false)
  expect(Object.fromEntries(differences.map(({ reason, examples }) => [reason, examples]))).toEqual({
    window_not_found: [renamed.slug.replace('-moved', '')],
    only_listed: [renamed.slug],
    only_computed: [untagged.slug],
  })
})

test('F36, F37: books are matched by id, over several calls; unknown tokens are left out', async () => {
  const simulator = await openSimulator({ size: usualSize(300) })
  const { venue } = open(simulator)
  const tokens = [...simulator.world.markets.values()].flatMap(({ tokenIds }) => tokenIds)
  const traded = [...simulator.world.markets.values()].filter(({ phase }) => phase === 'trading')
  const books = await venue.fetchBooks(['1', ...tokens, '2'], signal)
  expect(tokens.length).toBeGreaterThan(500)
  expect(new Set(books.map(({ tokenId }) => tokenId))).toEqual(new Set(traded.flatMap(({ tokenIds }) => tokenIds)))
  const [market] = (await venue.discover(planOf('crypto'), simulator.world.nowMs, signal)).markets
  if (market === undefined) throw new Error('no market')
  const book = venue.openBook(market)
  for (const event of await venue.fetchBooks(market.tokenIds, signal)) book.take(event, 1)
  expect(book.doubt).toBeUndefined()
})

test('F42: two windows with the same title, when summer time ends, are two markets with different id and start', async () => {
  const simulator = await openSimulator({ size: usualSize(300), startMs: Date.parse('2026-11-01T05:10:00Z') })
  const { venue } = open(simulator)
  const { markets: found } = await venue.discover(planOf('crypto'), simulator.world.nowMs, signal)
  const twins = found.filter(({ eventTitle }) => eventTitle === 'Bitcoin Up or Down - November 1, 1AM ET')
  expect(twins.map(({ startsAtMs }) => new Date(startsAtMs ?? 0).toISOString()).sort()).toEqual([
    '2026-11-01T05:00:00.000Z',
    '2026-11-01T06:00:00.000Z',
  ])
  expect(new Set(twins.map(({ id }) => id)).size).toBe(2)
  expect(new Set(twins.map(({ timeframe, subcategory }) => `${subcategory} ${timeframe}`))).toEqual(new Set(['BTC 1h']))
  const long = found.find(({ timeframe, subcategory }) => timeframe === '4h' && subcategory === 'BTC')
  expect([long?.slug, long?.startsAtMs, long?.endsAtMs]).toEqual([
    `btc-updown-4h-${Date.parse('2026-11-01T04:00:00Z') / 1_000}`,
    Date.parse('2026-11-01T04:00:00Z'),
    Date.parse('2026-11-01T09:00:00Z'),
  ])
})

test('a venue that stays down is an error, not an empty list', async () => {
  const simulator = await openSimulator()
  const { venue } = open(simulator)
  await switchOn(simulator, { name: 'rest-error', options: { status: 403 } })
  await expect(venue.discover(planOf('weather'), simulator.world.nowMs, signal)).rejects.toThrow('403')
})
