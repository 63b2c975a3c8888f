// Nightly: the page of downloads is asked again for each choice.
import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { HOUR_MS, PAST_HOUR_MS } from '../../service/test/account/recorded-windows.ts'
import { PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'

const WINDOWS_DAY = `from=${instant(PAST_HOUR_MS - 19 * HOUR_MS)}&to=${instant(PAST_HOUR_MS + HOUR_MS)}`

function instant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

test('single markets are chosen by id, and the choice is the address', PATIENTLY, async ({ scene, world }) => {
  const windowIds = world.windows.map(({ market }) => market.id)
  const page = await scene.signedInPage('chooses', 'scale', `/app/downloads?${WINDOWS_DAY}`)
  await page.getByRole('link', { name: 'Single markets' }).click()
  await page.getByText('Choose a market first.').waitFor()
  await page.getByLabel('Find a market, or paste its id').fill(windowIds[0] ?? '')
  await page.getByRole('button', { name: 'List 1 file', exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.get('markets')).toBe(windowIds[0])
  await page.getByText(`--markets ${windowIds[0]} `).waitFor()
  // The calendar beside the fields chooses a day: that of the second window.
  const day = instant(PAST_HOUR_MS - 2 * HOUR_MS).slice(0, 10)
  await page.locator(`[data-cell="${day}"]`).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('from'), SOON).toBe(`${day}T00:00:00Z`)
  // A market that has ended is found by its words, and its bars are saved without a price.
  await page.getByLabel('Find a market, or paste its id').fill('window-1')
  await page.getByRole('button', { name: 'Add What of window-1?', exact: true }).click()
  await page.getByRole('link', { name: 'Bars (csv)' }).click()
  const bars = page.getByRole('list', { name: 'Files to save' }).getByRole('button')
  await expect.poll(() => bars.count(), SOON).toBe(2)
  const [csv] = await Promise.all([page.waitForEvent('download'), bars.last().click()])
  const lines = (await readFile(await csv.path(), 'utf8')).trim().split('\n')
  expect(lines[0]).toContain('open')
  expect(lines.length).toBeGreaterThan(5)
  await page.getByRole('link', { name: 'Hours (Parquet)' }).click()
  await page.getByRole('button', { name: `Remove ${windowIds[1]}` }).click()
  await page.getByRole('button', { name: 'Newest hour' }).click()
  await expect.poll(() => page.getByRole('button', { name: 'List 1 file', exact: true }).count(), SOON).toBe(0)
})
