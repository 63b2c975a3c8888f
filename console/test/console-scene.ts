import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Tier } from '@bookreel/service/domain/tier'
import { readConsole } from '@bookreel/service/http/console/console-files'
import { startBrowser } from '@bookreel/testbed/browser/real-browser'
import type { Page } from 'playwright-core'
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
    const console = await builtConsole()
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

  /** Signs in a new person, returns to a page of the console, and returns the e-mail address of the person. */
  async signIn(page: Page, name: string, path = '/app/keys'): Promise<string> {
    const email = `${name}.${this.#people++}@example.test`
    await page.goto(`${this.origin}${path}`)
    await page.getByRole('link', { name: 'Sign in to continue' }).click()
    await this.signInAs(page, email, path)
    return email
  }

  /** Gives the signed-in person of a page a tier and credits, and returns the id of the account. */
  async equip(page: Page, tier: Tier, credits: number): Promise<string> {
    const accountId = await this.accountOf(page)
    const { accounts, ledger } = this.account.access
    await accounts.setTier(accountId, { tier, monthlyCredits: 0 })
    await ledger.grant({ accountId, credits, kind: 'grant', idem: `test ${accountId}` })
    return accountId
  }

  async accountOf(page: Page): Promise<string> {
    return (await page.evaluate(
      "fetch('/auth/session').then((answer) => answer.json()).then(({ accountId }) => accountId)",
    )) as string
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
    const accountId = (await page.evaluate(
      `fetch('/auth/session').then((answer) => answer.json()).then(({ accountId }) => accountId)`,
    )) as string
    await this.account.access.accounts.setTier(accountId, { tier, monthlyCredits: 0 })
  }

  /** Sends a request of the signed-in user from another window, of which the page knows nothing. */
  async postElsewhere(page: Page, path: string, body: object): Promise<number> {
    return (await page.evaluate(`fetch('${path}', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-requested-with': 'bookreel' },
      body: ${JSON.stringify(JSON.stringify(body))},
    }).then(({ status }) => status)`)) as number
  }

  /** Screenshots for people who change the console, in `out`; nothing compares them. */
  async picture(page: Page, name: string): Promise<void> {
    await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started[Symbol.asyncDispose]()
    await this.account[Symbol.asyncDispose]()
  }
}

type BuiltConsole = Awaited<ReturnType<typeof readConsole>>

let built: Promise<BuiltConsole> | undefined

/** Test files that share a process share the build. */
function builtConsole(): Promise<BuiltConsole> {
  built ??= build()
  return built
}

async function build(): Promise<BuiltConsole> {
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-console-'))
  try {
    await buildConsole(folder)
    return readConsole(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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
