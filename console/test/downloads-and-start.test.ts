import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Download, Page } from 'playwright-core'
import { expect } from 'vitest'
import { HOUR_MS, PAST_HOUR_MS } from '../../service/test/account/recorded-windows.ts'
import { type ConsoleScene, complaintsOf, PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'
import { WINDOWS } from './recorded-world.ts'

const WINDOWS_DAY = `from=${instant(PAST_HOUR_MS - 19 * HOUR_MS)}&to=${instant(PAST_HOUR_MS + HOUR_MS)}`
const DAY_OF_WINDOWS = `/app/downloads?coin=DOGE&timeframe=5m&${WINDOWS_DAY}`

function instant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

async function sha256Of(download: Download): Promise<string> {
  return createHash('sha256')
    .update(await readFile(await download.path()))
    .digest('hex')
}

/** Credits of the account, from the service itself. */
async function balance({ account }: ConsoleScene, accountId: string): Promise<number> {
  return (await account.access.ledger.spendable(accountId))?.balance ?? Number.NaN
}

/** Colours of the map that are neither the ground nor transparent. */
const DRAWN = `(() => {
  const canvas = document.querySelector('figure [role=img] canvas')
  if (canvas === null || canvas.width === 0) return 0
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  return new Set(new Uint32Array(data.buffer)).size
})()`

test(
  'a visitor scrubs the sample without signing in, and its file has the hash that is shown',
  PATIENTLY,
  async ({ scene }) => {
    const page = await scene.worldPage()
    const complaints = complaintsOf(page)
    await page.goto(`${scene.origin}/app`)
    await expect.poll(() => page.evaluate(DRAWN), SOON).toBeGreaterThan(4)
    const book = page.getByRole('table', { name: 'Book at the scrubber' })
    const before = await book.textContent()
    const scrubber = page.getByRole('slider', { name: 'Time' })
    await scrubber.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => book.textContent(), SOON).not.toBe(before)
    await scrubber.fill(String(PAST_HOUR_MS + 9_100 * 250 - ((9_100 * 250) % 4_000)))
    await page.getByText('Nothing is stored here.').waitFor()
    await page.getByText('Cause: disconnected.').waitFor()

    const shown = await page
      .locator('dd code')
      .filter({ hasText: /^[0-9a-f]{64}$/ })
      .textContent()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Download the sample/ }).click(),
    ])
    await page.getByText('saved, SHA-256 checked').waitFor()
    expect(await sha256Of(download)).toBe(shown)
    expect(download.suggestedFilename()).toMatch(/\.parquet$/)
    await scene.picture(page, 'start-with-sample')
    expect(complaints).toEqual([])
  },
)

test('the estimate of a day of ten windows is what the download charges, once', PATIENTLY, async ({ scene }) => {
  const page = await scene.signedInPage('buys', 'scale', DAY_OF_WINDOWS)
  const complaints = complaintsOf(page)
  const accountId = await scene.accountOf(page)
  const figure = (name: string) =>
    page
      .locator('dl > div')
      .filter({ has: page.getByText(name, { exact: true }) })
      .locator('dd')
  await expect.poll(() => figure('Files').textContent(), SOON).toBe(`${WINDOWS}of ${WINDOWS} markets`)
  const estimated = Number.parseInt((await figure('Credits needed').textContent()) ?? '', 10)
  expect(estimated).toBeGreaterThan(WINDOWS)
  await page.getByRole('button', { name: `List ${WINDOWS} files` }).click()
  const start = page.getByRole('button', { name: `Download ${WINDOWS} files · ${estimated} credits` })
  await start.waitFor()
  const before = await balance(scene, accountId)
  const downloads: Download[] = []
  page.on('download', (download) => downloads.push(download))
  await start.click()
  await page.getByText(`${WINDOWS} of ${WINDOWS} saved and checked. Charged ${estimated} credits.`).waitFor()
  expect(before - (await balance(scene, accountId))).toBe(estimated)
  await expect.poll(() => downloads.length, SOON).toBe(WINDOWS)
  const hashes = await page.getByRole('table', { name: 'Files', exact: true }).locator('code').allTextContents()
  expect((await Promise.all(downloads.map(sha256Of))).toSorted()).toEqual(hashes.toSorted())
  expect(new URL(page.url()).searchParams.get('done')).toBe(String(WINDOWS))
  await page.getByRole('table', { name: 'Bought files' }).getByRole('row').nth(WINDOWS).waitFor()
  await scene.picture(page, 'downloads-done')

  // After a reload nothing is paid again, and the page knows how far it was.
  await page.goto(`${scene.origin}${DAY_OF_WINDOWS}&done=7`)
  await page.getByRole('button', { name: `List ${WINDOWS} files` }).click()
  await page.getByText(`7 of ${WINDOWS} were downloaded before.`).waitFor()
  await page.getByRole('button', { name: 'Continue with 3 files · free' }).click()
  await page.getByText(`3 of ${WINDOWS} saved and checked. Nothing was charged.`).waitFor()
  expect(before - (await balance(scene, accountId))).toBe(estimated)
  await expect
    .poll(() => page.getByLabel('Chosen markets').or(page.getByText(`--markets DOGE/5m`)).first().isVisible(), SOON)
    .toBe(true)
  expect(complaints).toEqual([])
})

