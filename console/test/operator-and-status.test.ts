import { PaymentEvents } from '@bookreel/service/stores/money/payment-events'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { expect } from 'vitest'
import { type ConsoleScene, complaintsOf, keysOf, PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'

function utcDay(ms: number): number {
  return Math.floor(ms / 86_400_000)
}

/** A payment that nobody here asked for. */
async function unexpectedPayment({ account }: ConsoleScene, externalId: string): Promise<void> {
  const body = Buffer.from(JSON.stringify({ payment_status: 'finished', note: '<b>bold</b>', externalId }))
  const payment = { provider: 'nowpayments', body, externalId, paymentId: '4711' }
  await new PaymentEvents(account.access.database).store(payment)
}

test(
  'everybody sees the state, what was measured and what was not, and all incidents',
  PATIENTLY,
  async ({ scene, world }) => {
    const page = await scene.worldPage()
    const complaints = complaintsOf(page)
    await page.goto(`${scene.origin}/app/status`)
    const bars = page.getByRole('slider', { name: 'Uptime of API by day' })
    await bars.waitFor()
    // Today has no probe, so nothing of it is filled.
    expect(await bars.getAttribute('aria-valuetext')).toContain('no data: nothing was measured')
    expect(await bars.locator('g').last().locator('rect').count()).toBe(1)
    await bars.focus()
    const daysAgo = utcDay(WORLD_NOW_MS) - utcDay(Date.parse(world.incidentAt))
    for (let day = 0; day < daysAgo; day++) await page.keyboard.press('ArrowLeft')
    const text = (await bars.getAttribute('aria-valuetext')) ?? ''
    expect(text).toContain('98.88 % · 4 of 360 probes failed')
    expect(text).toContain('1 incident')
    await page.getByText(text).waitFor()
    const day = bars.locator('g').nth(89 - daysAgo)
    expect(await day.locator('rect').count()).toBe(3)
    expect(await keysOf(page)).toContain('← → Home End, on the bars')
    await page.keyboard.press('Home')
    expect(await bars.getAttribute('aria-valuenow')).toBe('0')

    const row = page.getByRole('row').filter({ hasText: 'The API did not answer' })
    // The column tells which part failed, not why: the cause of an incident is not known.
    await page.getByRole('columnheader', { name: 'What failed' }).waitFor()
    expect(await row.locator('time').first().getAttribute('datetime')).toBe(world.incidentAt)
    expect(await row.locator('time').first().getAttribute('title')).not.toBe('')
    await scene.picture(page, 'status-with-incident')
    expect(complaints).toEqual([])
  },
)

test('the incidents are a feed that a parser accepts, and the page names it', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage()
  await page.goto(`${scene.origin}/app/status`)
  await page.getByRole('link', { name: 'Incidents as Atom feed' }).waitFor()
  const address = await page.locator('head link[rel="alternate"]').getAttribute('href')
  const text = await (await fetch(new URL(address ?? '', scene.origin))).text()
  // Pages of the console may not parse texts, so another page does.
  const feed = (await (
    await scene.newPage()
  ).evaluate(`(() => {
    const parsed = new DOMParser().parseFromString(${JSON.stringify(text)}, 'application/xml')
    const texts = (name) => [...parsed.getElementsByTagNameNS('http://www.w3.org/2005/Atom', name)].map((each) => each.textContent)
    return { errors: parsed.getElementsByTagName('parsererror').length, ids: texts('id'), titles: texts('title'), updated: texts('updated') }
  })()`)) as Record<'ids' | 'titles' | 'updated', string[]> & { errors: number }
  expect(feed.errors).toBe(0)
  expect(feed.titles).toEqual(['Bookreel: incidents', 'API: works again'])
  expect(new Set(feed.ids).size).toBe(2)
  expect(feed.updated.every((at) => !Number.isNaN(Date.parse(at)))).toBe(true)
})

