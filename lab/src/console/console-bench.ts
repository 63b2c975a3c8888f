import { join } from 'node:path'
import { buildConsole } from '@bookreel/console/build'
import { readConfig } from '@bookreel/service/config'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { Samples } from '@bookreel/service/stores/books/samples'
import { makeSample } from '@bookreel/service/wiring/make-sample'
import { random } from '@bookreel/simulator/world/random'
import { type Page, startBrowser } from '@bookreel/testbed/browser/real-browser'
import { freePort } from '@bookreel/testbed/free-port'
import { ApiService } from '../api-service.ts'
import type { Progress } from '../experiment.ts'
import { fillHour } from '../fill-hour.ts'
import { madeUpMarket } from '../made-up-market.ts'
import { FaultLine } from '../stream/fault-line.ts'
import { activeBooks } from './active-market.ts'
import { WatchedPage } from './watched-page.ts'

const HOUR_MS = 3_600_000
/** Rows of the last 24 hours may still come late, so their tiles are not kept. */
const PAST_MS = 48 * HOUR_MS
const CREDITS = 1_000_000
const PAGE_TIMEOUT_MS = 60_000

type Context = ReturnType<Page['context']>
type Browser = Awaited<ReturnType<typeof startBrowser>>['browser']
type State = Awaited<ReturnType<Context['storageState']>>

/** The screen, and whose page it is. */
export interface Look {
  readonly width: number
  readonly height: number
  readonly theme: 'light' | 'dark'
  readonly role: 'visitor' | 'user' | 'operator'
}

const USUAL_LOOK: Look = { width: 1_280, height: 900, theme: 'dark', role: 'user' }

export interface BenchOptions {
  readonly markets: number
  /** Slots of the past hour. */
  readonly slots: number
  readonly folder: string
}

interface Parts extends Pick<ConsoleBench, 'origin' | 'past' | 'service' | 'line'> {
  readonly browser: Browser
  readonly states: Readonly<Record<'user' | 'operator', State>>
}

/** A recording service with the web console, a market with a past hour that is also the public sample, and a browser. */
export class ConsoleBench implements AsyncDisposable {
  readonly origin: string
  readonly past: { readonly id: string; readonly slug: string; readonly fromMs: number; readonly toMs: number }
  readonly service: ApiService
  /** Between the browser and the service. */
  readonly line: FaultLine
  readonly #parts: Parts
  readonly #all: AsyncDisposableStack

  private constructor(parts: Parts, all: AsyncDisposableStack) {
    this.origin = parts.origin
    this.past = parts.past
    this.service = parts.service
    this.line = parts.line
    this.#parts = parts
    this.#all = all
  }

  static async start({ markets, slots, folder }: BenchOptions, progress: Progress): Promise<ConsoleBench> {
    await using started = new AsyncDisposableStack()
    progress('building the web console')
    const consoleFolder = join(folder, 'console')
    await buildConsole(consoleFolder)
    const port = await freePort()
    const line = started.use(await FaultLine.to(port, random('console', 'line')))
    const origin = `http://127.0.0.1:${line.port}`
    const nowMs = Date.now()
    const fromMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - PAST_MS
    const market = madeUpMarket('console', 0, nowMs)
    const settings = { CONSOLE_DIR: consoleFolder, PUBLIC_URL: origin }
    const world = ['--markets', String(markets)]
    const service = started.use(
      await ApiService.start({ world, listed: [market], port, settings, withSignIn: true }, progress),
    )
    const hour = { slots, hourMs: fromMs, books: activeBooks(slots) }
    await fillHour(rowInserter(service.recording.clickhouse), [market], hour, progress)
    progress('making the public sample')
    const { access, environment } = service
    const sample = await makeSample(readConfig(environment), access.database, { marketId: market.id, hourMs: fromMs })
    await new Samples({ database: access.database, folder }).add(sample)
    const { browser } = started.use(await startBrowser())
    const user = await signIn(browser, origin, 'lab@example.test')
    await access.accounts.setTier(user.accountId, { tier: 'enterprise', monthlyCredits: 0 })
    await access.ledger.grant({ accountId: user.accountId, credits: CREDITS, kind: 'grant', idem: 'lab' })
    const operator = await signIn(browser, origin, 'operator@example.test')
    const states = { user: user.state, operator: operator.state }
    const past = { id: market.id, slug: market.slug, fromMs, toMs: fromMs + slots * market.captureIntervalMs }
    return new ConsoleBench({ origin, past, service, line, browser, states }, started.move())
  }

  /** A page with an empty cache; by default of a signed-in user. */
  newPage({ width, height, theme, role }: Look = USUAL_LOOK): Promise<WatchedPage> {
    const state = role === 'visitor' ? undefined : this.#parts.states[role]
    return this.#pageWith(state, { width, height, theme })
  }

  /** The same of a person of their own, whose session may end. */
  async newPersonsPage(email: string): Promise<{ readonly accountId: string; readonly watched: WatchedPage }> {
    const { accountId, state } = await signIn(this.#parts.browser, this.origin, email)
    await this.service.access.accounts.setTier(accountId, { tier: 'pro', monthlyCredits: 0 })
    return { accountId, watched: await this.#pageWith(state) }
  }

  async #pageWith(
    state: State | undefined,
    { width, height, theme }: Omit<Look, 'role'> = USUAL_LOOK,
  ): Promise<WatchedPage> {
    const context = await this.#parts.browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      ...(state !== undefined && { storageState: state }),
    })
    context.setDefaultTimeout(PAGE_TIMEOUT_MS)
    return WatchedPage.of(await context.newPage())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#all.disposeAsync()
  }
}

/** Through the page of the identity provider. */
async function signIn(browser: Browser, origin: string, email: string): Promise<{ accountId: string; state: State }> {
  const context = await browser.newContext()
  context.setDefaultTimeout(PAGE_TIMEOUT_MS)
  const page = await context.newPage()
  await page.goto(`${origin}/auth/login?return_to=/app/account`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${origin}/app/account`)
  const { accountId } = (await page.evaluate(`fetch('/auth/session').then((answer) => answer.json())`)) as {
    accountId: string
  }
  const state = await context.storageState()
  await context.close()
  return { accountId, state }
}
