// Nightly: programs of four languages are started, and a link is opened thrice.
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { PAST_HOUR_MS } from '../../testbed/src/service/past-market.ts'
import { PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'
import { putBook } from './recorded-world.ts'

const run = promisify(execFile)
/** Where Debian has curl and python3. */
const PATH = '/usr/local/bin:/usr/bin:/bin'
const searchOf = (page: Page): string => new URL(page.url()).search
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

test(
  'prices of the visible rows follow the books, and a row without a book says why',
  PATIENTLY,
  async ({ scene, world }) => {
    const [first] = world.open
    if (first === undefined) throw new Error('no market')
    await putBook(scene.account.service, first, 5_200)
    const page = await scene.signedInPage('watches', 'pro', '/app/markets?coin=BTC')
    const row = (market: { question: string }) => page.getByRole('row').filter({ hasText: market.question })
    await row(first).getByText('0.52 · 0.54').waitFor()
    await row(first).getByText('52 % · 54 %').waitFor()
    await row(first).getByText('2¢').waitFor()
    await row(world.open[1] ?? first)
      .getByText('no recent book')
      .waitFor()
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('/v1/quotes') && asked.push(request.url()))
    await putBook(scene.account.service, first, 6_100)
    await row(first).getByText('0.61 · 0.63').waitFor()
    // Rows below the edge of the screen are not asked for.
    expect(asked.at(-1)).toContain(first.id)
    expect(asked.at(-1)).not.toContain(world.open[29]?.id)
    await scene.picture(page, 'markets-now')
  },
)

test('the code of a market runs as it is shown', PATIENTLY, async ({ scene, world }) => {
  const page = await scene.signedInPage('codes', 'pro', `/app/m/${world.complete.market.slug}?tab=code`)
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

test('a copied link opens the same hour of a market, or none', PATIENTLY, async ({ scene, world }) => {
  const page = await scene.signedInPage('shares', 'pro', `/app/m/${world.degraded.market.slug}?tab=coverage`)
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
