// Nightly: a world is recorded in real time, and a window of five minutes ends.
import { issueKey } from '@bookreel/service/access/issue-key'
import type { BrowserContext, Page, WebSocket } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { problemsOf } from './axe-problems.ts'
import { ConsoleScene, complaintsOf, keysOf, SOON } from './console-scene.ts'
import { framesOfLadder } from './ladder-frames.ts'
import { columnsOf, expectLastBookInGap, noteFirstBook, ofMap, tryAgain, untilMoving } from './live-map.ts'
import { slotsIn, untilGapsAgree } from './missing-slots.ts'
import { startBot } from './start-bot.ts'

const LONG = { timeout: 480_000 }
const SERIES = '/app/m/BTC/5m'
const GAP_MS = 20_000
const WINDOW_MS = 300_000
/** A test that compares columns must not lose its window on the way. */
const TEST_TAKES_MS = 100_000
/** The budgets are 3 s and 1 s for a machine with nothing else to do; other tests run beside these. */
const PROVED_WITHIN_MS = 12_000
const STREAM_ENDS_WITHIN_MS = 10_000
const MOST_FREE_REQUESTS = 60
const MINUTE_MS = 60_000
/** Whole columns on every level of detail, a little more than a minute. */
const LIVE_MS = 64_000
const LONGEST_COLUMN_MS = 16_000
const LADDER_TAKES_MS = 60_000
const FIRST_PAGE_TAKES_MS = 60_000
/** Half a second, less what the time of a frame may be before the moment in which it is drawn. */
const CALM_MS = 460
/** Only the stream fills the map of a page without these. The first tile of the tab History has no length. */
const TILES = /\/heatmap\?.*column_ms=/

let scene: ConsoleScene
/** A signed-in person whose tier has streams. An account has one stream in the console, so each test closes its pages. */
let pro: BrowserContext
/** Another one, whose page stays open from the first test to the last. It cannot load tiles. */
let follower: Page
let followedFromMs = 0
/** A page of a tier without streams that stays open, and its requests. */
let free: Page
const freeRequests: { readonly atMs: number; readonly path: string }[] = []
const freeRefusals: string[] = []
let freeSinceMs = 0
/** A minute of the live page that stays open, with the gap in it. */
const pages: Page[] = []

beforeAll(async () => {
  scene = await ConsoleScene.openRecording()
  follower = await signedInPage('follows', 'pro')
  await follower.route(TILES, (route) => route.abort())
  await follower.goto(`${scene.origin}${SERIES}`)
  pro = (await signedInPage('watches', 'pro')).context()
  await follower.getByText(/^(Proved|Proved once)$/).waitFor()
  followedFromMs = Date.now()
})
// A page that nobody looks at any more would go on drawing.
afterEach(async () => {
  await Promise.all(pages.splice(0).map((page) => page.close()))
})
afterAll(() => scene?.[Symbol.asyncDispose]())

async function signedInPage(name: string, tier: 'free' | 'pro'): Promise<Page> {
  const page = await scene.newPage()
  await scene.signIn(page, name)
  if (tier !== 'free') await scene.setTier(page, tier)
  return page
}

/** A page of the person whose tier has streams. */
async function watcher(path = SERIES): Promise<Page> {
  const page = await pro.newPage()
  pages.push(page)
  await page.goto(`${scene.origin}${path}`)
  return page
}

async function fault(order: object): Promise<() => Promise<unknown>> {
  const address = `${scene.account.simulator.addresses.admin}/faults`
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(order) })
  const { id } = (await answer.json()) as { id: string }
  return () => fetch(`${address}/${id}`, { method: 'DELETE' })
}

/** The window must last until the test is over, and have rows from the first column on. */
async function untilWindowLasts(testTakesMs = TEST_TAKES_MS): Promise<void> {
  const lasts = () => {
    const sinceMs = Date.now() % WINDOW_MS
    return sinceMs > LONGEST_COLUMN_MS && WINDOW_MS - sinceMs > testTakesMs
  }
  await expect.poll(lasts, { timeout: testTakesMs + LONGEST_COLUMN_MS + 10_000 }).toBe(true)
}

/** An answer of the service to the signed-in person of a page. */
function asked<T>(page: Page, path: string): Promise<T> {
  return page.evaluate(
    `fetch('/app/api/v1/${path}', { headers: { 'x-requested-with': 'bookreel' } }).then((answer) => answer.json())`,
  )
}

