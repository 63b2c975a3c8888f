import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleScene, complaintsOf, PATIENTLY, SOON } from './console-scene.ts'

let scene: ConsoleScene

beforeAll(async () => {
  scene = await ConsoleScene.open()
})
afterAll(() => scene?.[Symbol.asyncDispose]())

test('a user buys credits and a tier; both appear on the pages that are open', PATIENTLY, async () => {
  const page = await scene.newPage()
  const complaints = complaintsOf(page)
  await scene.signIn(page, 'buyer', '/app/billing')
  await page.getByText('You have no invoices.').waitFor()
  await page.getByRole('button', { name: 'Buy for $5: 10,000 credits' }).click()
  await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor()
  await page.getByRole('img', { name: 'QR code of the payment' }).waitFor()
  const invoice = page.url()

  // Paid in another window: the page follows by itself.
  const shop = await page.context().newPage()
  const address = (await page.getByRole('link', { name: 'Open the payment page' }).getAttribute('href')) ?? ''
  await shop.goto(address)
  await shop.getByRole('button', { name: 'Pay 5.00 USD' }).click()
  await shop.getByText('Paid in full.').waitFor()
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
  await page.getByText('10,000 credits were added, and they do not expire.').waitFor()
  await page.getByRole('link', { name: 'See your tier and credits' }).click()
  await page.getByText('15,000').waitFor()

  await shop.getByRole('link', { name: 'Back to the shop' }).click()
  await shop.waitForURL(`${scene.origin}/app/billing`)
  await shop.getByRole('row').filter({ hasText: '10,000 credits' }).getByText('paid', { exact: true }).waitFor()
  await shop.getByRole('link', { name: '10,000 credits' }).click()
  await shop.waitForURL(invoice)

  await page.goto(`${scene.origin}/app/billing`)
  await page.getByRole('button', { name: 'Buy for $17: Pro, 1 month' }).click()
  const pro = await page.getByRole('link', { name: 'Open the payment page' }).getAttribute('href')
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  await page.getByText('Next monthly credits').waitFor()
  await shop.goto(pro ?? '')
  await shop.getByRole('button', { name: 'Pay 17.00 USD' }).click()
  await shop.getByText('Paid in full.').waitFor()
  await page.goto(`${scene.origin}/app/billing`)
  await expect
    .poll(
      () => page.getByRole('row').filter({ hasText: 'Pro, 1 month' }).getByText('paid', { exact: true }).count(),
      SOON,
    )
    .toBe(1)
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  await page.getByText('Tier ends').waitFor()
  // Months of a better tier begin now, and those of the present one wait.
  await scene.account.access.accounts.setTier(await scene.accountOf(page), {
    tier: 'scale',
    expiresAtMs: Date.parse('2099-03-01T00:00:00Z'),
    monthlyCredits: 0,
  })
  await page.reload()
  await page.getByText(/^Then: Pro, from 1 Mar 2099 to \d+ \w+ 2099$/).waitFor()
  await scene.picture(page, 'bought')
  expect(complaints).toEqual([])
})