test('a download that cannot begin says why, before anything is charged', PATIENTLY, async ({ scene }) => {
  const page = await scene.signedInPage('refused', 'free', DAY_OF_WINDOWS)
  await page.getByText('Your tier does not include these files.').waitFor()

  const accountId = await scene.equip(page, 'scale', 5_000)
  expect(await patchBudget(page, 4)).toBe(200)
  await page.goto(`${scene.origin}${DAY_OF_WINDOWS}`)
  await page.getByRole('button', { name: `List ${WINDOWS} files` }).click()
  await page.getByRole('alert').getByText('26 credits missing: the files cost 30, and you can spend 4 here.').waitFor()
  expect(await page.getByRole('button', { name: /^Download 10 files/ }).isDisabled()).toBe(true)

  const later = instant(PAST_HOUR_MS + 30 * HOUR_MS)
  await page.goto(`${scene.origin}/app/downloads?coin=DOGE&from=${later}&to=${instant(PAST_HOUR_MS + 31 * HOUR_MS)}`)
  await page.getByText('Nothing was recorded in this time. Choose another time, or other markets.').waitFor()
  await page.goto(`${scene.origin}/app/downloads?coin=NOCOIN`)
  await page.getByRole('alert').getByText('The request was not accepted.').waitFor()
  expect(await balance(scene, accountId)).toBeGreaterThanOrEqual(5_000)
})

async function patchBudget(page: Page, creditLimit: number): Promise<number> {
  return (await page.evaluate(`fetch('/app/api/budget', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-requested-with': 'bookreel' },
    body: '{"creditLimit":${creditLimit}}',
  }).then(({ status }) => status)`)) as number
}

test(
  'the data of a market: counts, rows with their price, columns, and the file of an hour',
  PATIENTLY,
  async ({ scene, world }) => {
    const page = await scene.signedInPage('looks', 'scale', `/app/m/${world.windows[1]?.market.id}?tab=data`)
    const complaints = complaintsOf(page)
    const accountId = await scene.accountOf(page)
    await page.getByText('Slots expected').waitFor()
    const before = await balance(scene, accountId)
    await page.getByRole('button', { name: 'Show 100 rows · 10 credits' }).click()
    const rows = page.getByRole('table', { name: 'Stored rows' }).locator('tbody tr')
    await expect.poll(() => rows.count(), SOON).toBe(100)
    expect(before - (await balance(scene, accountId))).toBe(10)
    await page.getByText('What each column means').click()
    await page.getByRole('row').filter({ hasText: 'the slot; it grows by 1' }).waitFor()
    await page.locator('summary').filter({ hasText: '2,400 rows' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download · 3 credits' }).click(),
    ])
    await page.getByText('saved, SHA-256 checked').waitFor()
    await page.getByText('Free again until').waitFor()
    await page.getByText(await sha256Of(download)).waitFor()
    await page.getByRole('button', { name: 'Download · free' }).click()
    expect(before - (await balance(scene, accountId))).toBe(13)
    await scene.picture(page, 'market-data')

    await page.goto(`${scene.origin}/app`)
    await page.getByRole('list', { name: 'Markets that you viewed' }).getByText('What of window-1?').waitFor()
    await page.goto(`${scene.origin}/app/credits`)
    await page.getByRole('row').filter({ hasText: 'Charged: export hour' }).getByText('−3').waitFor()
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save credits as csv' }).click(),
    ])
    const lines = (await readFile(await csv.path(), 'utf8')).trim().split('\n')
    expect(lines[0]).toContain('balanceAfter')
    expect(lines.filter((line) => line.includes('export_hour'))).toHaveLength(1)
    await scene.picture(page, 'credits')
    expect(complaints).toEqual([])
  },
)
