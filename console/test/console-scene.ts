import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Tier } from '@bookreel/service/domain/tier'
import { readConsole } from '@bookreel/service/http/console/console-files'
import { startBrowser } from '@bookreel/testbed/browser/real-browser'
import type { Page } from 'playwright-core'
import { SESSION_COOKIE } from '../../service/src/http/session-cookies.ts'
import { AccountScene, type SceneOptions } from '../../service/test/account/account-scene.ts'
import { buildConsole } from '../build/build-console.ts'

const PICTURES = fileURLToPath(new URL('../../out/console', import.meta.url))
/** Pages are slow on a busy machine. */
const PAGE_TIMEOUT_MS = 120_000

export const PATIENTLY = { timeout: 480_000 }
export const SOON = { timeout: 120_000 }

type Browser = Awaited<ReturnType<typeof startBrowser>>

/** A service with the built console, sign-in and simulated payments, and a real browser. */
export class ConsoleScene implements AsyncDisposable {
  readonly account: AccountScene
  readonly #started: Browser
  #people = 0

  private constructor(account: AccountScene, started: Browser) {
    this.account = account
    this.#started = started
  }

  static async open(): Promise<ConsoleScene> {
    return ConsoleScene.#start({ payments: true })
  }

  /** With simulated venues that are recorded and streamed. */
  static async openRecording(options: Omit<SceneOptions, 'record'> = {}): Promise<ConsoleScene> {
    return ConsoleScene.#start({ ...options, record: { size: { hot: 4, medium: 4, cold: 4 } } })
  }

  static async #start(options: SceneOptions): Promise<ConsoleScene> {
    const console = readConsole(await builtConsole())
    const [account, started] = await Promise.all([AccountScene.open({ ...options, console }), startBrowser()])
    return new ConsoleScene(account, started)
  }

  get origin(): string {
    return this.account.origin
  }

  /** A page of a new browser profile. */
  async newPage(width = 1_280, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const viewport = { width, height: 800 }
    const context = await this.#started.browser.newContext({ viewport, colorScheme, locale: 'en-US' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    context.setDefaultTimeout(PAGE_TIMEOUT_MS)
    return context.newPage()
  }

  /** A page whose clock goes on from that of the API, for what was recorded; pages of accounts have real time. */
  async worldPage(): Promise<Page> {
    const page = await this.newPage()
    await page.context().addInitScript(clockFrom, this.account.service.nowMs())
    return page
  }

  /** Closes what the tests so far have opened: pages that nobody looks at would go on asking. */
  async closePages(): Promise<void> {
    await Promise.all(this.#started.browser.contexts().map((context) => context.close()))
  }

  /**
   * Gives a page the session of a new person, opens a page of the console, and returns the e-mail address. The identity
   * provider does not know the browser: it asks the next time who they are.
   */
  async signIn(page: Page, name: string, path = '/app/keys'): Promise<string> {
    const email = `${name}.${this.#people++}@example.test`
    await this.giveSession(page, email)
    await page.goto(`${this.origin}${path}`)
    await page.locator('main h1').waitFor()
    return email
  }

  /** A `worldPage` of a new person; those with a paid tier have credits. */
  async signedInPage(name: string, tier: Tier, path: string): Promise<Page> {
    const page = await this.worldPage()
    const accountId = await this.giveSession(page, `${name}.${this.#people++}@example.test`)
    if (tier !== 'free') await this.#equip(accountId, tier, 5_000)
    await page.goto(`${this.origin}${path}`)
    return page
  }

  /** Returns the id of the account. With `again` the person has just proved who they are, as operators must. */
  async giveSession(page: Page, email: string, prompt: 'again' | 'usual' = 'usual'): Promise<string> {
    const person = this.account.newBrowser()
    await person.send(await person.untilCallbackFrom(`/auth/login?again=${prompt === 'again'}`, email))
    const value = person.cookie(SESSION_COOKIE) ?? ''
    // Only for HTTPS a browser takes a cookie with this name; it sends it to localhost in any case.
    const url = this.origin.replace('http:', 'https:')
    const rules = { httpOnly: true, secure: true, sameSite: 'Lax' } as const
    await page.context().addCookies([{ name: SESSION_COOKIE, value, url, ...rules }])
    return JSON.parse((await person.send('/auth/session')).text).accountId
  }

  /** Gives the signed-in person of a page a tier and credits, and returns the id of the account. */
  async equip(page: Page, tier: Tier, credits: number): Promise<string> {
    const accountId = await this.accountOf(page)
    await this.#equip(accountId, tier, credits)
    return accountId
  }

  async #equip(accountId: string, tier: Tier, credits: number): Promise<void> {
    const { accounts, ledger } = this.account.access
    await accounts.setTier(accountId, { tier, monthlyCredits: 0 })
    await ledger.grant({ accountId, credits, kind: 'grant', idem: `test ${accountId}` })
  }

  async accountOf(page: Page): Promise<string> {
    return (await page.evaluate(
      "fetch('/auth/session').then((answer) => answer.json()).then(({ accountId }) => accountId)",
    )) as string
  }

  /** Follows the link of a page that needs a session, as a visitor does. */
  async signInByForm(page: Page, email: string, path: string): Promise<void> {
    await page.goto(`${this.origin}${path}`)
    await page.getByRole('link', { name: 'Sign in to continue' }).click()
    await this.signInAs(page, email, path)
  }

  /** Fills in the page of the identity provider, and waits for the page of the console. */
  async signInAs(page: Page, email: string, path: string): Promise<void> {
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${this.origin}${path}`)
    await page.locator('main h1').waitFor()
  }

  /** Gives the signed-in user of a page a tier. */
  async setTier(page: Page, tier: Tier): Promise<void> {
    await this.account.access.accounts.setTier(await this.accountOf(page), { tier, monthlyCredits: 0 })
  }

  /** Sends a request of the signed-in user from another window, of which the page knows nothing. */
  async postElsewhere(page: Page, path: string, body: object): Promise<number> {
    return (await page.evaluate(`fetch('${path}', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-requested-with': 'bookreel' },
      body: ${JSON.stringify(JSON.stringify(body))},
    }).then(({ status }) => status)`)) as number
  }

  /** Screenshots for people who change the console, in `out`, with `PICTURES=1`; nothing compares them. */
  async picture(page: Page, name: string): Promise<void> {
    // biome-ignore lint/style/noProcessEnv: whoever runs the tests decides whether they want pictures.
    if (process.env.PICTURES === '1') await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started[Symbol.asyncDispose]()
    await this.account[Symbol.asyncDispose]()
  }
}

/** Runs in pages. */
function clockFrom(nowMs: number): void {
  const RealDate = Date
  const aheadMs = nowMs - RealDate.now()
  globalThis.Date = class extends RealDate {
    constructor(...given: readonly unknown[]) {
      super(...((given.length === 0 ? [RealDate.now() + aheadMs] : given) as [number]))
    }

    static override now(): number {
      return RealDate.now() + aheadMs
    }
  } as DateConstructor
}

let built: Promise<string> | undefined

/** The folder of the built console, which test files of one process share. */
export function builtConsole(): Promise<string> {
  built ??= build()
  return built
}

async function build(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-console-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await buildConsole(folder)
  return folder
}

/** The list that `?` opens; it is closed again. */
export async function keysOf(page: Page): Promise<string[]> {
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keys of this page' })
  const keys = await list.locator('dt').allTextContents()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  return keys
}

/** Errors in the console of a page, such as scripts that fail, refused content and missing files. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`)
  })
  return complaints
}
