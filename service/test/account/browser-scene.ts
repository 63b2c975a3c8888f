import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { AccountScene } from './account-scene.ts'
import { startBrowser } from './real-browser.ts'

const PICTURES = fileURLToPath(new URL('../../../out/account-page', import.meta.url))
/** Pages are slow on a busy machine. */
const PAGE_TIMEOUT_MS = 60_000

/** A service with sign-in and simulated payments, and a real browser. */
export class BrowserScene implements AsyncDisposable {
  readonly account: AccountScene
  readonly #started: Awaited<ReturnType<typeof startBrowser>>
  #people = 0

  private constructor(account: AccountScene, started: Awaited<ReturnType<typeof startBrowser>>) {
    this.account = account
    this.#started = started
  }

  static async open(): Promise<BrowserScene> {
    const [account, started] = await Promise.all([AccountScene.open({ payments: true }), startBrowser()])
    return new BrowserScene(account, started)
  }

  get origin(): string {
    return this.account.origin
  }

  /** A page of a new browser profile. */
  async newPage(width = 1_000, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const viewport = { width, height: 800 }
    const context = await this.#started.browser.newContext({ viewport, colorScheme, locale: 'en-US' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    context.setDefaultTimeout(PAGE_TIMEOUT_MS)
    const page = await context.newPage()
    page.on('dialog', (dialog) => void dialog.accept())
    return page
  }

  /** Signs in a new person. */
  async signIn(page: Page, name: string): Promise<void> {
    await page.goto(`${this.origin}/account`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail').fill(`${name}.${this.#people++}@example.test`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
  }

  /** Sends a request of the signed-in user from another window, of which the page knows nothing. */
  async postElsewhere(page: Page, path: string, body: object): Promise<number> {
    return (await page.evaluate(`fetch('${path}', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-requested-with': 'bookreel' },
      body: ${JSON.stringify(JSON.stringify(body))},
    }).then(({ status }) => status)`)) as number
  }

  /** Screenshots for people who change the page, in `out`; nothing compares them. */
  async picture(page: Page, name: string): Promise<void> {
    await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started[Symbol.asyncDispose]()
    await this.account[Symbol.asyncDispose]()
  }
}

/** Errors in the console of a page, such as scripts that fail, refused content and missing files. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('response', (response) => response.status() === 404 && complaints.push(`404 ${response.url()}`))
  return complaints
}
