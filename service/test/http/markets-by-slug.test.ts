import { archive, list, madeMarket, madeRow, putInRedis, storeFacts } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SNAPSHOT_FLAGS } from '../../src/domain/rows/snapshot.ts'

let service: TestService
let key: string

const MINUTE_MS = 60_000
/** A Saturday long ago, so that no window of the world is near it. */
const OLD_MS = Date.UTC(2026, 9, 10, 12, 0)
const closedWindow = madeMarket('closed window', {
  subcategory: 'BTC',
  timeframe: '5m',
  slug: `btc-updown-5m-${OLD_MS / 1_000}`,
  startsAtMs: OLD_MS,
  endsAtMs: OLD_MS + 300_000,
})
const splitGame = madeMarket('split game', { slug: 'split-market-of-the-past', endsAtMs: OLD_MS })
/** Slugs that a similarity search alone would confuse. */
const rain = madeMarket('rain', { slug: 'made-will-it-rain', endsAtMs: OLD_MS })
const rainAgain = madeMarket('rain again', { slug: 'made-will-it-rain-again' })
const rainLater = madeMarket('rain later', { slug: 'made-will-it-rain-later' })

/** Windows of a coin that is not in the simulated world. */
const window = (name: string, venue: string, agoMinutes: number, slug: string) => {
  const startsAtMs = WORLD_NOW_MS - (agoMinutes + 1) * MINUTE_MS
  const times = { startsAtMs, endsAtMs: startsAtMs + 15 * MINUTE_MS }
  return madeMarket(name, { venue, slug, subcategory: 'DOGE', timeframe: '15m', ...times })
}
const ours = window('ours', 'polymarket', 0, 'dogecoin-up-or-down-october-14-2026')
/** It ends before ours, so that a lookup without a venue would find it first. */
const theirs = window('theirs', 'kalshi', 1, 'kx-1')
const ended = window('ended', 'kalshi', 60, 'kx-0')
/** Only ClickHouse knows it. */
const forgotten = window('forgotten', 'kalshi', 120, 'kx-forgotten')
const PROVED = SNAPSHOT_FLAGS.verifiedUp | SNAPSHOT_FLAGS.verifiedDown

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  key = await service.keyOf('enterprise')
  const resolvedAtMs = OLD_MS + 400_000
  await list(
    service,
    [closedWindow, splitGame, rain, rainAgain, rainLater, ours, theirs, ended],
    [
      { marketId: closedWindow.id, winner: 0, resolvedAtMs },
      { marketId: splitGame.id, resolvedAtMs },
      { marketId: rain.id, winner: 0, resolvedAtMs },
      { marketId: ended.id, winner: 1, resolvedAtMs: WORLD_NOW_MS },
    ],
  )
  await storeFacts(service, [ours, theirs, ended, forgotten])
  await archive(service, [
    madeRow(closedWindow, { atMs: closedWindow.endsAtMs - 1_000, spotUsd: 65_432.5 }),
    madeRow(closedWindow, { atMs: closedWindow.endsAtMs + 1_000, spotUsd: 70_000 }),
    madeRow(ours, { atMs: WORLD_NOW_MS - 5_000, flags: PROVED }),
    madeRow(theirs, { atMs: WORLD_NOW_MS - 5_000, flags: PROVED }),
    madeRow(theirs, { atMs: WORLD_NOW_MS - 4_750 }),
    madeRow(ended, { atMs: ended.endsAtMs - MINUTE_MS }),
    madeRow(forgotten, { atMs: forgotten.endsAtMs - MINUTE_MS }),
  ])
  const newest = [ours, theirs].map((market) => madeRow(market, { atMs: WORLD_NOW_MS, flags: PROVED }))
  await putInRedis(service, newest)
})

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = async (path: string) => (await service.ask(path, { key })).body
const bySlug = (slug: string) => ask(`/v1/markets/by-slug/${slug}`)

/** SQL that would find something, fail, or take long, if it were executed. */
const INJECTIONS = ['', 'made-will-it-rain'].flatMap((start) => [
  `${start}' OR '1'='1`,
  `${start}' OR 1=1 --`,
  `${start}'; DROP TABLE markets; --`,
  `${start}' UNION SELECT * FROM markets --`,
  `${start}') FORMAT Null --`,
  `${start}\\' OR 1=1 --`,
  `${start}' AND sleep(3) = 0 --`,
  `${start}' OR pg_sleep(5) IS NULL --`,
  `${start}{slug:String}`,
  `${start}$1`,
  `${start}%' OR slug LIKE '%`,
  `${start}"; SELECT 1; --`,
  `${start}\u2019 OR 1=1`,
  `${start}/**/OR/**/1=1`,
])

