// Nightly: a world is recorded in real time.
import type { HeatMap } from '@bookreel/sdk'
import { NO_TRANSACTION } from '@bookreel/service/domain/rows/trade'
import { HOUR_MS, INTERVAL_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { storeFacts } from '@bookreel/testbed/service/stored-markets'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { levelsOf } from '../src/views/heat-map/detail-levels.ts'
import { ConsoleScene, PATIENTLY, SOON } from './console-scene.ts'
import { columnsOf, ofMap, tryAgain, untilMoving } from './live-map.ts'

const SERIES = '/app/m/BTC/5m'
const WINDOW_MS = 300_000
const WINDOW_SLOTS = WINDOW_MS / INTERVAL_MS
/** It began three to four hours ago. */
const FORMER_HOUR_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS
/** The last windows of that hour. */
const FORMER = [10, 11]
/** Ten seconds of the first of them, without rows. */
const GAP = { from: 400, to: 439 }

let scene: ConsoleScene
let page: Page
let former: readonly PastMarket[]

beforeAll(async () => {
  scene = await ConsoleScene.openRecording()
  former = await Promise.all(FORMER.map(storeWindow))
  await storeFacts(
    scene.account.service,
    former.map(({ market }) => market),
  )
  page = await scene.newPage()
  await scene.signIn(page, 'looks-back')
  await scene.setTier(page, 'pro')
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

/** A window of the series that is live, long before the one that is open. */
async function storeWindow(place: number): Promise<PastMarket> {
  const startsAtMs = startOf(place)
  const series = { category: 'crypto', subcategory: 'BTC', timeframe: '5m' } as const
  const times = { startsAtMs, endsAtMs: startsAtMs + WINDOW_MS }
  const past = await PastMarket.save(scene.account.service, `former-${place}`, { ...series, ...times }, FORMER_HOUR_MS)
  const first = place * WINDOW_SLOTS
  await past.putRows([
    ...past.rows(first, first + GAP.from - 1),
    ...past.rows(first + GAP.to + 1, first + WINDOW_SLOTS - 1),
  ])
  await past.putGaps([past.gap(first + GAP.from, first + GAP.to)])
  const tradedAtMs = startsAtMs + 60_000
  const trade = { outcome: 0, side: 'BUY', price: 5_000, size: 10_000_000, occurrence: 0 } as const
  const traded = { tradedAtMs, receivedAtMs: tradedAtMs }
  await past.putTrades([{ marketId: past.market.id, ...trade, ...traded, transactionHash: NO_TRANSACTION }])
  return past
}

function startOf(place: number): number {
  return FORMER_HOUR_MS + place * WINDOW_MS
}

/** Requests of the page for a former window, by the last part of their path. */
function requestsFor({ market }: PastMarket): () => string[] {
  const seen: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (`${pathname}${search}`.includes(market.id)) seen.push(pathname.split('/').at(-1) ?? '')
  })
  return () => seen
}

/** What the cross-hair says of a time. */
async function readoutAt(atMs: number): Promise<string> {
  const map = page.getByRole('img', { name: /^Heat map/ })
  const box = await map.boundingBox()
  const x = await ofMap<number>(page, `(${atMs} - view.fromMs) / view.spanMs * painter.plotSize.width`)
  await page.mouse.move((box?.x ?? 0) + x, (box?.y ?? 0) + 100)
  return (await page.locator('figcaption p:not([aria-live])').last().textContent()) ?? ''
}

test('the levels of a live page are those of the tiles of its market', PATIENTLY, async () => {
  for (const [search, step] of [
    ['', '0.01'],
    ['?step=0.1', '0.001'],
  ] as const) {
    await page.goto(`${scene.origin}${SERIES}${search}`)
    await untilMoving(page)
    const tile = await page.evaluate(
      `fetch('/app/api/v1/markets/by-slug/btc-updown-5m', { headers: { 'x-requested-with': 'bookreel' } })
        .then((answer) => answer.json()).then(({ market_id: id }) => fetch('/app/api/v1/markets/' + id
          + '/heatmap?price_step=${step}&from=' + Date.now(), { headers: { 'x-requested-with': 'bookreel' } }))
        .then((answer) => answer.json())`,
    )
    expect(await ofMap(page, 'data.levels')).toEqual(levelsOfTile(tile as HeatMap))
  }
})

/** Without `column_ms` a tile has columns of 16 slots. */
function levelsOfTile({ column_ms: columnMs, price_from: priceFrom, price_step: priceStep, rows, scale }: HeatMap) {
  const form = { rows, priceFrom, priceStep, emptyBid: 0, emptyAsk: 1 }
  return levelsOf({
    ...form,
    intervalMs: columnMs / 16,
    scale: { unit: scale.unit, stepsPerOctave: scale.steps_per_octave },
  })
}

test(
  'four hours show the former windows with their gaps and trades; what is not loaded is named',
  PATIENTLY,
  async () => {
    const [first, second] = former
    if (first === undefined || second === undefined) throw new Error('Two windows are stored.')
    const requests = requestsFor(first)
    const tilesOfSecond = `**/${second.market.id}/heatmap*`
    await page.route(tilesOfSecond, (route) => route.abort())
    await page.goto(`${scene.origin}${SERIES}`)
    await untilMoving(page)
    expect(requests()).toEqual([])

    await page.getByRole('button', { name: '4 h' }).click()
    const startMs = startOf(FORMER[0] ?? 0)
    const storedIn = async () => {
      const level = await ofMap<number>(page, 'painter.level')
      const columns = await columnsOf(page, level, startMs, startMs + WINDOW_MS)
      return columns.reduce((sum, { stored }) => sum + stored, 0)
    }
    await expect.poll(storedIn, SOON).toBeGreaterThanOrEqual(WINDOW_SLOTS - 200)
    const gapMs = startMs + GAP.from * INTERVAL_MS
    const causes = () => ofMap(page, `data.gapsBetween(${gapMs}, ${gapMs + 1}).map(({ cause }) => cause)`)
    await expect.poll(causes, SOON).toEqual(['disconnected'])
    const trades = () => ofMap(page, `data.trades.filter(({ atMs }) => atMs === ${startMs + 60_000}).length`)
    await expect.poll(trades, SOON).toBe(1)
    await expect.poll(() => ofMap(page, 'data.tradesFromMs === -Infinity'), SOON).toBe(true)
    expect(requests().toSorted()).toEqual(expect.arrayContaining(['gaps', 'heatmap', 'trades']))

    await expect.poll(() => readoutAt(startMs + 30_000), SOON).toMatch(/ · (no size|bid|ask)/)
    await expect.poll(() => readoutAt(startMs + WINDOW_MS + 30_000), SOON).toMatch(/ · not loaded$/)
    await expect.poll(() => readoutAt(FORMER_HOUR_MS + HOUR_MS + 10 * 60_000), SOON).toMatch(/ · nothing recorded$/)
    const sentence = () => page.getByRole('img', { name: /^Heat map/ }).getAttribute('aria-label')
    await expect.poll(sentence, SOON).toMatch(/(one gap|\d+ gaps) in what is loaded of this time\.$/)

    await page.unroute(tilesOfSecond)
    await tryAgain(page)
    await expect.poll(sentence, SOON).toMatch(/(one gap|\d+ gaps) in this time\.$/)
  },
)
