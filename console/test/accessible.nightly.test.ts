// Nightly: axe looks at every page and dialog four times.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { HOUR_MS, PAST_HOUR_MS } from '../../service/test/account/recorded-windows.ts'
import { problemsOf } from './axe-problems.ts'
import { consoleTest as test } from './console-test.ts'
import { WHOLE_HOUR } from './history-visit.ts'
import { slotMs } from './past-hour-market.ts'

const PAGES = [
  '',
  '/markets',
  '/markets?view=ever',
  '/coverage',
  '/m/past-degraded?tab=coverage',
  '/m/past-complete?tab=code',
  '/m/past-complete?tab=data',
  '/downloads',
  '/credits',
  '/keys',
  '/usage',
  '/account',
  '/billing',
  '/pricing',
  '/status',
  '/nothing',
  '/m/nothing',
]
const FILES = `/downloads?coin=DOGE&timeframe=5m&from=${instant(PAST_HOUR_MS)}&to=${instant(PAST_HOUR_MS + HOUR_MS)}`
/** The last one is what every page is reached with. Both widths and both themes are checked by all rules. */
const LOOKS = [
  { width: 1_280, theme: 'dark', rules: 'colours' },
  { width: 360, theme: 'dark', rules: 'all' },
  { width: 360, theme: 'light', rules: 'colours' },
  { width: 1_280, theme: 'light', rules: 'all' },
] as const
const VERY_PATIENTLY = { timeout: 900_000 }
const LONG_LABEL = 'a label that is as long as labels may be, which is sixty-four ch'

function instant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

/** Nothing is being loaded any more. */
async function untilReady(page: Page): Promise<void> {
  await page.locator('main h1, main [role="alert"]').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.getByText('Loading …').waitFor({ state: 'detached' })
}

test(
  'every page and dialog is accessible and fits wide and small screens in both themes',
  VERY_PATIENTLY,
  async ({ scene, world }) => {
    const page = await scene.newPage()
    const problems: string[] = []
    /** Each state is reached once and looked at four times: to reach it takes longer than to look at it. */
    const check = async (name: string, shown = page): Promise<void> => {
      for (const { width, theme, rules } of LOOKS) {
        await shown.setViewportSize({ width, height: 800 })
        await shown.emulateMedia({ colorScheme: theme })
        problems.push(...(await problemsOf(shown, `${name} ${width} ${theme}`, rules)))
        if (rules === 'all') await scene.picture(shown, `${name}-${width}-${theme}`)
      }
    }
    await page.goto(`${scene.origin}/app/keys`)
    await untilReady(page)
    await check('signed-out')
    await scene.signIn(page, 'a.rather.long.name.of.somebody')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Label').fill(LONG_LABEL)
    await check('create-key')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.locator('#secret').waitFor()
    await check('secret')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    for (const task of ['Edit', 'Rotate', 'Revoke']) {
      await page.getByRole('button', { name: `${task} ${LONG_LABEL}` }).click()
      await check(task.toLowerCase())
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await page.keyboard.press('/')
    await page.getByRole('option').first().waitFor()
    await check('palette')
    const history = `/m/${world.wandering.market.id}?tab=history&${WHOLE_HOUR}&at=${slotMs(6_000)}`
    for (const path of [...PAGES, `/coverage?day=${world.days.degraded}`, history]) {
      await page.goto(`${scene.origin}/app${path}`)
      await untilReady(page)
      if (path === '') await page.getByRole('img', { name: /^Heat map/ }).waitFor()
      await check(path.slice(1).replaceAll(/\W+/g, '-') || 'start')
    }
    await scene.equip(page, 'scale', 5_000)
    await page.goto(`${scene.origin}/app${FILES}`)
    await page.getByRole('button', { name: 'List 1 file', exact: true }).click()
    await page.getByRole('table', { name: 'Files', exact: true }).waitFor()
    await check('files')
    await page.goto(`${scene.origin}/app/billing`)
    await page.getByRole('button', { name: 'Buy for $5: 10,000 credits' }).click()
    await page.getByRole('img', { name: 'QR code of the payment' }).waitFor()
    await check('invoice')
    const operator = await scene.newPage()
    const email = await scene.signIn(operator, 'operator.of.this.service', '/app/ops')
    for (const view of ['board', 'reviews', `accounts&q=${encodeURIComponent(email)}`]) {
      await operator.goto(`${scene.origin}/app/ops?view=${view}`)
      await untilReady(operator)
      await check(`ops-${view.replace(/&.*/, '')}`, operator)
    }
    await operator.getByRole('cell').getByRole('link').first().click()
    await operator.getByRole('button', { name: 'Sign out on all devices' }).click()
    await check('ops-sign-out', operator)
    expect(problems).toEqual([])
  },
)
