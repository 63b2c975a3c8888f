import { archive, frozenMarket, list, madeRow, putInRedis, storeFacts } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StoredMarket } from '../../src/stores/markets/postgres-market-rows.ts'

let service: TestService
let key: string

/** A Saturday long ago, so that no window of the world is near it. */
const OLD_MS = Date.UTC(2026, 9, 10, 12, 0)
const closedWindow = frozenMarket('closed window', {
  subcategory: 'BTC',
  timeframe: '5m',
  slug: `btc-updown-5m-${OLD_MS / 1_000}`,
  startsAtMs: OLD_MS,
  endsAtMs: OLD_MS + 300_000,
})
const closedGame = frozenMarket('closed game', {
  category: 'sports',
  subcategory: 'NBA',
  timeframe: 'game',
  planId: 'sports',
  slug: 'nba-aaa-bbb-2026-10-10',
  outcomeNames: ['Aardvarks', 'Badgers'],
  groupId: '0xabc',
  startsAtMs: OLD_MS,
  endsAtMs: OLD_MS + 7_200_000,
})
const splitGame = frozenMarket('split game', { slug: 'split-market-of-the-past', endsAtMs: OLD_MS })
/** Slugs that a similarity search alone would confuse. */
const rain = frozenMarket('rain', { slug: 'made-will-it-rain', endsAtMs: OLD_MS })
const rainAgain = frozenMarket('rain again', { slug: 'made-will-it-rain-again' })
const forgotten = frozenMarket('forgotten', {
  timeframe: '15m',
  slug: `bnb-updown-15m-${OLD_MS / 1_000}`,
  startsAtMs: OLD_MS,
  endsAtMs: OLD_MS + 900_000,
})

/** Neither the catalogue nor the facts have it. */
const rowsOnly = frozenMarket('rows only', { captureIntervalMs: 500 })

/** Windows that don't end while the test runs, of a coin that is not in the simulated world. */
const HOUR_MS = 3_600_000
const openWindows = [
  ['1h', 'dogecoin-up-or-down-november-15-2026-9am-et'],
  ['4h', `doge-updown-4h-${Math.floor(WORLD_NOW_MS / 1_000) - 3_600}`],
  ['1d', 'dogecoin-up-or-down-on-november-15-2026'],
].map(([timeframe = '', slug = '']) =>
  frozenMarket(`open ${timeframe}`, {
    subcategory: 'DOGE',
    timeframe,
    slug,
    startsAtMs: WORLD_NOW_MS - HOUR_MS,
    endsAtMs: WORLD_NOW_MS + HOUR_MS,
  }),
)

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  key = await service.keyOf('enterprise')
  const resolvedAtMs = OLD_MS + 400_000
  await list(
    service,
    [closedWindow, closedGame, splitGame, rain, rainAgain, ...openWindows],
    [
      { marketId: closedWindow.id, winner: 0, resolvedAtMs },
      { marketId: closedGame.id, winner: 1, resolvedAtMs: OLD_MS + 8_000_000 },
      { marketId: splitGame.id, resolvedAtMs },
      { marketId: rain.id, winner: 0, resolvedAtMs },
    ],
  )
  await archive(service, [
    madeRow(closedWindow, { atMs: closedWindow.endsAtMs - 1_000, spotUsd: 65_432.5 }),
    madeRow(closedWindow, { atMs: closedWindow.endsAtMs + 1_000, spotUsd: 70_000 }),
    madeRow(forgotten, { atMs: OLD_MS }),
    madeRow(forgotten, { atMs: OLD_MS + 600_000 }),
    madeRow(rowsOnly, { atMs: OLD_MS }),
    madeRow(rowsOnly, { atMs: OLD_MS + 500 }),
  ])
  await storeFacts(service, [forgotten])
})

afterAll(() => service?.[Symbol.asyncDispose]())

