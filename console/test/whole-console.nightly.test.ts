// Nightly: engines are killed, and people walk through every page by keyboard, while a world is recorded in real time.
import { PaymentEvents } from '@bookreel/service/stores/money/payment-events'
import { BRIEF } from '@bookreel/testbed/service/store-limits'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOUR_MS, recordSample, recordWindows } from '../../service/test/account/recorded-windows.ts'
import { ByKeyboard, hasFocus } from './by-keyboard.ts'
import { ConsoleScene, PATIENTLY, SOON } from './console-scene.ts'
import { expectOutage, expectRecovery, OUTAGES, openTabs, type Tabs, untilLadderMoves, untilMoving } from './outages.ts'

const SERIES = '/app/m/BTC/5m'
const GONE = { state: 'detached' } as const

let scene: ConsoleScene

beforeAll(async () => {
  scene = await ConsoleScene.openRecording({ payments: true, limits: BRIEF })
  await recordSample(scene.account.service)
  await recordWindows(scene.account.service, 1, Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS)
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

/** Somebody without a pointer, signed in on a page, with credits and every task of the console. */
async function keyboardPerson(): Promise<{ keys: ByKeyboard; page: Page; email: string }> {
  const page = await scene.newPage()
  await page.goto(`${scene.origin}/app`)
  const keys = new ByKeyboard(page)
  const email = `operator.${Date.now()}@example.test`
  await keys.use(page.getByRole('link', { name: 'Sign in', exact: true }))
  await signInAs(keys, email, '/app')
  await scene.equip(page, 'scale', 5_000)
  await page.reload()
  await page.locator('main h1').waitFor()
  return { keys, page, email }
}

async function signInAs(keys: ByKeyboard, email: string, path: string): Promise<void> {
  await keys.fill(keys.page.getByLabel('E-mail'), email)
  await keys.press('Enter')
  await keys.page.waitForURL(`${scene.origin}${path}`)
  await keys.page.locator('main h1').waitFor()
}

test('by keyboard: the sample is scrubbed and downloaded, and nothing keeps the focus', PATIENTLY, async () => {
  const page = await scene.newPage()
  const keys = new ByKeyboard(page)
  await page.goto(`${scene.origin}/app`)
  const book = page.getByRole('table', { name: 'Book at the scrubber' })
  await keys.reach(page.getByRole('slider', { name: 'Time' }))
  const before = await book.textContent()
  await keys.press('ArrowRight')
  await expect.poll(() => book.textContent(), SOON).not.toBe(before)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    keys.use(page.getByRole('button', { name: /^Download the sample/ })),
  ])
  expect(download.suggestedFilename()).toMatch(/\.parquet$/)
  await page.getByText('saved, SHA-256 checked').waitFor()
  await keys.goRound()
  expect([...keys.unseen]).toEqual([])
})

test('by keyboard: a market is found twice, watched, scrubbed, played and taken back', PATIENTLY, async () => {
  const { keys, page } = await keyboardPerson()
  await keys.find('markets', 'prices now, and everything')
  await page.locator('a[data-market]').first().waitFor()
  await keys.press('j')
  expect(await hasFocus(page.locator('a[data-market]').first())).toBe(true)
  await keys.use(page.locator('a[data-market][href*="btc-updown-5m"]').first())
  await page.waitForURL(/\/app\/m\/btc-updown-5m/)

  await keys.find('btc/5m', /^BTC\/5m/)
  await page.waitForURL(`${scene.origin}${SERIES}`)
  await untilMoving(page)
  await keys.goRound()
  await keys.reach(page.getByRole('img', { name: /^Heat map/ }))
  await keys.press('ArrowLeft', 'ArrowUp')
  await expect.poll(() => page.locator('figcaption [aria-live]').textContent(), SOON).toMatch(/^\d\d:\d\d:\d\d · /)

  const other = await page.context().newPage()
  await other.goto(`${scene.origin}${SERIES}`)
  await keys.use(page.getByRole('button', { name: 'Take it back' }))
  await other.getByText('Live in another tab').waitFor()
  await other.close()
  await untilMoving(page)

  await keys.use(page.getByRole('link', { name: 'History', exact: true }))
  const playhead = page.getByRole('slider', { name: 'Playhead' })
  await keys.reach(playhead)
  await keys.press('Home')
  const start = await playhead.inputValue()
  await keys.press('ArrowRight')
  await expect.poll(() => playhead.inputValue(), SOON).not.toBe(start)
  await keys.use(page.getByRole('button', { name: /^Play .* credits?$/ }))
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await keys.press('Enter')
  await page.getByRole('button', { name: /^Play / }).waitFor()
  expect([...keys.unseen]).toEqual([])
})

test(
  'by keyboard: a key is made, limited, rotated and revoked, and each dialog returns the focus',
  PATIENTLY,
  async () => {
    const { keys, page } = await keyboardPerson()
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const returnsTo = (name: string) => expect.poll(() => hasFocus(button(name)), SOON).toBe(true)
    await keys.find('keys', 'create, limit, rotate')
    await keys.use(button('Create key'))
    await keys.press('Escape')
    await returnsTo('Create key')
    await keys.press('Enter')
    await keys.fill(page.getByLabel('Label'), 'bot')
    await keys.press('Enter')
    await keys.use(button('Copy the key'), 'Space')
    await button('Copied the key').waitFor()
    await keys.use(button('I have stored it'))
    await returnsTo('Create key')

    await keys.use(button('Edit bot'))
    await keys.fill(page.getByLabel('Credit limit per month'), '2500')
    await keys.press('Enter')
    await page.getByText('The key was changed.').waitFor()
    await returnsTo('Edit bot')

    await keys.use(button('Rotate bot'), 'Space')
    await keys.reach(page.getByRole('radio', { checked: true }))
    await keys.press('ArrowUp')
    await keys.press('Enter')
    await keys.use(button('I have stored it'))
    await returnsTo('Rotate bot')

    await keys.use(button('Revoke bot'))
    await keys.fill(page.getByRole('dialog').getByRole('textbox'), 'bot')
    await keys.press('Enter')
    await page.getByText('You have no API key yet').waitFor()
    expect([...keys.unseen]).toEqual([])
  },
)