/** Creates an invoice in the page and returns what moves its payment at the simulated processor. */
async function buy(page: Page, button: string, coin = ''): Promise<(act: object) => Promise<void>> {
  await page.goto(`${scene.origin}/app/billing`)
  await page.getByLabel('Pay with').selectOption(coin)
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor()
  const orderId = page.url().split('/').at(-1)
  const { payers = '' } = scene.account
  const known = (await (await fetch(payers)).json()) as { id: string; orderId: string }[]
  const id = known.find((each) => each.orderId === orderId)?.id
  return async (act) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${payers}/${id}`, { method: 'POST', headers, body: JSON.stringify(act) })
    expect(answer.status, JSON.stringify(act)).toBe(200)
  }
}

test('an invoice shows all eight states, and one that is paid in part is then paid in full', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'states-of-invoices', '/app/billing')
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
  const first = await buy(page, 'Buy for $5: 10,000 credits', 'btc')
  await page.getByText('You pay with BTC.').waitFor()
  await page.getByText('min left to pay').or(page.getByText('h left to pay')).waitFor()
  await first({ act: 'pay', share: 0.5 })
  await heading('A part of the payment is missing')
  await page.getByText(/^Missing: [\d.]+ \w+/).waitFor()
  await page.getByText('What you sent is not lost').waitFor()
  await page.getByText('bc1qsimulated').first().waitFor()
  await scene.picture(page, 'invoice-underpaid')
  await first({ status: 'confirming', paidShare: 1 })
  await first({ act: 'pay', share: 0.5 })
  await heading('Paid')
  await first({ act: 'refund' })
  // A paid invoice is not asked for again, so the page is opened anew until the processor has told the service.
  const titles = async (): Promise<string[]> => {
    await page.reload()
    await page.getByRole('heading', { name: 'Details' }).waitFor()
    return page.locator('main h2').allTextContents()
  }
  await expect.poll(titles, SOON).toContain('Refunded')
  await page.getByText(/^Refund seen .* UTC\.$/).waitFor()

  const second = await buy(page, 'Buy for $5: 10,000 credits')
  await second({ status: 'confirming', paidShare: 1 })
  await heading('Payment seen, waiting for the network')
  expect(await page.getByText('left to pay').count()).toBe(0)
  await second({ status: 'failed', paidShare: 1 })
  await heading('This invoice has failed')

  const third = await buy(page, 'Buy for $20: 100,000 credits')
  await third({ act: 'expire' })
  await heading('This invoice has expired')
  const former = page.url()
  await page.getByRole('button', { name: 'Create a new invoice' }).click()
  await page.waitForURL((url) => url.href !== former)
  await heading('Waiting for your payment')
})

test('an invoice that the processor has not made yet says so, and the page follows', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'creating', '/app/billing')
  const accountId = await scene.accountOf(page)
  const { invoices } = scene.account.service.stores
  const pack = { id: 'credits_10k', tier: null, priceUsd: 5, credits: 10_000, months: 0 } as const
  const begun = await invoices.begin({ accountId, provider: 'nowpayments', pack, lifeMinutes: 60, mostOpen: 5 })
  if (begun.outcome !== 'begun') throw new Error(begun.outcome)
  await page.goto(`${scene.origin}/app/billing/${begun.invoice.id}`)
  await page.getByRole('heading', { name: 'The invoice is being created' }).waitFor()
  await invoices.giveUp(begun.invoice.id)
  await page.getByRole('heading', { name: 'The invoice is being created' }).waitFor({ state: 'detached' })
})

test('two clicks, and a click after a lost answer, make one invoice', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'twice', '/app/billing')
  const button = page.getByRole('button', { name: 'Buy for $5: 10,000 credits' })
  await button.waitFor()
  let lost = 0
  await page.route('**/v1/payments/create-invoice', async (route) => {
    if (lost > 0) return route.continue()
    lost++
    await route.fetch()
    return route.abort('connectionreset')
  })
  await button.click()
  await page.getByRole('alert').getByText('The service cannot be reached.').waitFor()
  await button.dblclick()
  await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor()
  await page.getByRole('link', { name: 'All invoices' }).click()
  await page.getByRole('table', { name: 'Invoices' }).waitFor()
  await expect.poll(() => page.getByRole('table', { name: 'Invoices' }).locator('tbody tr').count(), SOON).toBe(1)
})

test('more events are shown on request, until there are none', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'eventful', '/app/account')
  const accountId = await scene.accountOf(page)
  for (let count = 0; count < 60; count++)
    await scene.account.access.ledger.grant({ accountId, credits: 1, kind: 'adjustment', idem: `event ${count}` })
  await page.reload()
  const rows = page.getByRole('table', { name: 'Account events' }).locator('tbody tr')
  await expect.poll(() => rows.count(), SOON).toBe(50)
  await page.getByRole('button', { name: 'Show more events' }).click()
  await expect.poll(() => rows.count(), SOON).toBeGreaterThan(60)
  await page.getByRole('button', { name: 'Show more events' }).waitFor({ state: 'detached' })
  await page.getByText('csv: not in your tier').waitFor()
})

test('a refused purchase is explained beside the pack', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'many', '/app/billing')
  for (let count = 0; count < 5; count++)
    expect(await scene.postElsewhere(page, '/v1/payments/create-invoice', { pack: 'credits_10k' })).toBe(200)
  const row = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: 'Buy for $50: 500,000 credits' }) })
  await row.getByRole('button').click()
  await row.getByRole('alert').getByText('has 5 unpaid invoices already').waitFor()
  expect(await page.getByRole('alert').count()).toBe(1)
  await page.goto(`${scene.origin}/app/billing/00000000-0000-0000-0000-000000000000`)
  await page.getByRole('alert').getByText('There is no such invoice.').waitFor()
})

test('calls, refused calls and keys appear on the usage page, by key and by endpoint', PATIENTLY, async () => {
  const page = await scene.newPage()
  const complaints = complaintsOf(page)
  await scene.signIn(page, 'uses', '/app/usage')
  const key = (await page.evaluate(`fetch('/v1/api-keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-requested-with': 'bookreel' },
    body: JSON.stringify({ label: 'bot' }),
  }).then((answer) => answer.json()).then(({ key }) => key)`)) as string
  const ask = async (path: string): Promise<number> =>
    (await fetch(`${scene.origin}${path}`, { headers: { 'x-api-key': key } })).status
  expect([await ask('/v1/limits'), await ask('/v1/limits'), await ask('/v1/markets/none/orderbook')]).toEqual([
    200, 200, 404,
  ])
  const rowsWith = async (text: string): Promise<string[]> => {
    await page.reload()
    await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor()
    await page.waitForLoadState('networkidle')
    return page.getByRole('row').filter({ hasText: text }).allTextContents()
  }
  await expect.poll(() => rowsWith('market_not_found'), SOON).toHaveLength(1)
  await page.getByText('There is no such market.').waitFor()
  await expect.poll(() => rowsWith('bot'), SOON).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dbot201$/)])
  await page.getByRole('img', { name: /^calls per day from/ }).waitFor()
  await scene.picture(page, 'usage-of-a-bot')

  await page.getByRole('link', { name: 'by endpoint' }).click()
  await page.getByRole('link', { name: '7 days' }).click()
  await page.getByRole('row').filter({ hasText: 'get_limits' }).waitFor()
  expect(new URL(page.url()).search).toBe('?by=endpoint&days=7')
  expect(complaints).toEqual([])
})

test('a view says that it loads, and keeps what it had when the service cannot be reached', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'states')
  const isShown = Promise.withResolvers<void>()
  await page.route('**/v1/api-keys', async (route) => {
    await isShown.promise
    await route.continue()
  })
  await page.reload()
  await page.getByText('Loading …').waitFor()
  isShown.resolve()
  await page.getByText('You have no API key yet').waitFor()

  await page.goto(`${scene.origin}/app`)
  await page.getByText('Snapshots stored').waitFor()
  await page.context().setOffline(true)
  await page
    .getByText(/^As of .* The service cannot be reached\./)
    .first()
    .waitFor()
  expect(await page.getByText('Snapshots stored').count()).toBe(1)
  await scene.picture(page, 'stale')
  await page.context().setOffline(false)
  await page
    .getByText(/^As of /)
    .first()
    .waitFor({ state: 'detached' })
})

test('the console has its own monthly limit, which the account page changes', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'limits', '/app/account')
  const field = page.getByLabel('Limit per month')
  expect(await field.inputValue()).toBe('1000')
  await field.fill('250')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The limit of the console was changed.').waitFor()
  await page.reload()
  await expect.poll(() => page.getByLabel('Limit per month').inputValue(), SOON).toBe('250')

  // Times of the browser are marked, and single-letter keys can be switched off.
  await page.getByLabel('Times').selectOption('local')
  await page
    .getByText(/\d\d:\d\d local$/)
    .first()
    .waitFor()
  await page.getByLabel('Single-letter keys').selectOption('off')
  await page.keyboard.press('Escape')
  await page.locator('h1').click()
  await page.keyboard.press('/')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search pages and markets' }).waitFor()
  expect(await page.getByRole('combobox', { name: 'Search pages and markets' }).inputValue()).toBe('')
})
