import { HOUR_MS, PAST_HOUR_MS } from '@bookreel/testbed/service/past-market'
import type { Locator, Page } from 'playwright-core'
import type { ConsoleScene } from './console-scene.ts'
import type { RecordedWorld } from './recorded-world.ts'

export const WHOLE_HOUR = `from=${PAST_HOUR_MS}&to=${PAST_HOUR_MS + HOUR_MS}`

/** A new person who looks at the history of the hour that wanders. */
export class HistoryVisit {
  readonly page: Page
  readonly accountId: string
  readonly #scene: ConsoleScene
  readonly #path: string

  private constructor(scene: ConsoleScene, page: Page, accountId: string, path: string) {
    this.#scene = scene
    this.page = page
    this.accountId = accountId
    this.#path = path
  }

  static async begin(
    scene: ConsoleScene,
    { wandering }: RecordedWorld,
    { search = WHOLE_HOUR, tier = 'pro' }: { search?: string; tier?: 'free' | 'pro' } = {},
  ): Promise<HistoryVisit> {
    const path = `/app/m/${wandering.market.id}?tab=history&`
    const page = await scene.signedInPage('visits', tier, `${path}${search}`)
    const visit = new HistoryVisit(scene, page, await scene.accountOf(page), path)
    await visit.#slider.waitFor()
    return visit
  }

  async show(search: string): Promise<void> {
    await this.page.goto(`${this.#scene.origin}${this.#path}${search}`)
    await this.#slider.waitFor()
  }

  async credits(): Promise<number> {
    return (await this.#scene.account.access.ledger.spendable(this.accountId))?.balance ?? 0
  }

  async playhead(): Promise<number> {
    return Number(await this.#slider.inputValue())
  }

  get playButton(): Locator {
    return this.page.getByRole('button', { name: /^Play / })
  }

  async untilStored(): Promise<void> {
    await this.page.getByText(/^Stored row, sampled/).waitFor()
  }

  get #slider(): Locator {
    return this.page.getByRole('slider', { name: 'Playhead' })
  }
}
