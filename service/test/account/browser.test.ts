import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SESSION_COOKIE } from '../../src/http/session-cookies.ts'
import { BrowserScene, complaintsOf } from './browser-scene.ts'

let scene: BrowserScene
/** An overloaded service may refuse a page; the sign-in is then tried with another person. */
const PATIENTLY = { retry: 2, timeout: 240_000 }
const SOON = { timeout: 60_000 }

beforeAll(async () => {
  scene = await BrowserScene.open()
})
afterAll(() => scene?.[Symbol.asyncDispose]())

async function validate(key: string): Promise<number> {
  return (await fetch(`${scene.origin}/v1/api-keys/validate`, { headers: { 'x-api-key': key } })).status
}

/** The HTTP status of the icons of a page, and whether the policy of the page lets the browser show the first. */
function iconsOf(page: Page): Promise<unknown> {
  return page.evaluate(`(async () => {
    const { href } = document.querySelector('link[rel=icon]')
    const answers = await Promise.all([href, '/favicon.ico'].map((url) => fetch(url)))
    const image = Object.assign(document.createElement('img'), { src: href })
    const isShown = await image.decode().then(() => true, () => false)
    return [...answers.map(({ status }) => status), isShown]
  })()`)
}
const ICONS = [200, 200, true]

test('a user signs in, creates a key, uses it, revokes it and signs out', PATIENTLY, async () => {
  const page = await scene.newPage()
  const complaints = complaintsOf(page)
  const foreign: string[] = []
  page.on('request', (request) => {
    if (request.frame().url().startsWith(scene.origin) && !request.isNavigationRequest()) foreign.push(request.url())
  })
  await page.goto(`${scene.origin}/account`)
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  expect(await iconsOf(page)).toEqual(ICONS)
  await scene.picture(page, '1-signed-out')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('E-mail').waitFor()
  await scene.picture(page, '2-provider')
  await scene.signIn(page, 'ada')
  await scene.picture(page, '3-signed-in')
  expect(await page.locator('#credits').textContent()).toBe('5,000')

  await page.getByLabel('Label').fill('research notebook')
  await page.getByRole('button', { name: 'Create key' }).click()
  const fresh = page.locator('#fresh-key')
  await fresh.waitFor()
  const key = (await fresh.textContent()) ?? ''
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
  expect(await validate(key)).toBe(200)

  await page.getByText('The free tier allows 1 working key. To create another one, revoke a key first').waitFor()
  expect(await page.getByRole('button', { name: 'Create key' }).isDisabled()).toBe(true)
  await scene.picture(page, '4-made')

  await page.getByRole('button', { name: 'Revoke research notebook' }).click()
  await page.locator('#no-keys').waitFor()
  expect(await page.getByRole('button', { name: 'Create key' }).isDisabled()).toBe(false)
  expect(await page.locator('#key-limit').textContent()).toBe('')
  expect(await validate(key)).toBe(401)

  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  expect(await page.context().cookies(scene.origin)).toEqual([])
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('E-mail').waitFor()

  expect(foreign.filter((url) => !url.startsWith(scene.origin))).toEqual([])
  expect(complaints).toEqual([])
})

test('a user buys credits and a tier; both appear on the page that is open', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'buyer')
  const complaints = complaintsOf(page)
  await page.getByText('You have no invoices.').waitFor()
  await page.getByRole('button', { name: 'Buy 10,000 credits for $5' }).click()
  await page.getByRole('heading', { name: 'Simulated NOWPayments invoice' }).waitFor()
  await page.getByText('Waiting for the payment.').waitFor()
  await scene.picture(page, '5-simulated-invoice')
  await page.getByRole('button', { name: 'Pay 5.00 USD' }).click()
  await page.getByText('Paid in full.').waitFor()
  await page.getByRole('link', { name: 'Back to the shop' }).click()
  await expect.poll(() => page.locator('#credits').textContent(), SOON).toBe('15,000')
  await expect.poll(() => page.locator('#invoices .status').allTextContents(), SOON).toEqual(['paid'])

  await page.getByRole('button', { name: 'Buy Pro, 1 month for $17' }).click()
  await page.getByText('Waiting for the payment.').waitFor()
  await page.goto(`${scene.origin}/account`)
  const link = page.getByRole('link', { name: 'Pay the invoice for Pro, 1 month' })
  const other = await page.context().newPage()
  await other.goto((await link.getAttribute('href')) ?? '')
  await other.getByRole('button', { name: 'Pay 17.00 USD' }).click()
  await expect.poll(() => page.locator('#tier').textContent(), SOON).toBe('Pro')
  await expect.poll(() => page.locator('#invoices .status').allTextContents(), SOON).toEqual(['paid', 'paid'])
  await scene.picture(page, '6-bought')
  expect(complaints).toEqual([])
})

