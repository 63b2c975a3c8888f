// Nightly: the service asks a payment processor again and again, and pages wait before they try again.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type ConsoleScene, complaintsOf, PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'

/** Creates an invoice in the page and returns what moves its payment at the simulated processor. */
async function buy(
  scene: ConsoleScene,
  page: Page,
  button: string,
  coin = '',
): Promise<(act: object) => Promise<void>> {
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

test(
  'an invoice shows all eight states, and one that is paid in part is then paid in full',
  PATIENTLY,
  async ({ scene }) => {
    const page = await scene.newPage()
    await scene.signIn(page, 'states-of-invoices', '/app/billing')
    const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
    const first = await buy(scene, page, 'Buy for $5: 10,000 credits', 'btc')
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

    const second = await buy(scene, page, 'Buy for $5: 10,000 credits')
    await second({ status: 'confirming', paidShare: 1 })
    await heading('Payment seen, waiting for the network')
    expect(await page.getByText('left to pay').count()).toBe(0)
    await second({ status: 'failed', paidShare: 1 })
    await heading('This invoice has failed')

    const third = await buy(scene, page, 'Buy for $20: 100,000 credits')
    await third({ act: 'expire' })
    await heading('This invoice has expired')
    const former = page.url()
    await page.getByRole('button', { name: 'Create a new invoice' }).click()
    await page.waitForURL((url) => url.href !== former)
    await heading('Waiting for your payment')
  },
)

test(
  'a view says that it loads, and keeps what it had when the service cannot be reached',
  PATIENTLY,
  async ({ scene }) => {
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
  },
)

test('calls, refused calls and keys appear on the usage page, by key and by endpoint', PATIENTLY, async ({ scene }) => {
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

test(
  'a user buys a tier, and months of a better tier begin before those of the present one',
  PATIENTLY,
  async ({ scene }) => {
    const page = await scene.newPage()
    await scene.signIn(page, 'subscribes', '/app/billing')
    const shop = await page.context().newPage()
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
  },
)