const bySlug = (slug: string, as = key) => service.ask(`/v1/markets/by-slug/${slug}`, { key: as })
const bookBySlug = (slug: string, as = key) => service.ask(`/v1/markets/by-slug/${slug}/orderbook`, { key: as })

function lasting(category: StoredMarket['category']): StoredMarket {
  const found = service.stores.catalogue
    .list({ category, statuses: ['live'] }, WORLD_NOW_MS)
    .findLast(({ slug }) => !slug.startsWith('made-') && !openWindows.some((window) => window.slug === slug))
  if (found === undefined) throw new Error(`no live market of ${category}`)
  return found
}

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
    const { status } = await bySlug(encodeURIComponent(text))
    expect(status === 503 || status < 500, `${status} ${text}`).toBe(true)
  }
  expect((await markets.bySlug(rain.slug, now))?.slug).toBe(rain.slug)
})

describe('GET /v1/markets/by-slug/{slug}', () => {
  test('an exact slug gives the market with every member of the interface', async () => {
    const market = lasting('crypto')
    const { status, body } = await bySlug(market.slug)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      market_id: market.id,
      category: 'crypto',
      subcategory: market.subcategory,
      label: market.label,
      question: market.question,
      crypto: market.subcategory,
      timeframe: market.timeframe,
      slug: market.slug,
      token_ids: market.tokenIds,
      outcomes: market.timeframe === 'hit-price' ? ['Yes', 'No'] : ['Up', 'Down'],
      token_id_up: market.tokenIds[0],
      token_id_down: market.tokenIds[1],
      end_date: new Date(market.endsAtMs).toISOString(),
      active: true,
      expired: false,
      matched_by: 'exact',
    })
    expect(body.crypto_price).toBeGreaterThan(0)
    expect(body.expires_in).toBe(market.endsAtMs - WORLD_NOW_MS)
    expect(body).not.toHaveProperty('requested_slug')
    expect(body).not.toHaveProperty('resolved_at')
  })

  test.each(['1h', '4h', '1d'])(
    '<coin>-updown-%s is the current window whatever its slug at the venue',
    async (timeframe) => {
      const window = openWindows.find((each) => each.timeframe === timeframe)
      const asked = `doge-updown-${timeframe}`
      for (const slug of [asked, `${asked}-${Math.floor(WORLD_NOW_MS / 1_000)}`, `${asked}-whatever`]) {
        const { body } = await bySlug(slug)
        expect(body).toMatchObject({
          market_id: window?.id,
          matched_by: /-\d+$/.test(slug) ? expect.stringMatching(/^(exact|window_at_time)$/) : 'current_window',
          requested_slug: slug,
          outcomes: ['Up', 'Down'],
        })
      }
    },
  )

  test('a condition id of a live market has live flags', async () => {
    const market = lasting('crypto')
    const { body } = await bySlug(`0x${market.id.slice(2).toUpperCase()}`)
    expect(body).toMatchObject({ market_id: market.id, active: true, expired: false, matched_by: 'condition_id' })
    expect(body.expires_in).toBeGreaterThan(0)
  })

  test('a live market that is not crypto has an empty coin and price 0', async () => {
    const { body } = await bySlug(lasting('economics').slug)
    expect(body).toMatchObject({ crypto: '', crypto_price: 0, outcomes: ['Yes', 'No'] })
  })

  test('a closed market has its full identity and its outcome, and neither coin nor price', async () => {
    for (const slug of [closedGame.slug, closedGame.id]) {
      const { body } = await bySlug(slug)
      expect(body).toMatchObject({
        market_id: closedGame.id,
        label: closedGame.label,
        question: closedGame.question,
        event_title: closedGame.eventTitle,
        neg_risk_id: '0xabc',
        end_date: new Date(closedGame.endsAtMs).toISOString(),
        active: false,
        expired: true,
        expires_in: 0,
        outcome_names: ['Aardvarks', 'Badgers'],
        resolved_outcome: 'DOWN',
        resolved_at: new Date(OLD_MS + 8_000_000).toISOString(),
      })
      expect(body).not.toHaveProperty('crypto')
      expect(body).not.toHaveProperty('crypto_price')
    }
    expect((await bySlug(splitGame.slug)).body).toMatchObject({ resolved_outcome: 'SPLIT' })
  })

  test('a closed window is found by any time within it, with the coin price at its end', async () => {
    const expected = { market_id: closedWindow.id, crypto: 'BTC', crypto_price: 65_432.5, resolved_outcome: 'UP' }
    expect((await bySlug(closedWindow.slug)).body).toMatchObject({ ...expected, matched_by: 'exact' })
    const within = `btc-updown-5m-${OLD_MS / 1_000 + 299}`
    const byTime = { ...expected, matched_by: 'window_at_time' }
    expect((await bySlug(within)).body).toMatchObject({ ...byTime, requested_slug: within })
    expect((await bySlug(`btc-updown-5m-${OLD_MS + 299_999}`)).body).toMatchObject(byTime)
  })

  test('a time that no recorded window contains is the current window of the series', async () => {
    const [, window] = openWindows
    for (const time of ['0', '1', '1000000000', '1000000000000', '4000000000', '9'.repeat(30), `${OLD_MS / 1_000}`]) {
      const slug = `doge-updown-4h-${time}`
      const expected = { market_id: window?.id, matched_by: 'current_window', requested_slug: slug, active: true }
      expect((await bySlug(slug)).body).toMatchObject(expected)
    }
    const behind = await bySlug(`btc-updown-5m-${OLD_MS / 1_000 + 300}`)
    expect(behind.body).toMatchObject({ crypto: 'BTC', timeframe: '5m', matched_by: 'current_window', active: true })
  })

  test('a market missing from the catalogue is described from its rows', async () => {
    for (const slug of [forgotten.id, forgotten.slug]) {
      const { status, body } = await bySlug(slug)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        market_id: forgotten.id,
        token_ids: forgotten.tokenIds,
        category: 'crypto',
        crypto: 'BNB',
        timeframe: '15m',
        outcomes: ['Up', 'Down'],
        active: false,
        expired: true,
        end_date: new Date(forgotten.endsAtMs).toISOString(),
        described_by: 'recorded_facts',
        first_seen: new Date(OLD_MS).toISOString(),
        last_seen: new Date(OLD_MS + 600_000).toISOString(),
        capture_interval_ms: 250,
        snapshot_count: 4,
      })
      expect(body).not.toHaveProperty('crypto_price')
    }
    const atTime = await bySlug(`bnb-updown-15m-${OLD_MS / 1_000 + 899}`)
    expect(atTime.body).toMatchObject({ market_id: forgotten.id, matched_by: 'window_at_time' })
  })

  test('a market that only rows know is described by the statistics of its rows', async () => {
    const { status, body } = await bySlug(rowsOnly.id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      market_id: rowsOnly.id,
      category: '',
      slug: '',
      token_ids: ['', ''],
      active: false,
      expired: true,
      status: 'expired',
      end_date: new Date(OLD_MS + 500).toISOString(),
      described_by: 'capture_statistics',
      first_seen: new Date(OLD_MS).toISOString(),
      last_seen: new Date(OLD_MS + 500).toISOString(),
      capture_interval_ms: 500,
      snapshot_count: 4,
      matched_by: 'condition_id',
    })
    expect(body).not.toHaveProperty('crypto')
    const free = await bySlug(rowsOnly.id, await service.keyOf('free'))
    expect(free.body).toMatchObject({ error: 'tier_not_allowed', status: 403 })
  })

  test('the beginning of a slug is enough when it is unambiguous', async () => {
    const market = lasting('economics')
    const { body } = await bySlug(market.slug.slice(0, -1))
    expect(body).toMatchObject({ market_id: market.id, matched_by: expect.stringMatching(/prefix|trigram/) })
  })

  test('the exact slug of a closed market is that market, however similar a live one is', async () => {
    expect((await bySlug(rain.slug)).body).toMatchObject({ market_id: rain.id, matched_by: 'exact', active: false })
    expect((await bySlug('Made will-it-rain')).body).toMatchObject({ market_id: rain.id, matched_by: 'exact' })
    expect((await bookBySlug(rain.slug)).body).toMatchObject({ error: 'market_closed' })
    expect((await bySlug('made-will-it-rain-a')).body).toMatchObject({ market_id: rainAgain.id, matched_by: 'prefix' })
  })

  test('an unknown or ambiguous slug is 404 with suggestions', async () => {
    const { status, body } = await bySlug('dogecoin-up-or-down')
    expect(status).toBe(404)
    expect(body.error).toBe('slug_not_found')
    const [window] = openWindows
    expect(body.details.candidates).toContainEqual(
      expect.objectContaining({ market_id: window?.id, slug: window?.slug }),
    )
    expect((await bySlug('hype-updown-4h')).status).toBe(404)
    for (const none of ['qqqq', `0x${'0'.repeat(64)}`, '%20']) expect((await bySlug(none)).status).toBe(404)
  })

  test('as a flat file it is one row', async () => {
    const { text } = await service.ask(`/v1/markets/by-slug/${closedGame.slug}?format=tsv`, { key })
    const [header, row] = text.split('\n')
    expect(header?.split('\t').slice(0, 7)).toEqual(
      'market_id category subcategory label question crypto crypto_price'.split(' '),
    )
    expect(row?.split('\t')[5]).toBe('\\N')
  })
})