test('markup in the name of a key is shown as text and runs nothing', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'markup')
  const labels = [
    '<img src=x onerror="window.ran=1">',
    '<script>window.ran=1</script>',
    '"><svg onload=window.ran=1>',
    '<a href="javascript:window.ran=1">x</a>',
  ]
  for (const label of labels) {
    await page.getByLabel('Label').fill(label)
    await page.getByRole('button', { name: 'Create key' }).click()
    const shown = page.locator('#keys .label').filter({ hasText: label })
    await shown.waitFor()
    expect(await page.locator('#keys').locator('img, script, svg, a').count()).toBe(0)
    expect(await page.evaluate('window.ran')).toBeUndefined()
    await page.getByRole('button', { name: `Revoke ${label}` }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Create key' }).isDisabled(), SOON).toBe(false)
  }
})

test('an error is shown beside the control that caused it', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'refused')
  expect(await scene.postElsewhere(page, '/v1/api-keys', { label: 'from elsewhere' })).toBe(201)
  await page.getByLabel('Label').fill('one too many')
  await page.getByRole('button', { name: 'Create key' }).click()
  await expect
    .poll(() => page.locator('form + .beside + [role="alert"]').textContent(), SOON)
    .toBe('The free tier allows 1 working key. Revoke a key first, or upgrade.')
  await expect.poll(() => page.getByRole('button', { name: 'Create key' }).isDisabled(), SOON).toBe(true)

  for (let count = 0; count < 5; count++)
    expect(await scene.postElsewhere(page, '/v1/payments/create-invoice', { pack: 'credits_10k' })).toBe(200)
  const row = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: 'Buy 500,000 credits for $50' }) })
  await row.getByRole('button').click()
  await expect.poll(() => row.getByRole('alert').textContent(), SOON).toContain('has 5 unpaid invoices already')
  expect(await page.locator('[role="alert"]:not(:empty)').count()).toBe(2)
  await scene.picture(page, '7-refused')
})

test(
  'the API reference has an empty key field with a hint, remembers the key in the tab, and shows the version',
  PATIENTLY,
  async () => {
    const page = await scene.newPage()
    const complaints = complaintsOf(page)
    await page.goto(scene.origin)
    expect(page.url()).toBe(`${scene.origin}/docs/`)
    const field = page.getByPlaceholder('your API key, from /account').first()
    await field.waitFor()
    await scene.picture(page, '8-api-reference')
    expect(await iconsOf(page)).toEqual(ICONS)
    expect(await field.inputValue()).toBe('')
    expect(await page.getByPlaceholder('QUxMIFlPVVIg').count()).toBe(0)
    const { default: product } = await import('../../package.json', { with: { type: 'json' } })
    await page.getByText(`v${product.version}`, { exact: true }).first().waitFor()

    await field.fill('br_live_typed')
    await expect.poll(() => page.evaluate('JSON.stringify({ ...sessionStorage })'), SOON).toContain('br_live_typed')
    await page.reload()
    await expect
      .poll(() => page.getByPlaceholder('your API key, from /account').first().inputValue(), SOON)
      .toBe('br_live_typed')
    const otherTab = await page.context().newPage()
    await otherTab.goto(`${scene.origin}/account`)
    expect(await otherTab.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(
      'br_live_typed',
    )
    expect(complaints).toEqual([])
  },
)

test('scripts cannot read the cookie, and a page of another site cannot use it', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'target')
  const [cookie] = await page.context().cookies(scene.origin)
  expect(cookie).toMatchObject({ name: SESSION_COOKIE, httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })
  expect(await page.evaluate('document.cookie')).toBe('')

  // Another origin on this machine, in the same browser.
  const elsewhere = await page.context().newPage()
  await elsewhere.goto(`${scene.account.stack.variable('OIDC_ISSUER')}/.well-known/openid-configuration`)
  const attempts = (await elsewhere.evaluate(`(async () => {
    const send = (options) => fetch('${scene.origin}/v1/api-keys', { method: 'POST', credentials: 'include', ...options })
      .then((answer) => answer.status, () => 'blocked')
    const body = JSON.stringify({ label: 'stolen' })
    return [
      await send({ body, headers: { 'content-type': 'application/json', 'x-requested-with': 'bookreel' } }),
      await send({ body, headers: { 'content-type': 'text/plain' }, mode: 'no-cors' }),
      await fetch('${scene.origin}/v1/api-keys', { credentials: 'include' }).then((answer) => answer.status, () => 'blocked'),
    ]
  })()`)) as unknown[]
  expect(attempts).toEqual(['blocked', 0, 'blocked'])
  await elsewhere.setContent(
    `<form method="post" enctype="text/plain" action="${scene.origin}/v1/api-keys"><button>win</button></form>`,
  )
  await elsewhere.getByRole('button').click()
  await elsewhere.waitForURL(`${scene.origin}/v1/api-keys`)
  await page.reload()
  await page.locator('#no-keys').waitFor()
})

test.each([
  ['narrow', 400, 'light'],
  ['dark', 1_000, 'dark'],
  ['narrow and dark', 400, 'dark'],
] as const)('the page fits: %s', PATIENTLY, async (name, width, colorScheme) => {
  const page = await scene.newPage(width, colorScheme)
  await scene.signIn(page, 'a.rather.long.name.of.somebody')
  await page.getByLabel('Label').fill('a label that is as long as labels may be, which is sixty-four ch')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.locator('#fresh-key').waitFor()
  await scene.picture(page, `9-${name.replaceAll(' ', '-')}`)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
})