test('the status page goes on with what it has, and recovers by itself', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage()
  await page.clock.install()
  await page.goto(`${scene.origin}/app/status`)
  await page.getByRole('slider').first().waitFor()
  await page.route('**/v1/status', (route) => route.abort())
  await page.clock.fastForward(31_000)
  await expect
    .poll(async () => {
      await page.clock.runFor(2_000)
      return page.getByText(/^As of .* The page tries again\.$/).count()
    }, SOON)
    .toBe(1)
  expect(await page.getByRole('slider').first().isVisible()).toBe(true)
  await page.unroute('**/v1/status')
  await expect
    .poll(async () => {
      await page.clock.runFor(31_000)
      return page.getByText(/^As of .* The page tries again\.$/).count()
    }, SOON)
    .toBe(0)
})

test('people who are no operators find no page and no link', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage()
  await scene.signIn(page, 'visitor', '/app/ops')
  await page.getByRole('heading', { name: 'No such page' }).waitFor()
  expect(await page.getByRole('link', { name: 'Operations' }).count()).toBe(0)
})

test('an operator sees what reports, and what is not known is not called good', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage()
  const complaints = complaintsOf(page)
  await scene.signIn(page, 'operator', '/app/ops?view=board')
  await page.getByText('No recorder reports.').waitFor()
  await page.getByText('No gap is open.').waitFor()
  for (const name of ['Rows sampled', 'Age of the newest row', 'Messages not yet stored', 'Waiting for NATS']) {
    const figure = page.locator('dl > div').filter({ hasText: name }).locator('dd')
    expect([name, await figure.textContent()]).toEqual([name, 'not known'])
  }
  expect(await page.locator('main').getByText('complete', { exact: true }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Operations' }).getAttribute('aria-current')).toBe('page')
  expect(complaints).toEqual([])
})

test('a review is resolved with a reason, after the operator has proved who they are', PATIENTLY, async ({ scene }) => {
  await unexpectedPayment(scene, 'nobody asked for it')
  const page = await scene.newPage()
  const email = await scene.signIn(page, 'operator', '/app/ops?view=reviews')
  const first = page.getByRole('button', { name: /^Resolve review \d+$/ }).first()
  const name = (await first.getAttribute('aria-label')) ?? ''
  await page.getByRole('cell', { name: 'finished' }).first().waitFor()
  const callback = page.getByRole('group').filter({ hasText: '<b>bold</b>' })
  await callback.getByText('Show', { exact: true }).click()
  await callback.getByText('<b>bold</b>').waitFor()
  const resolve = async (): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByLabel('Reason').fill('sent back by hand')
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
  }
  await resolve()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('A change needs a sign-in within the last 15 minutes.').waitFor()
  await scene.picture(page, 'ops-sign-in-again')
  const again = await dialog.getByRole('link', { name: 'Sign in again' }).getAttribute('href')
  expect(new URL(again ?? '', scene.origin).searchParams.get('again')).toBe('true')
  await scene.giveSession(page, email, 'again')
  await scene.account.syncClock()
  await page.reload()
  await resolve()
  await page.getByText(/^Review \d+ is resolved\.$/).waitFor()
  await expect.poll(() => page.getByRole('button', { name, exact: true }).count(), SOON).toBe(0)
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  const event = page.getByRole('row').filter({ hasText: 'Payment checked by the operator' })
  await event.getByText('reason sent back by hand').waitFor()
})

test(
  'an operator finds an account and signs it out; the pages of that person are told',
  PATIENTLY,
  async ({ scene }) => {
    const customer = await scene.newPage()
    const theirs = await scene.signIn(customer, 'customer', '/app/account')
    const page = await scene.newPage()
    await scene.giveSession(page, 'operator.who.signs.out@example.test', 'again')
    await scene.account.syncClock()
    await page.goto(`${scene.origin}/app/ops?view=accounts`)
    await page.getByRole('searchbox').fill(theirs)
    await page.keyboard.press('Enter')
    await page.getByRole('row').filter({ hasText: theirs }).getByRole('link').click()
    await page.getByText('Account created').waitFor()
    await page.getByRole('button', { name: 'Sign out on all devices' }).click()
    await page.getByLabel('Reason').fill('reported as stolen')
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('1 session has ended.').waitFor()
    await page.getByText('Signed out on all devices by the operator').waitFor()
    await page.getByText('reason reported as stolen').waitFor()
    await scene.picture(page, 'ops-account')
    await customer.getByRole('link', { name: 'Keys', exact: true }).click()
    await customer.getByText('Your session has ended.').waitFor()
  },
)