test('a series soon shows a moving, proved book, with ladder, trades and the price of an order', LONG, async () => {
  await untilWindowLasts(FIRST_PAGE_TAKES_MS)
  const page = await watcher('/app/keys')
  const complaints = complaintsOf(page)
  const seen = await noteFirstBook(page)
  await page.goto(`${scene.origin}${SERIES}`)
  await expect.poll(async () => Object.keys(await seen()).length, SOON).toBe(2)
  const { provedMs, movedMs } = await seen()
  expect(Math.max(provedMs ?? Infinity, movedMs ?? Infinity)).toBeLessThan(PROVED_WITHIN_MS)
  await page.getByRole('region', { name: 'Order book' }).locator('tr[data-side=bid]').first().waitFor()
  await expect
    .poll(() => page.getByRole('list', { name: 'Trades, newest first' }).locator('li').count(), SOON)
    .toBeGreaterThan(0)
  await page.getByLabel('Amount').fill('1000000000')
  await page.getByText(/^[\d.]+M shares$/).waitFor()
  await expect.poll(() => page.locator('tr[data-taken=true]').count(), SOON).toBeGreaterThan(0)
  await page.keyboard.press('Tab')
  await scene.picture(page, 'market-live')
  expect(complaints).toEqual([])
})

test('a tier without streams gets the book every few seconds, and is told so', LONG, async () => {
  free = await signedInPage('free', 'free')
  free.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/app/api/')) freeRequests.push({ atMs: Date.now(), path: pathname })
  })
  free.on('response', (response) => response.status() === 429 && freeRefusals.push(response.url()))
  freeSinceMs = Date.now()
  await free.goto(`${scene.origin}${SERIES}`)
  await free.getByText('the book is requested every 3 seconds').waitFor()
  await untilMoving(free)
  await free.locator('tr[data-side=ask]').first().waitFor()
})

test(
  'slots that the venue did not serve are hatched as the gaps say, and a reload shows the same bytes',
  LONG,
  async () => {
    await untilWindowLasts()
    const page = await watcher()
    await untilMoving(page)
    const startMs = (Math.ceil(Date.now() / 2_000) + 1) * 2_000
    await expect.poll(() => ofMap<number>(page, 'data.nowMs'), SOON).toBeGreaterThan(startMs)
    const admit = await fault({ name: 'refuse-upgrade', target: { feed: 'polymarket' } })
    await fault({ name: 'disconnect', target: { feed: 'polymarket' } })
    await page.getByText('In a gap: disconnected').waitFor()
    await page.getByText(/^Not to be trusted since .* · disconnected$/).waitFor()
    const begunMs = Date.now()
    const late = await signedInPage('comes-late', 'pro')
    await late.goto(`${scene.origin}${SERIES}`)
    await expectLastBookInGap(late)
    await expect.poll(() => Date.now() - begunMs, SOON).toBeGreaterThan(GAP_MS)
    expect(await ofMap(page, 'data.openGap.text')).toBe('missing: disconnected')
    await scene.picture(page, 'market-gap')
    await admit()
    await page.getByText(/^(Proved|Proved once)$/).waitFor()
    const endMs = Math.ceil(Date.now() / 2_000) * 2_000
    await expect.poll(() => ofMap<number>(page, 'data.nowMs'), SOON).toBeGreaterThan(endMs + 2_000)

    const { market_id: market } = await asked<{ market_id: string }>(page, 'markets/by-slug/btc-updown-5m')
    const path = `markets/${market}/gaps?from=${startMs}&to=${endMs}&kind=missing`
    const listed = await untilGapsAgree(page, { fromMs: startMs, toMs: endMs }, () => asked(page, path))
    expect(new Set(listed.map(({ cause }) => cause))).toContain('disconnected')
    const level = await ofMap<number>(page, 'painter.level')
    const columnMs = await ofMap<number>(page, 'painter.columnMs')
    const live = await columnsOf(page, level, startMs, endMs)
    for (const { number, stored, expected } of live)
      expect([number, expected - stored]).toEqual([number, slotsIn(listed, number * columnMs, (number + 1) * columnMs)])
    const hatched = live.filter(({ stored }) => stored === 0)
    expect(hatched.length * columnMs).toBeGreaterThan(GAP_MS - 2 * columnMs)
    // Nothing is bridged.
    expect(hatched.filter(({ bids, asks }) => /[1-9]/.test(bids + asks))).toEqual([])

    await page.reload()
    await untilMoving(page)
    await expect.poll(() => columnsOf(page, level, startMs, endMs), SOON).toEqual(live)
  },
)

