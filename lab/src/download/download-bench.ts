import { join } from 'node:path'
import { issueKey } from '@bookreel/service/access/issue-key'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { Markets } from '@bookreel/service/stores/markets/markets'
import { openClickHouse } from '@bookreel/service/wiring/engines'
import type { Progress } from '../experiment.ts'
import { fillHour } from '../fill-hour.ts'
import { HttpClient } from '../http-client.ts'
import { ListeningProcess } from '../listening-process.ts'
import { madeUpMarket } from '../made-up-market.ts'
import { PreparedEngines } from '../prepared-engines.ts'

const HOUR_MS = 3_600_000

export interface PastHour {
  readonly markets: number
  /** Slots of each market, from the start of the hour. */
  readonly slots: number
}

/** A finished hour of many markets, and processes that serve it. */
export class DownloadBench implements AsyncDisposable {
  readonly marketIds: readonly string[]
  readonly hourMs: number
  readonly #engines: PreparedEngines
  readonly #parts: AsyncDisposableStack

  private constructor(
    made: Pick<DownloadBench, 'marketIds' | 'hourMs'>,
    engines: PreparedEngines,
    parts: AsyncDisposableStack,
  ) {
    this.marketIds = made.marketIds
    this.hourMs = made.hourMs
    this.#engines = engines
    this.#parts = parts
  }

  static async start(hour: PastHour, progress: Progress): Promise<DownloadBench> {
    await using parts = new AsyncDisposableStack()
    progress('starting the engines')
    const engines = parts.use(await PreparedEngines.start())
    const nowMs = Date.now()
    const hourMs = (Math.floor(nowMs / HOUR_MS) - 2) * HOUR_MS
    const markets = Array.from({ length: hour.markets }, (_, number) => madeUpMarket('download', number, nowMs))
    await new Markets(engines.access.database).saveListings(markets.map((market) => ({ market, seenAtMs: hourMs })))
    const clickhouse = openClickHouse(engines.config)
    parts.defer(() => clickhouse.close())
    await fillHour(rowInserter(clickhouse), markets, { slots: hour.slots, hourMs }, progress)
    const marketIds = markets.map(({ id }) => id)
    return new DownloadBench({ marketIds, hourMs }, engines, parts.move())
  }

  get folder(): string {
    return this.#engines.folder
  }

  /** An API with its own folder of files, so that it builds them again. */
  async openApi(name: string): Promise<string> {
    const environment = { ...this.#engines.environment, EXPORT_DIR: join(this.folder, name) }
    const api = this.#parts.use(await ListeningProcess.start('api', environment, this.folder))
    using client = new HttpClient(1)
    await api.untilOpen(client)
    return `http://127.0.0.1:${api.port}`
  }

  async openAccount(credits: number): Promise<{ id: string; key: string }> {
    const { access } = this.#engines
    const { id } = await access.accounts.create('lab scale')
    await access.accounts.setTier(id, { tier: 'scale', monthlyCredits: 0 })
    const balance = await this.balanceOf(id)
    await access.ledger.grant({ accountId: id, credits: credits - balance, kind: 'adjustment', idem: 'lab' })
    return { id, key: (await issueKey(access, { accountId: id, label: 'lab' })).key }
  }

  async balanceOf(accountId: string): Promise<number> {
    return (await this.#engines.access.ledger.spendable(accountId))?.balance ?? 0
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync()
  }
}
