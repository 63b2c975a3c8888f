// Nightly: eighteen pages are opened for one test.
import { readFile } from 'node:fs/promises'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { PAST_HOUR_MS } from '../../testbed/src/service/past-market.ts'
import { type ConsoleScene, PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'
import { type RecordedWorld, WINDOWS } from './recorded-world.ts'

const HOUR = new Date(PAST_HOUR_MS).toISOString()
const HOUR_END = new Date(PAST_HOUR_MS + 3_600_000).toISOString()
const PART = 'start,expected_slots,stored_slots,missing_slots,suspect_slots,share,condition,causes'

interface SavedList {
  readonly path: string
  readonly name: string
  /** The line of names, or how it begins. */
  readonly names: string
  /** Number of rows, or the table of the page that has as many. */
  readonly rows: number | string
}

/** All that ended: three with and without gaps, an hour that wanders, the sample, and windows. */
const RECORDED = 5 + WINDOWS

function lists({ degraded, complete, days }: RecordedWorld): SavedList[] {
  const ofMarket = `/app/m/${degraded.market.slug}?tab=coverage`
  const hours = `/app/coverage?day=${HOUR.slice(0, 10)}`
  const free = (product: string) =>
    `/app/downloads?product=${product}&markets=${complete.market.id}&from=${HOUR}&to=${HOUR_END}`
  const short = complete.market.id.slice(0, 10)
  return [
    { path: '/app/markets', name: 'markets', names: 'conditionId,category,', rows: 61 },
    { path: '/app/markets?q=above', name: 'markets', names: 'market_id,slug,', rows: 60 },
    { path: '/app/markets?view=ever', name: 'recorded-markets', names: 'crypto,timeframe,market_id,', rows: RECORDED },
    {
      path: '/app/coverage',
      name: 'coverage-days',
      names: `${PART},market_count`,
      rows: 'Coverage of all markets, by day',
    },
    { path: hours, name: 'coverage-hours', names: `${PART},market_count`, rows: 'Coverage of all markets, by hour' },
    { path: `/app/coverage?day=${days.degraded}`, name: 'worst-markets', names: 'market_id,slug,question,', rows: 1 },
    { path: ofMarket, name: 'coverage-days', names: PART, rows: 1 },
    { path: ofMarket, name: 'coverage-hours', names: PART, rows: 1 },
    { path: ofMarket, name: 'gaps', names: 'first_slot,last_slot,from,to,cause,', rows: 'Gaps of the hour' },
    { path: free('bars'), name: `bars-${short}`, names: 'start,open,high,low,close,', rows: 1 },
    { path: free('trades'), name: `trades-${short}`, names: 'market_id,token_id,side,', rows: 0 },
    { path: '/app/downloads', name: 'bought-files', names: 'path,market,hour,credits,boughtAt,until', rows: 1 },
    { path: '/app/status', name: 'incidents', names: 'service,started_at,ended_at', rows: 1 },
    { path: '/app/keys', name: 'api-keys', names: 'id,label,preview,scopes,', rows: 1 },
    { path: '/app/billing', name: 'invoices', names: 'invoiceId,invoiceUrl,pack,', rows: 1 },
    { path: '/app/credits', name: 'credits', names: 'id,at,kind,credits,', rows: 'Credit history' },
    { path: '/app/account', name: 'account-events', names: 'at,kind,subject,detail', rows: 'Account events' },
    { path: '/app/usage', name: 'usage', names: 'day,keyId,keyLabel,endpoint,', rows: 'Usage by day and key' },
  ]
}

/** Somebody whose tier includes csv, with a key, an invoice, a bought file and what follows from them. */
async function busyPerson(scene: ConsoleScene, world: RecordedWorld, page: Page): Promise<void> {
  await scene.signIn(page, 'collects')
  const accountId = await scene.equip(page, 'scale', 5_000)
  expect(await scene.postElsewhere(page, '/v1/api-keys', { label: '=1+1', scopes: ['live'] })).toBe(201)
  const pack = { id: 'credits_10k', tier: null, priceUsd: 5, credits: 10_000, months: 0 } as const
  const { invoices } = scene.account.service.stores
  await invoices.begin({ accountId, provider: 'nowpayments', pack, lifeMinutes: 60 })
  const hour = await asked(page, `/app/api/v1/markets/${world.complete.market.id}/export?hour=${HOUR}`)
  expect(hour.status).toBe(200)
  const usage = async (): Promise<string> => (await asked(page, '/app/api/v1/usage')).text
  await scene.account.syncClock()
  await expect.poll(usage, SOON).toContain('export_hour')
  scene.account.service.clock.nowMs = WORLD_NOW_MS
}

function asked(page: Page, path: string): Promise<{ status: number; text: string }> {
  return page.evaluate(`fetch('${path}', { headers: { 'x-requested-with': 'bookreel' } })
    .then(async (answer) => ({ status: answer.status, text: await answer.text() }))`)
}

async function saved(page: Page, name: string): Promise<string> {
  const button = page.getByRole('button', { name: `Save ${name} as csv` })
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()])
  expect(file.suggestedFilename()).toBe(`${name}.csv`)
  return readFile(await file.path(), 'utf8')
}

test('every list is saved as csv with all of its rows', PATIENTLY, async ({ scene, world }) => {
  const page = await scene.newPage()
  await busyPerson(scene, world, page)
  const files = new Map<string, string>()
  for (const { path, name, names, rows } of lists(world)) {
    await page.goto(`${scene.origin}${path}`)
    const file = await saved(page, name)
    files.set(`${path} ${name}`, file)
    const [first = '', ...others] = file.trimEnd().split('\n')
    if (typeof rows === 'string' && rows.startsWith('Coverage'))
      await page.getByRole('button', { name: 'Show as table' }).click()
    const table = page.getByRole('table', { name: String(rows) })
    if (typeof rows === 'string') await table.waitFor()
    const expected = typeof rows === 'string' ? await table.locator('tbody tr').count() : rows
    expect({ path, name, first: first.slice(0, names.length), rows: others.length }).toEqual({
      path,
      name,
      first: names,
      rows: expected,
    })
  }
  // A spreadsheet must not run what somebody wrote.
  expect(files.get('/app/keys api-keys')).toContain(",'=1+1,")
  // What the page writes itself is what the service would send.
  const { id, slug } = world.degraded.market
  const day = HOUR.slice(0, 10)
  const parts = { days: 'by=day', hours: `by=hour&from=${day}T00:00:00Z&to=${HOUR_END}` }
  for (const [part, query] of Object.entries(parts)) {
    const { text } = await asked(page, `/app/api/v1/markets/${id}/coverage?${query}&format=csv&spreadsheet_safe=true`)
    expect(files.get(`/app/m/${slug}?tab=coverage coverage-${part}`)).toBe(text)
  }
})

test('a tier without csv is told so, and visitors have no button', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage()
  await page.goto(`${scene.origin}/app/status`)
  await page.getByRole('table', { name: 'Incidents' }).waitFor()
  expect(await page.getByText('csv').count()).toBe(0)
  await scene.signIn(page, 'free')
  await page.goto(`${scene.origin}/app/status`)
  await page.getByText('csv: not in your tier').waitFor()
  expect(await page.getByRole('button', { name: /as csv$/ }).count()).toBe(0)
})
