import { expect } from 'vitest'
import { complaintsOf, PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'

test(
  'a user buys credits: the open page follows, the account has them, and the shop leads back',
  PATIENTLY,
  async ({ scene }) => {
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
    expect(complaints).toEqual([])
  },
)

test('an invoice that the processor has not made yet says so, and the page follows', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage()
  await scene.signIn(page, 'creating', '/app/billing')
  const accountId = await scene.accountOf(page)
  const { invoices } = scene.account.service.stores
  const pack = { id: 'credits_10k', tier: null, priceUsd: 5, credits: 10_000, months: 0 } as const
  const begun = await invoices.begin({ accountId, provider: 'nowpayments', pack, lifeMinutes: 60 })
  if (begun.outcome !== 'begun') throw new Error(begun.outcome)
  await page.goto(`${scene.origin}/app/billing/${begun.invoice.id}`)
  await page.getByRole('heading', { name: 'The invoice is being created' }).waitFor()
  await invoices.giveUp(begun.invoice.id)
  await page.getByRole('heading', { name: 'The invoice is being created' }).waitFor({ state: 'detached' })
})

test('two clicks, and a click after a lost answer, make one invoice', PATIENTLY, async ({ scene }) => {
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

test('more events are shown on request, until there are none', PATIENTLY, async ({ scene }) => {
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

test('a refused purchase is explained beside the pack', PATIENTLY, async ({ scene }) => {
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

test('the console has its own monthly limit, which the account page changes', PATIENTLY, async ({ scene }) => {
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