test('a second tab takes the stream over, and the only stream of a bot goes on', LONG, async () => {
  const page = await watcher()
  await untilMoving(page)
  const { key } = await issueKey(scene.account.access, { accountId: await scene.accountOf(page), label: 'bot' })
  await using bot = startBot(scene.origin, key)
  await expect.poll(() => bot.slots.length, SOON).toBeGreaterThan(0)
  const other = await watcher('/app/keys')
  let authenticatedMs = 0
  other.on('websocket', (socket) =>
    socket.once('framesent', () => {
      authenticatedMs = Date.now()
    }),
  )
  const isTaken = page.getByText('Live in another tab').waitFor()
  await other.goto(`${scene.origin}${SERIES}`)
  await isTaken
  expect(Date.now() - authenticatedMs).toBeLessThan(STREAM_ENDS_WITHIN_MS)
  await untilMoving(other)
  await page.getByRole('button', { name: 'Take it back' }).click()
  await other.getByText('Live in another tab').waitFor()
  await untilMoving(page)
  const third = await watcher()
  await page.getByText('Live in another tab').waitFor()
  await untilMoving(third)
  for (const each of [page, other, third]) await each.close()
  const before = bot.slots.length
  await expect.poll(() => bot.slots.length, SOON).toBeGreaterThan(before + 4)
  expect(bot.interruptions).toEqual([])
})

test('when the session ends elsewhere the page is greyed out, and signing in returns to it', LONG, async () => {
  const page = await scene.newPage()
  pages.push(page)
  await scene.signInByForm(page, 'ends@example.test', '/app/keys')
  await scene.setTier(page, 'pro')
  const sockets: WebSocket[] = []
  page.on('websocket', (socket) => sockets.push(socket))
  await page.goto(`${scene.origin}${SERIES}?side=down`)
  await untilMoving(page)
  const areClosed = () => sockets.map((socket) => socket.isClosed())
  expect(areClosed()).toContain(false)
  await scene.account.access.sessions.endAll(await scene.accountOf(page))
  await expect.poll(areClosed, { timeout: STREAM_ENDS_WITHIN_MS }).not.toContain(false)
  await page.getByText('Your session has ended.').waitFor()
  expect(await page.locator('main').getAttribute('inert')).toBe('')
  await page.getByRole('link', { name: 'Sign in and return here' }).click()
  // The identity provider still knows the person, so it asks for nothing.
  await page.getByText('Your session has ended.').waitFor({ state: 'detached' })
  await page.waitForURL(`${scene.origin}${SERIES}?side=down`)
  await untilMoving(page)
})

test('for people who want less motion the ladder changes at most twice a second', LONG, async () => {
  await untilWindowLasts(LADDER_TAKES_MS)
  const page = await watcher('/app/keys')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(`${scene.origin}${SERIES}`)
  await untilMoving(page)
  const frames = await framesOfLadder(page, 15)
  const waits = frames.slice(1).map((atMs, index) => atMs - (frames[index] ?? 0))
  expect(Math.min(...waits)).toBeGreaterThan(CALM_MS)
})

test('the page works by keyboard: token, contrast, cross-hair; its other views are of one window', LONG, async () => {
  const page = await watcher()
  await untilMoving(page)
  await page.keyboard.press('d')
  await page.waitForURL(`${scene.origin}${SERIES}?side=down`)
  await untilMoving(page)
  await page.keyboard.press('b')
  await page.getByRole('group', { name: 'Contrast' }).getByRole('button', { name: 'Auto' }).waitFor()
  await page.keyboard.press('b')
  await page.getByRole('img', { name: /^Heat map/ }).focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowUp')
  await page
    .locator('figcaption [aria-live]')
    .getByText(/^\d\d:\d\d:\d\d · /)
    .waitFor()
  const rows = () => ofMap<number>(page, 'view.high - view.low')
  // From the first change on, the map chooses no prices of its own.
  await page.keyboard.press('PageUp')
  const before = await rows()
  await page.keyboard.press('PageUp')
  const fewer = await rows()
  expect(fewer).toBeLessThan(before)
  await page.keyboard.press('PageDown')
  expect(await rows()).toBeGreaterThan(fewer)
  // A part of the prices can be moved, at a price of 0 only up.
  await page.keyboard.press('PageUp')
  const low = await ofMap<number>(page, 'view.low')
  await page.keyboard.press(low > 0 ? 'Shift+ArrowDown' : 'Shift+ArrowUp')
  const moved = (await ofMap<number>(page, 'view.low')) - low
  expect(Math.sign(moved)).toBe(low > 0 ? -1 : 1)
  await page.keyboard.press('Shift+ArrowLeft')
  expect(await ofMap<boolean>(page, 'view.isFollowing')).toBe(false)
  expect(await keysOf(page)).toEqual(expect.arrayContaining(['u, d', 'Shift+Arrows, on the map', '?']))
  await page.getByLabel('Price step of the map').selectOption('0.1¢')
  await expect.poll(() => ofMap(page, '[data.levels[0].priceStep, data.rings[0].rows]'), SOON).toEqual([0.001, 1_000])
  await page.getByRole('img', { name: 'Spread, imbalance and traded shares on the time axis of the map' }).waitFor()
  await untilMoving(page)
  await page.getByRole('link', { name: 'Code', exact: true }).click()
  // The address of a window, which shows a colleague the same when the next one is open.
  await page.waitForURL(/\/app\/m\/btc-updown-5m-\d+\?(?=.*side=down)(?=.*tab=code)/)
  await page.getByRole('link', { name: 'BTC 5m, live' }).click()
  await page.waitForURL(`${scene.origin}${SERIES}`)
})

