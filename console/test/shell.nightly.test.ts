// Nightly: the API reference and a second tab take long to load.
import { expect } from 'vitest'
import { complaintsOf, PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'

test(
  'use in one tab counts for the others, and a session that is over says so by itself',
  PATIENTLY,
  async ({ scene }) => {
    const page = await scene.newPage()
    await scene.signIn(page, 'tabs', '/app/account')
    await page.clock.install()
    // An answer that comes after the clock was moved would count as use of the session at that time.
    await page.reload({ waitUntil: 'networkidle' })
    await page.getByText('Signed in as').waitFor()
    await page.clock.fastForward('28:10')
    await page.getByText('Your session ends in').waitFor()
    const other = await page.context().newPage()
    await other.goto(`${scene.origin}/app/account`)
    await other.getByText('Signed in as').waitFor()
    await page.getByText('Your session ends in').waitFor({ state: 'detached' })
    await other.close()

    // Beyond the largest age of a session, whatever was last used.
    await scene.account.access.sessions.endAll(await scene.accountOf(page))
    await page.clock.fastForward('13:00:00')
    await page.getByText('Your session has ended.').waitFor()
  },
)

test(
  'the API reference has an empty key field with a hint, stores no key, and shows the version',
  PATIENTLY,
  async ({ scene }) => {
    const page = await scene.newPage()
    const complaints = complaintsOf(page)
    await page.goto(`${scene.origin}/docs`)
    const field = page.getByPlaceholder('your API key, from /app/keys').first()
    await field.waitFor()
    expect(await field.inputValue()).toBe('')
    expect(await page.getByPlaceholder('QUxMIFlPVVIg').count()).toBe(0)
    const { default: product } = await import('../package.json', { with: { type: 'json' } })
    await page.getByText(`v${product.version}`, { exact: true }).first().waitFor()

    await field.fill('br_live_typed')
    expect(await field.inputValue()).toBe('br_live_typed')
    await page.reload()
    await expect.poll(() => field.inputValue(), SOON).toBe('')
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain('br_live_typed')
    expect(complaints).toEqual([])
  },
)
