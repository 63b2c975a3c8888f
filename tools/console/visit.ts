import type { Page } from '@bookreel/testbed/browser/real-browser'

export interface Visit {
  readonly role: string
  readonly page: string
  readonly readyMs: number
  readonly problems: readonly string[]
}

const STILL_FOR_MS = 500
const LOOK_EVERY_MS = 50
const READY_WITHIN_MS = 60_000

/** Everything that goes wrong on a page while it is open. */
export class Complaints {
  #found: string[] = []

  constructor(page: Page) {
    page.on('pageerror', (error) => this.#found.push(`script failed: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error') this.#found.push(`console: ${message.text()}`)
    })
    page.on('response', (response) => {
      if (response.status() >= 400) this.#found.push(`${response.status()} ${response.url()}`)
    })
    page.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? 'failed'
      // The page itself ends requests whose answer it no longer needs.
      if (why !== 'net::ERR_ABORTED') this.#found.push(`${why} ${request.url()}`)
    })
  }

  take(): string[] {
    const found = this.#found
    this.#found = []
    return found
  }
}

/**
 * Until the page has its heading, no part of it is loading, and all requests are answered; returns the milliseconds.
 * A page with a stream goes on asking, so there only the parts count.
 */
export async function untilReady(page: Page, address: string): Promise<number> {
  const requests = new OpenRequests(page)
  const startedAt = performance.now()
  await page.goto(address)
  await page.locator('main h1').first().waitFor()
  let readyAt = performance.now()
  while (performance.now() - readyAt < STILL_FOR_MS) {
    await page.waitForTimeout(LOOK_EVERY_MS)
    // The text is in the page before it becomes visible.
    const isLoading = (await page.getByText('Loading …', { exact: true }).count()) > 0
    if (isLoading || requests.matter) readyAt = performance.now()
    if (readyAt - startedAt > READY_WITHIN_MS) throw new Error(`${address} is still loading.`)
  }
  requests.stop()
  return readyAt - startedAt
}

class OpenRequests {
  readonly #open = new Set<object>()
  readonly stop: () => void
  #hasStream = false

  constructor(page: Page) {
    const begin = (request: object): unknown => this.#open.add(request)
    const end = (request: object): unknown => this.#open.delete(request)
    const noteStream = (): unknown => (this.#hasStream = true)
    page.on('request', begin).on('requestfinished', end).on('requestfailed', end).on('websocket', noteStream)
    this.stop = () =>
      page.off('request', begin).off('requestfinished', end).off('requestfailed', end).off('websocket', noteStream)
  }

  get matter(): boolean {
    return this.#open.size > 0 && !this.#hasStream
  }
}
