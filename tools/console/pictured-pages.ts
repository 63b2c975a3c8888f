import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '@bookreel/testbed/browser/real-browser'
import { saveSimulatedUsage } from './simulated-usage.ts'
import { SHOWN_DAYS_AGO, saveSimulatedYear } from './simulated-year.ts'
import { untilReady } from './visit.ts'
import type { Look, VisitedConsole } from './visited-console.ts'

export interface Pictured {
  readonly name: string
  readonly look?: Look
  /** Whose pages these are; a visitor is not signed in. */
  readonly as: 'visitor' | 'trader' | 'owner' | 'operator'
  readonly show: (page: Page, scene: Scene) => Promise<void>
}

export interface Scene {
  readonly visited: VisitedConsole
  /** A market of the finished hour. */
  readonly slug: string
  readonly hourMs: number
  /** Since when the simulated markets are recorded. */
  readonly recordedFromMs: number
}

/** A live map of five minutes is filled then. */
const FILLED_MS = 320_000
const MINUTE_MS = 60_000
const MOVING_FOR_MS = 20_000
const GAP_MS = 20_000
const AFTER_GAP_MS = 15_000
const SETTLED_MS = 2_000
const COUNTED_MS = 15_000

/** Live markets come last: their maps are empty until something was recorded. The gap would spoil the pages after it. */
export const PICTURED: readonly Pictured[] = [
  { name: 'start', as: 'visitor', look: { height: 960 }, show: (page, scene) => open(page, scene, '/app') },
  { name: 'replay', as: 'trader', look: { height: 940 }, show: inTheMiddle },
  { name: 'calendar', as: 'trader', look: { height: 1_000 }, show: ofAYear },
  { name: 'keys', as: 'owner', look: { height: 460 }, show: withKeys },
  {
    name: 'usage',
    as: 'owner',
    look: { height: 920 },
    show: (page, scene) => open(page, scene, '/app/usage'),
  },
  { name: 'invoice-underpaid', as: 'owner', look: { height: 740 }, show: paidInPart },
  { name: 'operator', as: 'operator', look: { height: 940 }, show: withSmallLines },
  { name: 'market-dark', as: 'trader', look: { height: 880 }, show: moving },
  { name: 'market-light', as: 'trader', look: { theme: 'light', height: 880 }, show: moving },
  { name: 'market-small', as: 'trader', look: { width: 360, height: 740 }, show: moving },
  { name: 'gap', as: 'trader', look: { height: 880 }, show: inAGap },
]

async function open(page: Page, { visited }: Scene, path: string): Promise<void> {
  await untilReady(page, `${visited.service.address}${path}`)
  await sleep(SETTLED_MS)
}

async function ofAYear(page: Page, scene: Scene): Promise<void> {
  const nowMs = Date.now()
  const live = await read<readonly { conditionId: string }[]>(page, '/app/api/v1/markets/live?limit=3')
  const ids = live.map(({ conditionId }) => conditionId)
  await saveSimulatedYear(scene.visited.service.environment, ids, nowMs)
  const day = new Date(nowMs - SHOWN_DAYS_AGO * 86_400_000).toISOString().slice(0, 10)
  await open(page, scene, `/app/coverage?day=${day}`)
}

async function inTheMiddle(page: Page, scene: Scene): Promise<void> {
  await open(page, scene, `/app/m/${scene.slug}?tab=history&at=${scene.hourMs + 30 * MINUTE_MS}`)
  await page.waitForLoadState('networkidle')
}

/** The board asks twice a minute, and its small lines begin when it is opened. */
async function withSmallLines(page: Page, scene: Scene): Promise<void> {
  await open(page, scene, '/app/ops')
  await sleep(3 * MINUTE_MS)
}

async function moving(page: Page, scene: Scene): Promise<void> {
  await sleep(Math.max(0, scene.recordedFromMs + FILLED_MS - Date.now()))
  await open(page, scene, '/app/m/BTC/5m?span=5')
  await sleep(MOVING_FOR_MS)
}

/** The venue refuses connections for a while, so that nothing can be recorded. */
async function inAGap(page: Page, scene: Scene): Promise<void> {
  await moving(page, scene)
  const refused = await order(scene, { name: 'refuse-upgrade', target: { feed: 'polymarket' } })
  await order(scene, { name: 'disconnect', target: { feed: 'polymarket' } })
  await sleep(GAP_MS)
  await fetch(`${scene.visited.service.simulatorAdmin}/faults/${refused}`, { method: 'DELETE' })
  await sleep(AFTER_GAP_MS)
}

async function order({ visited }: Scene, fault: object): Promise<string> {
  const answer = await fetch(`${visited.service.simulatorAdmin}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  })
  if (!answer.ok) throw new Error(`The simulator refused the fault: ${await answer.text()}`)
  return ((await answer.json()) as { id: string }).id
}

async function withKeys(page: Page, scene: Scene): Promise<void> {
  await open(page, scene, '/app/keys')
  const { address, environment } = scene.visited.service
  const bot = await newKey(page, { label: 'trading bot' })
  const notebook = await newKey(page, { label: 'notebook', scopes: ['history'], credit_limit: 20_000 })
  const screen = await newKey(page, { label: 'office screen', scopes: ['live'] })
  const call = async (key: string, path: string, times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await fetch(`${address}${path}`, { headers: { 'x-api-key': key } })
  }
  await call(bot.key, '/v1/markets/live?limit=1', 40)
  await call(screen.key, '/v1/markets/live?limit=1', 15)
  const { market_id: marketId } = await read<{ market_id: string }>(page, `/app/api/v1/markets/by-slug/${scene.slug}`)
  await call(notebook.key, `/v1/markets/${marketId}/snapshots?limit=100&side=UP`, 30)
  const { accountId } = await read<{ accountId: string }>(page, '/auth/session')
  await saveSimulatedUsage(
    environment,
    accountId,
    [
      {
        id: bot.id,
        calls: { get_orderbook: 1_450, list_live_markets: 240, stream_replay: 12 },
        refused: [{ endpoint: 'get_orderbook', code: 'rate_limited', calls: 37 }],
      },
      {
        id: notebook.id,
        calls: { list_snapshots: 310, list_bars: 120 },
        refused: [{ endpoint: 'list_live_markets', code: 'scope_not_allowed', calls: 4 }],
      },
      { id: screen.id, calls: { list_quotes: 480 } },
    ],
    Date.now(),
  )
  // Calls are counted in the account within a few seconds.
  await sleep(COUNTED_MS)
  await open(page, scene, '/app/keys')
}

async function read<T>(page: Page, path: string): Promise<T> {
  return (await page.evaluate(
    `fetch('${path}', { headers: { 'x-requested-with': 'bookreel' } }).then((answer) => answer.json())`,
  )) as T
}

async function newKey(page: Page, body: object): Promise<{ id: string; key: string }> {
  return (await page.evaluate(`fetch('/v1/api-keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-requested-with': 'bookreel' },
    body: ${JSON.stringify(JSON.stringify(body))},
  }).then((answer) => answer.json())`)) as { id: string; key: string }
}

async function paidInPart(page: Page, scene: Scene): Promise<void> {
  await open(page, scene, '/app/billing')
  await page.getByRole('button', { name: 'Buy for $5: 10,000 credits' }).click()
  const address = await page.getByRole('link', { name: 'Open the payment page' }).getAttribute('href')
  const shop = await page.context().newPage()
  await shop.goto(address ?? '')
  await shop.getByRole('button', { name: /half/i }).click()
  await page.getByRole('heading', { name: 'A part of the payment is missing' }).waitFor()
  await sleep(SETTLED_MS)
}
