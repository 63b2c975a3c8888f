import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { PAST_HOUR_MS } from '../../testbed/src/service/past-market.ts'
import { complaintsOf, keysOf, PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'

const focusedMarket = (page: Page): Promise<unknown> => page.evaluate('document.activeElement?.dataset.market')
const searchOf = (page: Page): string => new URL(page.url()).search

test(
  'the catalogue works by keyboard, has its view in the address, and is restored',
  PATIENTLY,
  async ({ scene, world }) => {
    const page = await scene.signedInPage('browses', 'pro', '/app/markets')
    const complaints = complaintsOf(page)
    await page.getByText('1–50 of 61').waitFor()
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('51–61 of 61').waitFor()
    expect(searchOf(page)).toBe('?page=2')

    await page.keyboard.press('f')
    await expect.poll(() => page.evaluate('document.activeElement?.textContent'), SOON).toBe('All')
    await page.getByLabel('Coin').selectOption('BTC')
    await page.getByText('1–30 of 30').waitFor()
    expect(searchOf(page)).toBe('?coin=BTC')
    await page.getByRole('link', { name: /^Crypto/ }).click()
    await expect.poll(() => searchOf(page), SOON).toBe('?category=crypto&coin=BTC')
    await page.getByText('1–30 of 30').waitFor()

    expect(await keysOf(page)).toContain('j, k')
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
    expect(await focusedMarket(page)).toBe(world.open[1]?.id)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${scene.origin}/app/m/open-1`)
    await page.goBack()
    await expect.poll(() => focusedMarket(page), SOON).toBe(world.open[1]?.id)

    // The navigation has no filters in its link, and returns to them.
    await page.getByRole('link', { name: 'Coverage', exact: true }).click()
    await page.getByRole('heading', { name: 'Coverage', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Markets', exact: true }).click()
    await expect.poll(() => searchOf(page), SOON).toBe('?category=crypto&coin=BTC')
    await expect.poll(() => focusedMarket(page), SOON).toBe(world.open[1]?.id)
    await page.getByRole('link', { name: 'Remove all filters' }).click()
    await page.getByText('1–50 of 61').waitFor()
    expect(searchOf(page)).toBe('')

    const words = page.getByRole('searchbox')
    await words.fill('lakers')
    await words.press('Enter')
    await page.getByText('1–1 of 1').waitFor()
    await page.getByRole('link', { name: 'Will the Lakers win?' }).waitFor()
    expect(searchOf(page)).toBe('?q=lakers')
    // Markets that have ended are found among the recorded ones.
    await words.fill('lost connection')
    await words.press('Enter')
    await page.getByText('No market matches all filters.').waitFor()
    await page.getByRole('link', { name: 'Search ended markets too' }).click()
    await page.getByRole('link', { name: world.degraded.market.question }).waitFor()
    expect(searchOf(page)).toBe('?view=ever&q=lost+connection')
    expect(complaints).toEqual([])
  },
)

test(
  'recorded markets have their completeness, rounded down, and only complete ones can be listed',
  PATIENTLY,
  async ({ scene }) => {
    const page = await scene.signedInPage('looks-back', 'scale', '/app/markets?view=ever&status=ended')
    const row = (name: string) => page.getByRole('row').filter({ hasText: `past-${name}` })
    await row('degraded').getByText('87.500 %').waitFor()
    await row('complete').getByText('100 %').waitFor()
    await row('complete').getByText('320').waitFor()
    await scene.picture(page, 'markets-ever')
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save recorded-markets as csv' }).click(),
    ])
    const lines = (await readFile(await csv.path(), 'utf8')).trim().split('\n')
    expect(lines.filter((line) => line.includes('past-'))).toHaveLength(3)
    await page.getByLabel('Only complete').check()
    await row('degraded').waitFor({ state: 'detached' })
    await row('complete').waitFor()
    expect(searchOf(page)).toBe('?view=ever&status=ended&complete=true')
  },
)

test('a category of another tier has a lock, and an empty list says what would help', PATIENTLY, async ({ scene }) => {
  const page = await scene.signedInPage('small', 'free', '/app/markets')
  await page.getByText('1–50 of 60').waitFor()
  const sports = page.getByRole('link', { name: /^Sports/ })
  await sports.getByRole('img', { name: 'in another tier' }).waitFor()
  await sports.click()
  await page.getByText('The free tier does not include sports markets; pro, scale, or enterprise does.').waitFor()
  await page.getByRole('link', { name: /^All/ }).click()
  await page.getByLabel('Timeframe').selectOption('game')
  await page.getByText('Markets match, but the free tier does not include their category.').waitFor()
  await page.getByLabel('Timeframe').selectOption('weekly')
  await page.getByText('No market matches all filters.').waitFor()
  await page.getByRole('link', { name: 'timeframe weekly' }).click()
  await page.getByText('1–50 of 60').waitFor()
})

test('the command palette finds a market and opens it', PATIENTLY, async ({ scene, world }) => {
  const page = await scene.signedInPage('searches', 'pro', '/app/coverage')
  await page.getByRole('heading', { name: 'Coverage', exact: true }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('lakers')
  await page.getByRole('option').filter({ hasText: 'Will the Lakers win?' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${scene.origin}/app/m/nba-lakers`)
  await page.getByRole('heading', { name: 'Will the Lakers win?' }).waitFor()

  // A market of another venue, and one that has ended.
  await page.keyboard.press('/')
  await page.keyboard.type('above 119k')
  await page.getByRole('option').filter({ hasText: 'Will it be above 119k?' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${scene.origin}/app/m/${world.open.at(-1)?.id}`)
  await page.keyboard.press('/')
  await page.keyboard.type('defect')
  await page
    .getByRole('option')
    .filter({ hasText: world.broken.market.question })
    .getByText('ended · past-broken')
    .waitFor()
})

test(
  'everybody can go from the year to a day, its hours and their causes by keyboard',
  PATIENTLY,
  async ({ scene, world }) => {
    const page = await scene.worldPage()
    const complaints = complaintsOf(page)
    await page.goto(`${scene.origin}/app/coverage`)
    const cell = (day: string) => page.locator(`[data-cell="${day}"]`)
    await cell(world.days.degraded).waitFor()
    expect(await cell(world.days.degraded).getAttribute('aria-label')).toMatch(
      /^\d+ \w+ \d{4}: degraded, 99\.953 %, 162 slots missing, most: disconnected$/,
    )
    expect(await cell(world.days.available).getAttribute('aria-label')).toMatch(/: available, 100 %$/)
    expect(await cell(world.days.missing).getAttribute('aria-label')).toMatch(/: missing, 0\.000 %/)
    await scene.picture(page, 'coverage-year')

    expect(await keysOf(page)).toContain('Arrows, Home, End')
    await cell(world.days.today).focus()
    for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowUp']) await page.keyboard.press(key)
    await expect.poll(() => page.evaluate('document.activeElement?.dataset.cell'), SOON).toBe(world.days.degraded)
    await page.keyboard.press('Enter')
    await page.getByRole('row').filter({ hasText: 'late_slot' }).getByText('The recorder was too late').waitFor()
    const worst = page.getByRole('table', { name: 'Markets with the worst coverage' })
    await worst.getByRole('link', { name: 'Bitcoin Up or Down, with a lost connection?' }).waitFor()
    expect(searchOf(page)).toBe(`?day=${world.days.degraded}`)
    await page.keyboard.press('Escape')
    await expect.poll(() => searchOf(page), SOON).toBe('')
    await expect.poll(() => page.evaluate('document.activeElement?.dataset.cell'), SOON).toBe(world.days.degraded)

    // A day with rows has hours.
    const recorded = new Date(PAST_HOUR_MS)
    await page.goto(`${scene.origin}/app/coverage?day=${recorded.toISOString().slice(0, 10)}&category=crypto`)
    const hour = page.getByRole('gridcell').locator(`[data-cell="${recorded.getUTCHours()}"]`)
    await hour.focus()
    expect(await hour.getAttribute('aria-label')).toContain('degraded, 97.263 %, 440 slots missing, 2 slots suspect')
    await page.keyboard.press('Enter')
    await page.getByRole('row').filter({ hasText: 'hash_mismatch' }).waitFor()
    await expect.poll(() => searchOf(page), SOON).toContain(`hour=${recorded.getUTCHours()}`)
    await page.getByRole('button', { name: 'Show as table' }).click()
    await page.getByRole('table', { name: 'Coverage of all markets, by day' }).waitFor()
    expect(complaints).toEqual([])
  },
)

test(
  'the tab of a market shows every gap with its cause, and slots without a cause as a defect',
  PATIENTLY,
  async ({ scene, world }) => {
    const page = await scene.signedInPage('audits', 'pro', `/app/m/${world.degraded.market.slug}?tab=coverage`)
    const gaps = page.getByRole('table', { name: 'Gaps of the hour' })
    await gaps.waitFor()
    expect(await gaps.getByRole('row').count()).toBe(3)
    const lost = gaps.getByRole('row').filter({ hasText: 'disconnected' })
    await lost.getByText('The connection to the venue was lost.').waitFor()
    const from = new Date(PAST_HOUR_MS + 60 * 250).toISOString()
    expect(await lost.locator('time').first().getAttribute('datetime')).toBe(from)
    expect(await page.getByText('This is a defect in Bookreel').count()).toBe(0)
    await scene.picture(page, 'market-coverage')

    await page.goto(`${scene.origin}/app/m/${world.broken.market.slug}?tab=coverage`)
    const alert = page.getByRole('alert').filter({ hasText: 'This is a defect in Bookreel' })
    await alert.getByText('9 slots without a row and without a cause.').waitFor()
    await scene.picture(page, 'market-coverage-defect')
  },
)