describe('GET /v1/markets/by-slug/{slug}/orderbook', () => {
  test('returns the books of the current window, the same as by its id', async () => {
    const [market] = openWindows
    if (market === undefined) throw new Error('no window')
    await putInRedis(service, [madeRow(market, { atMs: WORLD_NOW_MS })])
    const asked = 'doge-updown-1h'
    const { status, body } = await bookBySlug(asked)
    expect(status).toBe(200)
    const { body: byId } = await service.ask(`/v1/markets/${market.id}/orderbook`, { key })
    expect(body).toMatchObject({
      market_id: market.id,
      marketId: market.id,
      matched_by: 'current_window',
      requested_slug: asked,
    })
    expect(Object.keys(byId)).not.toContain('matched_by')
    expect(new Set(Object.keys(body))).toEqual(new Set([...Object.keys(byId), 'matched_by', 'requested_slug']))
    expect(Object.keys(body.up)).toEqual(Object.keys(byId.up))
    expect(body.up.bestBid + body.down.bestAsk).toBeCloseTo(1, 9)
  })

  test('of a closed market it is 404 and never another window', async () => {
    for (const [slug, matchedBy] of [
      [closedWindow.slug, 'exact'],
      [`btc-updown-5m-${OLD_MS / 1_000 + 10}`, 'window_at_time'],
      [closedWindow.id, 'condition_id'],
    ] as const) {
      const { body } = await bookBySlug(slug)
      expect(body).toMatchObject({ error: 'market_closed', status: 404 })
      expect(body.details).toMatchObject({ market_id: closedWindow.id, status: 'expired', matched_by: matchedBy })
      expect(body.message).toContain(`The slug matches ${closedWindow.slug} (${matchedBy}).`)
      expect(body.message).toContain('/v1/markets/by-slug/btc-updown-5m/orderbook for the current window')
    }
    for (const slug of [forgotten.slug, forgotten.id, rowsOnly.id]) {
      expect((await bookBySlug(slug)).body).toMatchObject({ error: 'market_closed', status: 404 })
    }
    expect((await bookBySlug('qqqq')).body).toMatchObject({ error: 'slug_not_found' })
  })
})
