import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PAST_HOUR_MS } from '../../testbed/src/service/past-market.ts'
import { ConsoleScene, complaintsOf, keysOf, PATIENTLY, SOON } from './console-scene.ts'
import { keepBook, type RecordedWorld, recordWorld } from './recorded-world.ts'

const run = promisify(execFile)
/** Where Debian has curl and python3. */
const PATH = '/usr/local/bin:/usr/bin:/bin'
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

let scene: ConsoleScene
let world: RecordedWorld

beforeAll(async () => {
  scene = await ConsoleScene.open()
  world = await recordWorld(scene.account.service)
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

/** A page of a new person with a tier. */
async function signedIn(name: string, path: string, tier: 'free' | 'pro' | 'scale' = 'pro'): Promise<Page> {
  const page = await scene.newPage()
  await scene.signIn(page, name, '/app/keys')
  const accountId = (await page.evaluate(
    `fetch('/auth/session').then((answer) => answer.json()).then(({ accountId }) => accountId)`,
  )) as string
  if (tier !== 'free') await scene.account.access.accounts.setTier(accountId, { tier, monthlyCredits: 0 })
  await page.goto(`${scene.origin}${path}`)
  return page
}

const focusedMarket = (page: Page): Promise<unknown> => page.evaluate('document.activeElement?.dataset.market')
const searchOf = (page: Page): string => new URL(page.url()).search

test('the catalogue works by keyboard, has its view in the address, and is restored', PATIENTLY, async () => {
  const page = await signedIn('browses', '/app/markets')
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
})

test('prices of the visible rows follow the books, and a row without a book says why', PATIENTLY, async () => {
  const [first] = world.open
  if (first === undefined) throw new Error('no market')
  await using book = keepBook(scene.account.service, first, 5_200)
  const page = await signedIn('watches', '/app/markets?coin=BTC')
  const row = (market: { question: string }) => page.getByRole('row').filter({ hasText: market.question })
  await row(first).getByText('0.52 · 0.54').waitFor()
  await row(first).getByText('52 % · 54 %').waitFor()
  await row(first).getByText('2¢').waitFor()
  await row(world.open[1] ?? first)
    .getByText('no recent book')
    .waitFor()
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/v1/quotes') && asked.push(request.url()))
  book.bid = 6_100
  await row(first).getByText('0.61 · 0.63').waitFor()
  // Rows below the edge of the screen are not asked for.
  expect(asked.at(-1)).toContain(first.id)
  expect(asked.at(-1)).not.toContain(world.open[29]?.id)
  await scene.picture(page, 'markets-now')
})

test(
  'recorded markets have their completeness, rounded down, and only complete ones can be listed',
  PATIENTLY,
  async () => {
    const page = await signedIn('looks-back', '/app/markets?view=ever&status=ended', 'scale')
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

test('a category of another tier has a lock, and an empty list says what would help', PATIENTLY, async () => {
  const page = await signedIn('small', '/app/markets', 'free')
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

test('the command palette finds a market and opens it', PATIENTLY, async () => {
  const page = await signedIn('searches', '/app/coverage')
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

test('everybody can go from the year to a day, its hours and their causes by keyboard', PATIENTLY, async () => {
  const page = await scene.newPage()
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

  const today = new Date().toISOString().slice(0, 10)
  expect(await keysOf(page)).toContain('Arrows, Home, End')
  await cell(today).focus()
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
  expect(await hour.getAttribute('aria-label')).toContain('degraded, 91.666 %, 40 slots missing, 2 slots suspect')
  await page.keyboard.press('Enter')
  await page.getByRole('row').filter({ hasText: 'hash_mismatch' }).waitFor()
  await expect.poll(() => searchOf(page), SOON).toContain(`hour=${recorded.getUTCHours()}`)
  await page.getByRole('button', { name: 'Show as table' }).click()
  await page.getByRole('table', { name: 'Coverage of all markets, by day' }).waitFor()
  expect(complaints).toEqual([])
})

test(
  'the tab of a market shows every gap with its cause, and slots without a cause as a defect',
  PATIENTLY,
  async () => {
    const page = await signedIn('audits', `/app/m/${world.degraded.market.slug}?tab=coverage`)
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

test('a copied link opens the same hour of a market, or none', PATIENTLY, async () => {
  const page = await signedIn('shares', `/app/m/${world.degraded.market.slug}?tab=coverage`)
  const gaps = page.getByRole('table', { name: 'Gaps of the hour' })
  const opened = page.getByRole('heading', { name: /UTC$/ })
  await gaps.waitFor()
  const recorded = new Date(PAST_HOUR_MS)
  const day = recorded.toISOString().slice(0, 10)
  // The only hour is open until it is closed.
  await page.locator(`[data-cell="${recorded.getUTCHours()}"]`).focus()
  await page.keyboard.press('Escape')
  await expect.poll(() => searchOf(page), SOON).toBe(`?tab=coverage&day=${day}`)
  const other = (recorded.getUTCHours() + 1) % 24
  const copyOf = async (): Promise<Page> => {
    const copy = await page.context().newPage()
    await copy.goto(page.url())
    await copy.locator(`[data-cell="${other}"]`).waitFor()
    return copy
  }
  const closed = await copyOf()
  expect(await closed.getByRole('heading', { name: /UTC$/ }).count()).toBe(0)
  await page.locator(`[data-cell="${other}"]`).click()
  await expect.poll(() => searchOf(page), SOON).toBe(`?tab=coverage&day=${day}&hour=${other}`)
  const copy = await copyOf()
  expect(await copy.getByRole('heading', { name: /UTC$/ }).textContent()).toBe(await opened.textContent())
  await copy.locator(`[data-cell="${recorded.getUTCHours()}"]`).click()
  await copy.getByRole('table', { name: 'Gaps of the hour' }).waitFor()
})

test('the code of a market runs as it is shown', PATIENTLY, async () => {
  const page = await signedIn('codes', `/app/m/${world.complete.market.slug}?tab=code`)
  const key = (await page.evaluate(`fetch('/v1/api-keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-requested-with': 'bookreel' },
    body: JSON.stringify({ label: 'code', scopes: ['live', 'history'] }),
  }).then((answer) => answer.json()).then(({ key }) => key)`)) as string
  const env = { PATH, BOOKREEL_KEY: key }
  const codeOf = async (language: string): Promise<string> =>
    (await page.getByRole('region', { name: language }).locator('pre').textContent()) ?? ''
  await page.getByRole('button', { name: 'bars', exact: true }).click()
  const first = new Date(PAST_HOUR_MS).toISOString()
  const bars = JSON.parse((await run('sh', ['-c', await codeOf('curl')], { env })).stdout)
  expect(bars.bars[0]).toMatchObject({ start: first, snapshot_count: 160 })
  const folder = `${ROOT}/out/console-code`
  await mkdir(folder, { recursive: true })
  try {
    await writeFile(`${folder}/bars.ts`, await codeOf('TypeScript'))
    const typescript = await run(process.execPath, ['--conditions=bookreel-source', `${folder}/bars.ts`], { env })
    expect(typescript.stdout).toContain(`${first} ${bars.bars[0].open}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const python = await run('python3', ['-c', await codeOf('Python')], { env })
  expect(python.stdout).toContain(`${first} ${bars.bars[0].open}`)
  const cli = (await codeOf('Command line')).replace(/^bookreel/, '')
  const words = ['--conditions=bookreel-source', `${ROOT}/cli/src/main.ts`, ...cli.trim().split(' ')]
  expect((await run(process.execPath, words, { env })).stdout).toContain('160/')
  await page.goto(`${page.url()}&at=${PAST_HOUR_MS + 1_000}`)
  await page.getByRole('button', { name: 'book at a moment', pressed: true }).waitFor()
  const book = JSON.parse((await run('sh', ['-c', await codeOf('curl')], { env })).stdout)
  expect(book.sequence_number).toBe((PAST_HOUR_MS + 1_000) / world.complete.market.captureIntervalMs)
  await page.getByRole('button', { name: 'Copy the curl code' }).click()
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()'), SOON).toBe(await codeOf('curl'))
  await scene.picture(page, 'market-code')
})
