// Nightly: an hour is scrubbed for ten seconds, a stretch is played for fifteen, and every key is pressed.
import { HOUR_MS } from '@bookreel/testbed/service/past-market'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { complaintsOf, keysOf, PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'
import { HistoryVisit, WHOLE_HOUR } from './history-visit.ts'
import { ofMap } from './live-map.ts'
import { GAP, SLOTS, slotMs } from './past-hour-market.ts'

/** Two tokens for each stored slot, 1,000 rows a credit. */
const HOUR_CREDITS = Math.ceil((2 * (SLOTS - (GAP.last - GAP.first + 1))) / 1_000)
const SCRUB_MS = 10_000
/** At ten times the speed an hour takes six minutes; this stretch of it, with the gap, takes fifteen seconds. */
const STRETCH = { first: GAP.first - 40, slots: 600 }
const STRETCH_CREDITS = Math.ceil((2 * (STRETCH.slots - (GAP.last - GAP.first + 1))) / 1_000)
const MOST_REQUESTS = 35

const ladder = async (page: Page): Promise<string> =>
  (await page.getByRole('region', { name: 'Order book' }).textContent()) ?? ''
/** Characters of a ladder of 21 prices without sizes. */
const PRICES_ONLY = 'PriceSizeTotal'.length + 21 * '0.00'.length

/** Both read at once: at 10× a gap is over soon. */
const playheadWith = async (page: Page, text: string): Promise<number> => {
  let found = 0
  const look = async () => {
    found = await page.evaluate<number>(
      `document.body.innerText.includes(${JSON.stringify(text)}) ? Number(document.querySelector('[aria-label=Playhead]').value) : 0`,
    )
    return found
  }
  await expect.poll(look, SOON).toBeGreaterThan(0)
  return found
}

test(
  'an hour is scrubbed from start to end for free; playing costs what the button said; going back is free',
  PATIENTLY,
  async ({ scene, world }) => {
    const visit = await HistoryVisit.begin(scene, world)
    const { page } = visit
    const complaints = complaintsOf(page)
    await visit.untilStored()
    await page.waitForLoadState('networkidle')
    const before = await visit.credits()
    let requests = 0
    // A page also asks every three seconds for the health of a service without a recorder.
    page.on('request', (request) => new URL(request.url()).pathname !== '/health' && requests++)
    await page.getByRole('slider', { name: 'Playhead' }).scrollIntoViewIfNeeded()
    const bar = await page.getByRole('slider', { name: 'Playhead' }).boundingBox()
    if (bar === null) throw new Error('the bar of the playhead is not shown')
    const startedMs = performance.now()
    const y = bar.y + bar.height / 2
    await page.mouse.move(bar.x + 8, y)
    await page.mouse.down()
    for (let share = 0; performance.now() - startedMs < SCRUB_MS; share = (performance.now() - startedMs) / SCRUB_MS) {
      await page.mouse.move(bar.x + 8 + share * (bar.width - 16), y)
      // The hand rests now and then, so that exact books are asked for.
      await page.waitForTimeout(share % 0.2 < 0.1 ? 20 : 180)
    }
    await page.mouse.move(bar.x + bar.width, y)
    await page.mouse.up()
    expect(requests).toBeGreaterThan(3)
    expect(requests).toBeLessThanOrEqual(MOST_REQUESTS)
    expect(await visit.playhead()).toBe(slotMs(SLOTS - 1))
    await visit.untilStored()
    expect(await visit.credits()).toBe(before)

    await page.keyboard.press('Home')
    await page.getByRole('button', { name: 'max', exact: true }).click()
    await page.getByRole('button', { name: `Play 1 h · ${HOUR_CREDITS} credits` }).waitFor()
    await scene.picture(page, 'history-ready')
    let sockets = 0
    page.on('websocket', () => sockets++)
    await visit.playButton.click()
    await page.getByRole('button', { name: 'Back to the start' }).waitFor()
    expect(await visit.playhead()).toBe(slotMs(SLOTS - 1))
    await expect.poll(() => visit.credits(), SOON).toBe(before - HOUR_CREDITS)

    await page.getByRole('button', { name: 'Back to the start' }).click()
    // Every slot of the hour is known: nothing was skipped.
    await page.getByRole('button', { name: 'Play 1 h · free' }).click()
    await page.getByRole('button', { name: 'Back to the start' }).waitFor()
    expect(await visit.credits()).toBe(before - HOUR_CREDITS)
    expect(sockets).toBe(1)
    expect(complaints).toEqual([])
  },
)

test(
  'played at 10× a stretch costs what the button said; a gap is hatched with its cause, and a hidden tab pauses',
  PATIENTLY,
  async ({ scene, world }) => {
    const search = `from=${slotMs(STRETCH.first)}&to=${slotMs(STRETCH.first + STRETCH.slots)}&speed=5`
    const visit = await HistoryVisit.begin(scene, world, { search })
    const { page } = visit
    await page.keyboard.press('+')
    await page.getByRole('button', { name: '10×', pressed: true }).waitFor()
    const before = await visit.credits()
    const startedMs = performance.now()
    await page.getByRole('button', { name: `Play 2 min 30 s · ${STRETCH_CREDITS} credits` }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    const inGap = await playheadWith(page, 'In a gap of 20 s: disconnected.')
    expect(inGap).toBeGreaterThanOrEqual(slotMs(GAP.first))
    expect(inGap).toBeLessThanOrEqual(slotMs(GAP.last))
    await expect.poll(() => visit.playhead(), SOON).toBeGreaterThan(slotMs(GAP.last + 20))
    await page.evaluate(`(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })()`)
    await visit.playButton.waitFor()
    await page.keyboard.press('k')
    await page.getByRole('button', { name: 'Back to the start' }).waitFor()
    expect(performance.now() - startedMs).toBeGreaterThan((STRETCH.slots * 250) / 10 - 1_000)
    expect(await visit.playhead()).toBe(slotMs(STRETCH.first + STRETCH.slots - 1))
    await expect.poll(() => visit.credits(), SOON).toBe(before - STRETCH_CREDITS)
    await page.getByRole('button', { name: 'Back to the start' }).click()
    await page.getByRole('button', { name: 'Play 2 min 30 s · free' }).click()
    await expect.poll(() => visit.playhead(), SOON).toBeGreaterThan(slotMs(STRETCH.first + 40))
    await page.keyboard.press('k')
    await visit.playButton.waitFor()
    expect(await visit.credits()).toBe(before - STRETCH_CREDITS)
  },
)

test(
  'an exact book that could not be read is read by itself once the service answers again',
  PATIENTLY,
  async ({ scene, world }) => {
    const visit = await HistoryVisit.begin(scene, world)
    const { page } = visit
    await visit.untilStored()
    await page.route('**/api/snapshot?*', (route) => route.abort())
    await page.getByRole('slider', { name: 'Playhead' }).press('End')
    const again = page.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.unroute('**/api/snapshot?*')
    await visit.untilStored()
    expect(await again.count()).toBe(0)
  },
)

test(
  'the keys step through slots, gaps and trades, and the address shows a colleague the same moment',
  PATIENTLY,
  async ({ scene, world }) => {
    const visit = await HistoryVisit.begin(scene, world, { search: `${WHOLE_HOUR}&at=${slotMs(100)}` })
    const { page } = visit
    await visit.untilStored()
    expect(await visit.playhead()).toBe(slotMs(100))
    const press = async (key: string, offset: number): Promise<void> => {
      await page.keyboard.press(key)
      await expect.poll(() => visit.playhead(), SOON).toBe(slotMs(offset))
    }
    await press('ArrowRight', 101)
    await press('Shift+ArrowRight', 141)
    await press('Alt+ArrowRight', 381)
    await press('ArrowLeft', 380)
    await press('End', SLOTS - 1)
    const order = page.getByRole('region', { name: 'Price of an order' })
    await order.getByText('Mean').waitFor()
    await expect.poll(() => page.locator('tr[data-taken=true]').count(), SOON).toBeGreaterThan(0)
    await press('[', GAP.first)
    await page.getByText('In a gap of 20 s: disconnected.').waitFor()
    await order.getByText('Nothing was recorded at this time.').waitFor()
    await page.getByText('No row: disconnected; the last book before it').waitFor()
    await scene.picture(page, 'history-gap')
    await page.getByRole('button', { name: 'Skip the gap' }).click()
    await expect.poll(() => visit.playhead(), SOON).toBe(slotMs(GAP.last + 1))
    // A trade shows in the book of the slot after it.
    await press('.', 97 * 51 + 1)
    await press(',', 97 * 50 + 1)
    await page.keyboard.press('g')
    await page.keyboard.type('soon')
    await page.keyboard.press('Enter')
    await page.getByText('This is no time.').waitFor()
    await page.getByLabel('Go to').fill('-3h')
    await page.keyboard.press('Enter')
    await page.getByText(/ is not recorded\. Choose a time from /).waitFor()
    await page.getByLabel('Go to').fill('+10m')
    await page.keyboard.press('Enter')
    await expect.poll(() => visit.playhead(), SOON).toBe(slotMs(97 * 50 + 1 + 2_400))
    await visit.untilStored()
    const span = async (): Promise<number> => {
      const { searchParams } = new URL(page.url())
      return Number(searchParams.get('to')) - Number(searchParams.get('from'))
    }
    const moment = await visit.playhead()
    await page.getByLabel('Price step of the map').selectOption('5¢')
    const shown =
      '[data.levels[0].priceStep, data.rings[0].rows, data.rings.some(({ newest }) => newest !== undefined)]'
    await expect.poll(() => ofMap(page, shown), SOON).toEqual([0.05, 20, true])
    expect(await visit.playhead()).toBe(moment)
    await page.getByRole('img', { name: /^Everything recorded/ }).focus()
    await page.keyboard.press('Shift+ArrowLeft')
    await expect.poll(span, SOON).toBe(0.9 * HOUR_MS)
    expect(await keysOf(page)).toEqual(expect.arrayContaining(['Space, k', 'Arrows, on the overview', 'c']))

    await page.keyboard.press('y')
    await page.getByText('The link to this moment was copied.').waitFor()
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string
    const copy = await page.context().newPage()
    await copy.goto(copied)
    await expect.poll(async () => (await ladder(copy)).length, SOON).toBeGreaterThan(PRICES_ONLY)
    expect(await copy.getByRole('slider', { name: 'Playhead' }).inputValue()).toBe(String(moment))
    const isSame = async (): Promise<boolean> => (await ladder(copy)) === (await ladder(page))
    await expect.poll(isSame, SOON).toBe(true)
    await copy.close()

    // A time outside of the range takes the range with it; the page does not stop at its edge.
    await visit.show(`from=${slotMs(0)}&to=${slotMs(240)}&at=${slotMs(8)}`)
    await page.getByLabel('Go to').fill('+40m')
    await page.keyboard.press('Enter')
    await expect.poll(() => visit.playhead(), SOON).toBe(slotMs(8 + 9_600))
    await visit.untilStored()
    expect(await visit.playhead()).toBe(slotMs(8 + 9_600))
    await visit.show(`${WHOLE_HOUR}&at=${slotMs(-400)}`)
    await page.getByText(/ is not recorded\. Choose a time from /).waitFor()
  },
)

test(
  'playing stops when the credits are used up, says where, and goes on from there',
  PATIENTLY,
  async ({ scene, world }) => {
    const visit = await HistoryVisit.begin(scene, world)
    const { page, accountId } = visit
    const { ledger } = scene.account.access
    await ledger.grant({
      accountId,
      credits: 2 - (await visit.credits()),
      kind: 'adjustment',
      idem: `poor ${accountId}`,
    })
    await page.reload()
    await page.getByText('You can spend 2 credits here').waitFor()
    await page.getByRole('button', { name: 'max', exact: true }).click()
    await visit.playButton.click()
    await page.getByText(/^The credits ran out at .*:\d\d\.\d{3} UTC\./).waitFor()
    expect(await visit.playhead()).toBe(slotMs(999))
    await scene.picture(page, 'history-out-of-credits')
    expect(await visit.credits()).toBe(0)
    await ledger.grant({ accountId, credits: 1, kind: 'adjustment', idem: `more ${accountId}` })
    // The service remembers for some seconds that there are no credits.
    const playAgain = async (): Promise<number> => {
      if ((await visit.playButton.count()) > 0) await visit.playButton.click()
      return visit.playhead()
    }
    await expect.poll(playAgain, { ...SOON, interval: 2_000 }).toBe(slotMs(1_499))
    expect(await visit.credits()).toBe(0)
  },
)
