import { join } from 'node:path'
import { issueKey } from '@bookreel/service/access/issue-key'
import type { Market } from '@bookreel/service/domain/market'
import { type Gap, writeGap } from '@bookreel/service/domain/rows/gap'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import { writeSnapshot } from '@bookreel/service/domain/rows/snapshot'
import { type RowInserter, rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { Markets } from '@bookreel/service/stores/markets/markets'
import { openClickHouse } from '@bookreel/service/wiring/engines'
import type { Progress } from '../experiment.ts'
import { HttpClient } from '../http-client.ts'
import { ListeningProcess } from '../listening-process.ts'
import { MADE_UP_INTERVAL_MS, madeUpMarket } from '../made-up-market.ts'
import { PreparedEngines } from '../prepared-engines.ts'
import { worldTicks } from '../world-rows.ts'

const HOUR_MS = 3_600_000
const SCHEMA = 1
const ROWS_AT_ONCE = 20_000
/** Missing slots of each market, so that the manifest lists gaps. */
const GAP_SLOTS = 12

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
    await fill(rowInserter(clickhouse), markets, { ...hour, hourMs }, progress)
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

/** Books of a simulated world, under the ids of the bench's markets and in the given hour. */
async function fill(
  inserter: RowInserter,
  markets: readonly Market[],
  { slots, hourMs }: PastHour & { hourMs: number },
  progress: Progress,
): Promise<void> {
  const writer = new RowWriter()
  const firstSlot = hourMs / MADE_UP_INTERVAL_MS
  const missing = (slot: number): boolean =>
    slot >= firstSlot + slots - 2 * GAP_SLOTS && slot < firstSlot + slots - GAP_SLOTS
  let [slot, waiting] = [firstSlot, 0]
  const insert = async (): Promise<void> => {
    if (waiting > 0) await inserter.insertRaw('snapshots', SCHEMA, [writer.take()])
    waiting = 0
    progress(`${slot - firstSlot} of ${slots} slots of ${markets.length} markets stored`)
  }
  for (const tick of worldTicks({ hot: 0, medium: 0, cold: markets.length }, slots)) {
    const atMs = slot * MADE_UP_INTERVAL_MS
    for (const [index, { id: marketId }] of missing(slot) ? [] : markets.entries()) {
      const row = tick[index % tick.length]?.snapshot
      if (row === undefined) continue
      const times = { capturedAtMs: atMs + (index % 7), eventAtMs: atMs - 40, receivedAtMs: atMs - 20 }
      writeSnapshot(writer, { ...row, ...times, marketId, slot })
      waiting++
    }
    slot++
    if (waiting >= ROWS_AT_ONCE) await insert()
  }
  await insert()
  for (const { id: marketId } of markets) writeGap(writer, gapOf(marketId, firstSlot + slots - 2 * GAP_SLOTS))
  await inserter.insertRaw('gaps', SCHEMA, [writer.take()])
}

function gapOf(marketId: string, fromSlot: number): Gap {
  const toSlot = fromSlot + GAP_SLOTS - 1
  const why = { kind: 'missing', cause: 'disconnected', detail: '' } as const
  return { marketId, intervalMs: MADE_UP_INTERVAL_MS, fromSlot, toSlot, knownAtSlot: toSlot + 1, ...why }
}