test('SQL in a slug or a token id is only text: nothing is found, executed or refused as an error', async () => {
  const now = WORLD_NOW_MS
  const { markets, recordedMarkets } = service.stores
  for (const text of INJECTIONS) {
    const found = await Promise.all([
      recordedMarkets.bySlug(text),
      recordedMarkets.byToken(text),
      markets.bySlug(text, now),
      markets.byToken(text, now),
    ])
    expect(found, text).toEqual([undefined, undefined, undefined, undefined])
    // A busy machine may refuse a request for a moment.
    const { status } = await service.ask(`/v1/markets/by-slug/${encodeURIComponent(text)}`, { key })
    expect(status === 503 || status < 500, `${status} ${text}`).toBe(true)
  }
  expect((await markets.bySlug(rain.slug, now))?.slug).toBe(rain.slug)
})

test('a closed window is found by any time within it, with its outcome and the coin price at its end', async () => {
  const expected = { market_id: closedWindow.id, crypto: 'BTC', crypto_price: 65_432.5, resolved_outcome: 'UP' }
  expect(await bySlug(closedWindow.slug)).toMatchObject({ ...expected, matched_by: 'exact' })
  const within = `btc-updown-5m-${OLD_MS / 1_000 + 299}`
  const byTime = { ...expected, matched_by: 'window_at_time' }
  expect(await bySlug(within)).toMatchObject({ ...byTime, requested_slug: within })
  expect(await bySlug(`btc-updown-5m-${OLD_MS + 299_999}`)).toMatchObject(byTime)
  expect(await bySlug(splitGame.slug)).toMatchObject({ resolved_outcome: 'SPLIT' })
})

test('the exact slug of a closed market is that market, however similar a live one is', async () => {
  expect(await bySlug(rain.slug)).toMatchObject({ market_id: rain.id, matched_by: 'exact', active: false })
  expect(await bySlug('Made will-it-rain')).toMatchObject({ market_id: rain.id, matched_by: 'exact' })
  expect((await bySlug(`${rain.slug}/orderbook`)).error).toBe('market_closed')
  expect(await bySlug('made-will-it-rain-a')).toMatchObject({ market_id: rainAgain.id, matched_by: 'prefix' })
})

test('a slug that resembles several markets is 404 with suggestions', async () => {
  const { error, details } = await bySlug('made-will-it-snow')
  expect(error).toBe('slug_not_found')
  expect(details.candidates).toContainEqual(expect.objectContaining({ market_id: rainLater.id, slug: rainLater.slug }))
})

test('a series is that of the venue, also at a time in the past', async () => {
  const found = async (slug: string, venue = '') => (await bySlug(`${slug}${venue}`)).market_id
  expect(await found('doge-updown-15m')).toBe(ours.id)
  expect(await found('doge-updown-15m', '?venue=kalshi')).toBe(theirs.id)
  for (const past of [ended, forgotten]) {
    const slug = `doge-updown-15m-${past.endsAtMs - MINUTE_MS}`
    // No window of the first venue has this time, so it is the current one.
    expect(await found(slug)).toBe(ours.id)
    expect(await found(slug, '?venue=kalshi')).toBe(past.id)
  }
})

test('an ended window names the request for the current window of its venue', async () => {
  const { message } = await ask(`/v1/markets/${ended.id}/orderbook`)
  expect(message).toContain('/v1/markets/by-slug/doge-updown-15m/orderbook?venue=kalshi')
})

test('a book that numbered changes prove is not called verified, in lists and books', async () => {
  const { snapshots } = await ask(`/v1/markets/${theirs.id}/snapshots?side=UP`)
  const flags = [['unverified', 'mirrored'], ['mirrored']]
  expect(snapshots.map((each: { flags: string[] }) => each.flags)).toEqual(flags)
  expect(snapshots[0].proof).toBe('sequence')
  expect((await ask(`/v1/markets/${theirs.id}/orderbook`)).up.flags).toEqual(['mirrored'])
  expect((await ask(`/v1/markets/${ours.id}/orderbook`)).up.flags).toEqual(['verified', 'mirrored'])
  expect(await ask(`/v1/markets/${theirs.id}/summary`)).toMatchObject({ verified_slots: 0, unverified_slots: 1 })
  expect(await ask(`/v1/markets/${ours.id}/summary`)).toMatchObject({ verified_slots: 1, unverified_slots: 0 })
})