test('by keyboard: files are priced and downloaded, and a pack is bought', PATIENTLY, async () => {
  const { keys, page } = await keyboardPerson()
  await keys.find('downloads', 'files of recorded hours')
  await keys.fill(page.getByLabel('Coin'), 'DOGE')
  await keys.use(page.getByRole('button', { name: '24 hours' }), 'Space')
  await keys.use(page.getByRole('button', { name: /^List \d files?$/ }))
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    keys.use(page.getByRole('button', { name: /^Download \d files? · \d+ credits$/ })),
  ])
  expect(download.suggestedFilename()).toMatch(/\.parquet$/)
  await page.getByText(/^(\d) of \1 saved and checked\./).waitFor()

  await keys.find('invoices', 'Billing')
  await keys.use(page.getByRole('button', { name: 'Buy for $5: 10,000 credits' }))
  await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor()
  const invoice = page.url()
  await keys.use(page.getByRole('link', { name: 'All invoices' }))
  await keys.use(page.getByRole('table', { name: 'Invoices' }).getByRole('link').first())
  await page.waitForURL(invoice)

  await scene.account.access.sessions.endAll(await scene.accountOf(page))
  await page.getByText('Your session has ended.').waitFor()
  await keys.use(page.getByRole('link', { name: 'Sign in and return here' }))
  await page.getByText('Your session has ended.').waitFor({ state: 'detached' })
  await page.waitForURL(invoice)
  expect([...keys.unseen]).toEqual([])
})

test('by keyboard: an operator resolves a review, after proving who they are', PATIENTLY, async () => {
  const body = Buffer.from(JSON.stringify({ payment_status: 'finished' }))
  const payment = { provider: 'nowpayments', body, externalId: 'nobody asked for it', paymentId: '4711' }
  await new PaymentEvents(scene.account.access.database).store(payment)
  const { keys, page, email } = await keyboardPerson()
  await keys.find('operations', 'Operations')
  await keys.use(page.getByRole('link', { name: 'Reviews', exact: true }))
  const resolve = async (): Promise<void> => {
    await keys.use(page.getByRole('button', { name: /^Resolve review \d+$/ }))
    await keys.fill(page.getByLabel('Reason'), 'sent back by hand')
    await keys.press('Enter')
  }
  await resolve()
  await keys.use(page.getByRole('link', { name: 'Sign in again' }))
  await signInAs(keys, email, '/app/ops?view=reviews')
  await resolve()
  await page.getByText(/^Review \d+ is resolved\.$/).waitFor()
  await page.getByText('No payment waits for a decision.').waitFor()
  expect([...keys.unseen]).toEqual([])
})

describe('pages that are open while an engine is killed', () => {
  let tabs: Tabs

  beforeAll(async () => {
    tabs = await openTabs(scene)
  }, 300_000)

  test.each(OUTAGES)(
    '$engine: they say what is unavailable and what works, keep what they had, and recover by themselves',
    PATIENTLY,
    async (outage) => {
      const engine = scene.account.stack.engine(outage.engine)
      await untilMoving(tabs.live)
      await engine.kill()
      try {
        await expectOutage(tabs, outage)
      } finally {
        await engine.restart()
      }
      await expectRecovery(tabs)
    },
  )

  test('a page that was opened while PostgreSQL is away shows its data once it is back', PATIENTLY, async () => {
    const postgres = scene.account.stack.engine('postgres')
    await postgres.kill()
    const { keys } = tabs
    try {
      await keys.reload()
      await keys.getByRole('alert').getByText('A part of the service is unavailable.').waitFor()
    } finally {
      await postgres.restart()
    }
    await keys.getByRole('row').filter({ hasText: 'kept' }).waitFor()
    await keys.getByRole('alert').waitFor({ state: 'detached' })
  })

  test(
    'a live page that is opened while ClickHouse is away has the moving books of both tokens',
    PATIENTLY,
    async () => {
      const { live } = tabs
      const clickhouse = scene.account.stack.engine('clickhouse')
      const untilLive = async (): Promise<void> => {
        await untilMoving(live)
        await untilLadderMoves(live)
      }
      const failure = live.getByText('Parts of the map could not be loaded')
      await clickhouse.kill()
      try {
        await live.reload()
        await untilLive()
        await live.keyboard.press('d')
        await live.waitForURL(/side=down/)
        await untilLive()
        await live.getByLabel('Price step of the map').selectOption('0.5¢')
        await untilLive()
        await failure.waitFor()
        await live.getByText('Older ones could not be loaded').waitFor()
      } finally {
        await clickhouse.restart()
      }
      await Promise.all([failure, live.getByText('Older ones could not be loaded')].map((each) => each.waitFor(GONE)))
      await untilLive()
    },
  )
})