test('the live page is accessible and fits wide and small screens in both themes', LONG, async () => {
  const page = await watcher()
  const problems: string[] = []
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    for (const width of [360, 1_280]) {
      await page.setViewportSize({ width, height: 800 })
      await untilMoving(page)
      for (const part of width === 360 ? ['Ladder', 'Map', 'Tape'] : ['all']) {
        if (part !== 'all') await page.getByRole('button', { name: part, exact: true }).click()
        problems.push(...(await problemsOf(page, `${part} ${width} ${theme}`)))
        await scene.picture(page, `market-${part}-${width}-${theme}`)
      }
    }
  }
  expect(problems).toEqual([])
})

test(
  'a tier without streams stays within its requests of a minute, and a hidden page asks for nothing',
  LONG,
  async () => {
    await expect.poll(() => Date.now() - freeSinceMs, { timeout: MINUTE_MS + 10_000 }).toBeGreaterThan(MINUTE_MS)
    for (const { atMs: fromMs } of freeRequests) {
      const ofMinute = freeRequests.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + MINUTE_MS)
      expect(ofMinute.length).toBeLessThan(MOST_FREE_REQUESTS)
    }
    expect(freeRefusals).toEqual([])
    const books = () => freeRequests.filter(({ path }) => path.endsWith('/orderbook')).length
    expect(books()).toBeGreaterThan(10)
    await free.evaluate(`(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })()`)
    const [hiddenMs, before] = [Date.now(), books()]
    await expect.poll(() => Date.now() - hiddenMs, SOON).toBeGreaterThan(7_000)
    // One may have been on its way.
    expect(books() - before).toBeLessThanOrEqual(1)
    await free.close()
  },
)

test('at the end of a window the page goes on with the next one and marks the boundary; failed tiles are told', {
  timeout: 480_000,
}, async () => {
  const boundaries = () => ofMap<{ atMs: number }[]>(follower, 'data.boundaries')
  const newestEnd = async () => (await boundaries()).at(-1)?.atMs ?? 0
  // The window that ended had rows for some time before its end.
  await expect.poll(newestEnd, { timeout: WINDOW_MS + 60_000 }).toBeGreaterThan(followedFromMs + LIVE_MS)
  const endMs = await newestEnd()
  expect(endMs % WINDOW_MS).toBe(0)
  await expect.poll(() => ofMap<number>(follower, 'data.nowMs'), SOON).toBeGreaterThan(endMs + 2_000)
  const { question } = await asked<{ question: string }>(follower, 'markets/by-slug/btc-updown-5m')
  await expect.poll(() => follower.locator('h1').textContent(), SOON).toBe(question)
  await follower.getByText(/^(Proved|Proved once)$/).waitFor()
  await scene.picture(follower, 'market-next-window')
  await follower.keyboard.press('d')
  await untilMoving(follower)
  await expect.poll(boundaries, SOON).toContainEqual(expect.objectContaining({ atMs: endMs }))

  const failure = follower.getByText('Parts of the map could not be loaded')
  await failure.waitFor()
  await follower.unroute(TILES)
  await tryAgain(follower)
  await failure.waitFor({ state: 'detached' })
  const ofFormerWindow = async () =>
    columnsOf(follower, await ofMap(follower, 'painter.level'), endMs - LIVE_MS, endMs - LONGEST_COLUMN_MS)
  await expect
    .poll(async () => (await ofFormerWindow()).filter(({ stored }) => stored > 0).length, SOON)
    .toBeGreaterThan(0)
})
