import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type ConsoleScene, SOON } from './console-scene.ts'

/** After the engine is healthy again; other tests run beside this one. */
const RECOVERED = SOON

type TabName = 'live' | 'markets' | 'history' | 'keys' | 'account' | 'status' | 'ops'

/** Pages that are open beside each other, and what each shows while everything works. */
const TABS: Readonly<Record<TabName, { readonly path: string; readonly shown: string }>> = {
  live: { path: '/m/BTC/5m', shown: 'tr[data-side=bid]' },
  markets: { path: '/markets', shown: 'a[data-market]' },
  history: { path: '/m/BTC/5m?tab=history', shown: 'tr[data-side=bid]' },
  keys: { path: '/keys', shown: 'td bdi' },
  account: { path: '/account', shown: 'table tbody tr' },
  status: { path: '/status', shown: '[role=slider]' },
  ops: { path: '/ops', shown: 'main dl dd' },
}

interface Outage {
  readonly engine: 'clickhouse' | 'redis' | 'postgres' | 'nats'
  /** Beginning of what every page says; undefined when requests of pages do not need the engine. */
  readonly notice?: string
  /** Pages that ask for something that the engine has: what they had is marked as old. */
  readonly old: readonly TabName[]
  /** Whether the stream goes on. */
  readonly isMoving: boolean
  /** The part of the page about the status that is down. */
  readonly part: string
}

export const OUTAGES: readonly Outage[] = [
  {
    engine: 'clickhouse',
    notice: 'Unavailable now: history; downloads. These work: live books and prices; keys, credits and billing;',
    old: [],
    isMoving: true,
    part: 'History',
  },
  {
    engine: 'redis',
    notice: 'Unavailable now: live books and prices; history; downloads; keys, credits and billing; sign-in',
    old: ['markets', 'history', 'keys', 'account', 'ops'],
    isMoving: false,
    part: 'Live books',
  },
  {
    engine: 'postgres',
    notice:
      'Unavailable now: downloads; keys, credits and billing; sign-in. These work: live books and prices; history;',
    old: ['keys', 'account', 'ops'],
    isMoving: true,
    part: 'Accounts',
  },
  { engine: 'nats', old: [], isMoving: false, part: 'Recording' },
]

export type Tabs = Readonly<Record<TabName, Page>>

/** Opens all tabs of one person, and marks each, so that a reload would be noticed. */
export async function openTabs(scene: ConsoleScene): Promise<Tabs> {
  const first = await scene.newPage()
  await scene.signIn(first, 'operator.in.outages')
  await scene.equip(first, 'pro', 5_000)
  expect(await scene.postElsewhere(first, '/v1/api-keys', { label: 'kept' })).toBe(201)
  const opened = Object.entries(TABS).map(async ([name, { path, shown }]) => {
    const page = await first.context().newPage()
    await page.goto(`${scene.origin}/app${path}`)
    await page.locator(shown).first().waitFor()
    await page.evaluate('window.isSamePage = true')
    return [name, page] as const
  })
  const tabs = Object.fromEntries(await Promise.all(opened)) as Record<TabName, Page>
  await first.close()
  return tabs
}

/** Number of things that each page shows, and whether it is still the page that was opened. */
async function expectKept(tabs: Tabs): Promise<void> {
  for (const [name, { shown }] of Object.entries(TABS)) {
    const page = tabs[name as TabName]
    const kept = {
      isShown: (await page.locator(shown).count()) > 0,
      isSignedOut: (await page.locator('main').getAttribute('inert')) !== null,
      isSamePage: await page.evaluate('window.isSamePage === true'),
    }
    expect([name, kept]).toEqual([name, { isShown: true, isSignedOut: false, isSamePage: true }])
    // A page that goes on with the next window loads for a moment.
    await expect.poll(async () => [name, await page.getByText('Loading …').count()], SOON).toEqual([name, 0])
  }
}

function newestColumn(page: Page): Promise<number> {
  return page.evaluate("document.querySelector('[role=img]')?.heatMap?.data.rings[0].newest ?? 0")
}

export async function untilMoving(page: Page): Promise<void> {
  await expect.poll(() => newestColumn(page), SOON).toBeGreaterThan(0)
  const first = await newestColumn(page)
  await expect.poll(() => newestColumn(page), SOON).toBeGreaterThan(first)
}

export async function untilLadderMoves(page: Page): Promise<void> {
  const ladder = page.getByRole('region', { name: 'Order book' })
  await ladder.locator('tr[data-side=bid]').first().waitFor()
  const before = await ladder.textContent()
  await expect.poll(() => ladder.textContent(), SOON).not.toBe(before)
}

/** While an engine is away: every page says so, and keeps what it had. */
export async function expectOutage(tabs: Tabs, { notice, old, isMoving, part }: Outage): Promise<void> {
  const { live, markets, status } = tabs
  if (notice !== undefined)
    await Promise.all(Object.values(tabs).map((page) => outageOf(page).getByText(notice).waitFor()))
  await Promise.all(old.map((name) => oldOf(tabs[name]).waitFor()))
  await status.getByText('Degraded', { exact: true }).waitFor()
  await status.getByRole('listitem').filter({ hasText: part }).getByText('down', { exact: true }).waitFor()
  if (isMoving) await untilMoving(live)
  else await live.getByText(/^Stale \d/).waitFor()
  if (notice === undefined)
    await Promise.all([live, markets].map((page) => page.getByText('Recording is interrupted').waitFor()))
  await expectKept(tabs)
}

/** Nothing is said about the outage any more, and everything is current. */
export async function expectRecovery(tabs: Tabs): Promise<void> {
  const saidOn = async (page: Page): Promise<string[]> => {
    const said = [outageOf(page).getByText(/./), oldOf(page), page.getByRole('alert')]
    return (await Promise.all(said.map((each) => each.allTextContents()))).flat()
  }
  const unwell = async (): Promise<string[]> => {
    const pages = Object.entries(tabs).map(async ([name, page]) =>
      (await saidOn(page)).map((text) => `${name}: ${text}`),
    )
    return (await Promise.all(pages)).flat()
  }
  await expect.poll(unwell, RECOVERED).toEqual([])
  await tabs.status.getByText('Working', { exact: true }).waitFor(RECOVERED)
  await tabs.live.getByText(/^(Proved|Proved once)$/).waitFor(RECOVERED)
  await tabs.live.getByText('Recording is interrupted').waitFor({ state: 'detached', ...RECOVERED })
  await untilMoving(tabs.live)
  await expectKept(tabs)
}

function outageOf(page: Page) {
  return page.getByRole('status', { name: 'Outage' })
}

function oldOf(page: Page) {
  return page.getByText(/^As of .* A part of the service is unavailable\. The page tries again\.$/).first()
}
