import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { SESSION_COOKIE } from '../../service/src/http/session-cookies.ts'
import { type ConsoleScene, complaintsOf, PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'

test(
  'a page of a session that ended elsewhere is greyed out, and leads to the sign-in',
  PATIENTLY,
  async ({ scene }) => {
    const page = await scene.newPage()
    await scene.signIn(page, 'ends', '/app/keys')
    await page.getByText('You have no API key yet').waitFor()
    await endSessions(scene, page)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Label').fill('too late')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Your session has ended.').waitFor()
    expect(await page.locator('main').getAttribute('inert')).toBe('')
    await page.locator('main').getByText('You have no API key yet').waitFor()
    await scene.picture(page, 'session-ended')

    await page.getByRole('dialog').getByRole('link', { name: 'Sign in and return here' }).click()
    await page.getByLabel('E-mail').waitFor()
  },
)

test('a list is asked for together with the session, but not for a visitor', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage()
  await scene.signIn(page, 'early', '/app/markets')
  const held = await holdSession(page)
  const asked = page.waitForRequest(/\/app\/api\/v1\/markets\/live/)
  await page.reload({ waitUntil: 'commit' })
  await asked
  held.resolve()
  await page.getByRole('heading', { name: 'Markets', exact: true }).waitFor()
  await page.getByText('Sign in to continue').waitFor({ state: 'detached' })

  const visitor = await scene.newPage()
  const requests: string[] = []
  visitor.on('request', (request) => requests.push(new URL(request.url()).pathname))
  await visitor.goto(`${scene.origin}/app/markets`)
  await visitor.getByText('Sign in to continue').waitFor()
  expect(requests.filter((path) => path === '/auth/session')).toHaveLength(1)
  expect(requests.filter((path) => path.startsWith('/app/api/'))).toEqual([])
})

/** The answer to who is signed in waits until it is resolved. */
async function holdSession(page: Page): Promise<PromiseWithResolvers<void>> {
  const held = Promise.withResolvers<void>()
  await page.route('**/auth/session', async (route) => {
    await held.promise
    await route.continue()
  })
  return held
}

/** As a sign-out on all devices from another device. */
async function endSessions({ origin }: ConsoleScene, page: Page): Promise<void> {
  const context = await page
    .context()
    .browser()
    ?.newContext({ storageState: await page.context().storageState() })
  const elsewhere = await context?.newPage()
  await elsewhere?.goto(`${origin}/app/account`)
  await elsewhere?.getByRole('button', { name: 'Sign out on all devices' }).click()
  await elsewhere?.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
  await context?.close()
}

test('two minutes before a session ends the page offers to stay, and staying works', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage()
  await scene.signIn(page, 'stays', '/app/account')
  await page.clock.install()
  // An answer that comes after the clock was moved would count as use of the session at that time.
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByText('Signed in as').waitFor()
  await page.clock.fastForward('27:00')
  await rendered(page)
  expect(await page.getByText('Your session ends in').count()).toBe(0)
  await page.clock.fastForward('01:10')
  await page.getByText('Your session ends in less than two minutes.').waitFor()
  await page.getByRole('button', { name: 'Stay' }).click()
  await page.getByText('Your session ends in').waitFor({ state: 'detached' })
  await page.clock.fastForward('27:00')
  await rendered(page)
  expect(await page.getByText('Your session ends in').count()).toBe(0)
})

/** React renders in a message of its own, which comes after the timers; two more messages come after that one. */
async function rendered(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (let count = 0; count < 2; count++) {
      const { port1, port2 } = new MessageChannel()
      await new Promise((resolve) => { port1.onmessage = resolve; port2.postMessage(0) })
    }
  })()`)
}

test('a sign-in as somebody else in another tab leaves nothing of the first person', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage()
  await scene.signIn(page, 'first')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Label').fill('key of the first')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('row').filter({ hasText: 'key of the first' }).waitFor()

  const other = await page.context().newPage()
  await other.goto(`${scene.origin}/app/account`)
  await other.getByRole('button', { name: 'Sign out', exact: true }).click()
  await other.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
  await scene.signIn(other, 'second')
  await page.getByText('You have no API key yet').waitFor()
  await page.getByText('key of the first').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: /^second\.\d+@/ }).waitFor()
})

test('the command palette opens by key, finds a page and returns the focus', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage()
  const complaints = complaintsOf(page)
  await page.goto(`${scene.origin}/app`)
  const link = page.getByRole('link', { name: 'Pricing' })
  await link.focus()
  await page.keyboard.press('/')
  const field = page.getByRole('combobox', { name: 'Search pages and markets' })
  await expect.poll(() => field.evaluate((element) => element === element.ownerDocument.activeElement), SOON).toBe(true)
  await page.getByText('Sign in to find markets too.').waitFor()
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await expect.poll(() => link.evaluate((element) => element === element.ownerDocument.activeElement), SOON).toBe(true)

  await page.keyboard.press('Control+k')
  await page.keyboard.type('spent on')
  const found = page.getByRole('dialog').getByRole('option')
  await expect.poll(() => found.allTextContents(), SOON).toEqual([expect.stringMatching(/^Credits/)])
  await field.fill('')
  await page.keyboard.type('invoices')
  await expect.poll(() => found.allTextContents(), SOON).toEqual(['Billingbuy packs, see invoices'])
  await page.keyboard.press('Enter')
  await page.waitForURL(`${scene.origin}/app/billing`)
  await page.getByText('Sign in to buy a tier or credits').waitFor()
  expect(complaints).toEqual([])
})

test('the theme follows the system until the user chooses one, which is kept', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage(1_280, 'dark')
  const scheme = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).color')
  await page.goto(`${scene.origin}/app/pricing`)
  await page.getByRole('heading', { name: 'Pricing' }).waitFor()
  const dark = await scheme()
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await scheme()
  expect(light).not.toBe(dark)
  await page.getByRole('button', { name: 'Auto theme. Change to dark' }).click()
  expect(await scheme()).toBe(dark)
  await page.reload()
  await page.getByRole('heading', { name: 'Pricing' }).waitFor()
  expect(await scheme()).toBe(dark)
  await page.getByRole('button', { name: 'Dark theme. Change to light' }).click()
  expect(await scheme()).toBe(light)
})

test(
  'an address without a page says so, and the former account page leads to the console',
  PATIENTLY,
  async ({ scene }) => {
    const page = await scene.newPage()
    await page.goto(`${scene.origin}/app/nothing/here`)
    await page.getByRole('heading', { name: 'No such page' }).waitFor()
    await page.goto(`${scene.origin}/account`)
    await page.waitForURL(`${scene.origin}/app/account`)
    await page.getByRole('link', { name: 'Sign in to continue' }).waitFor()
    await page.goto(scene.origin)
    await page.waitForURL(`${scene.origin}/app`)
  },
)

test('scripts cannot read the cookie, and a page of another site cannot use it', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage()
  await scene.signIn(page, 'target')
  const [cookie] = await page.context().cookies(scene.origin)
  expect(cookie).toMatchObject({ name: SESSION_COOKIE, httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })
  expect(await page.evaluate('document.cookie')).toBe('')
  expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(cookie?.value ?? '')

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
  await page.getByText('You have no API key yet').waitFor()
})
