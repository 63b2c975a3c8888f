import { join } from 'node:path'
import { buildConsole } from '@bookreel/console/build'
import { readConfig } from '@bookreel/service/config'
import { TIER_LIMITS, type Tier } from '@bookreel/service/domain/tier'
import { openAccess } from '@bookreel/service/wiring/open-access'
import { type Page, startBrowser } from '@bookreel/testbed/browser/real-browser'
import { type SimulatedService, startSimulatedService } from '../simulated-service.ts'

export interface Look {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
}

const PAGE_TIMEOUT_MS = 60_000

/** A simulated service with the web console, and a real browser that looks at it. */
export class VisitedConsole implements AsyncDisposable {
  readonly service: SimulatedService
  readonly #browser: Awaited<ReturnType<typeof startBrowser>>

  private constructor(service: SimulatedService, browser: Awaited<ReturnType<typeof startBrowser>>) {
    this.service = service
    this.#browser = browser
  }

  static async open(
    folder: string,
    { markets, onProgress, signal }: { markets: number; onProgress: (line: string) => void; signal: AbortSignal },
  ): Promise<VisitedConsole> {
    await using started = new AsyncDisposableStack()
    const consoleFolder = join(folder, 'console-build')
    onProgress('building the web console')
    await buildConsole(consoleFolder)
    const service = started.use(
      await startSimulatedService({ folder, consoleFolder, port: 0, markets, withPastHour: true, onProgress, signal }),
    )
    const browser = await startBrowser()
    started.move()
    return new VisitedConsole(service, browser)
  }

  /** A page of a new browser profile. */
  async newPage({ width = 1_280, height = 800, theme = 'dark' }: Look = {}): Promise<Page> {
    const { browser } = this.#browser
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, locale: 'en-US' })
    context.setDefaultTimeout(PAGE_TIMEOUT_MS)
    return context.newPage()
  }

  /** Signs in through the page of the identity provider, and gives the account this tier. */
  async signIn(page: Page, email: string, tier: Tier): Promise<string> {
    const { address } = this.service
    await page.goto(`${address}/auth/login?return_to=/app/account`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${address}/app/account`)
    const accountId = (await page.evaluate(
      `fetch('/auth/session').then(async (answer) => (await answer.json()).accountId)`,
    )) as string
    await this.#setTier(accountId, tier)
    return accountId
  }

  async #setTier(accountId: string, tier: Tier): Promise<void> {
    if (tier === 'free') return
    const access = openAccess(readConfig(this.service.environment), () => {})
    try {
      const { creditsPerMonth } = TIER_LIMITS[tier]
      await access.accounts.setTier(accountId, { tier, monthlyCredits: creditsPerMonth })
      await access.ledger.grant({ accountId, credits: creditsPerMonth, kind: 'grant', idem: 'visit' })
    } finally {
      await access.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser[Symbol.asyncDispose]()
    await this.service[Symbol.asyncDispose]()
  }
}
