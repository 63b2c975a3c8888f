import type { IncomingMessage } from 'node:http'
import { get } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import type { ClickHouseClient } from '@clickhouse/client'
import type { FastifyInstance } from 'fastify'
import type { ClickHouseQuery } from '../../src/stores/engines/clickhouse-reader.ts'
import { pastMarketWrites } from '../../src/stores/markets/past-market-writes.ts'
import { RecentMarkets } from '../../src/stores/markets/recent-markets.ts'
import { openClickHouse } from '../../src/wiring/engines.ts'
import { keepPastMarkets } from '../../src/workers/keep-past-markets.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** When the past of the frozen world ends. */
const TO_DAY = Math.floor((WORLD_NOW_MS - 25 * HOUR_MS) / DAY_MS)
/** A window of five minutes begins every half minute, and each twentieth market is a game of up to 300 days. */
const EVERY_MS = 30_000
const INSERTED_AT_ONCE = 250_000

/** The frozen world with any number of past markets, and an API whose queries are counted. */
export class PastScene implements AsyncDisposable {
  readonly service: TestService
  readonly server: FastifyInstance
  /** The text of all queries so far. */
  readonly queries: string[] = []
  /** Rows that ClickHouse has read for them. */
  rowsRead = 0
  /** Added to the clock. */
  laterMs: number
  readonly #clickhouse: ClickHouseClient
  #address: Promise<string> | undefined

  private constructor(service: TestService, clickhouse: ClickHouseClient, server: FastifyInstance) {
    this.service = service
    this.server = server
    this.laterMs = 0
    this.#clickhouse = clickhouse
  }

  static async open(): Promise<PastScene> {
    const service = await TestService.start({ world: 'frozen' })
    const clickhouse = openClickHouse(service.config)
    const reads = service.stores.clickhouse
    const counted = {
      async exec(query: ClickHouseQuery) {
        scene.queries.push(query.query)
        const answer = await reads.exec(query)
        const { headers } = answer.stream as IncomingMessage
        scene.rowsRead += Number(JSON.parse(String(headers['x-clickhouse-summary'])).read_rows)
        return answer
      },
    }
    const server = await service.newServer({
      pipeline: {
        nowMs: () => WORLD_NOW_MS + scene.laterMs,
        stores: { ...service.stores, recentMarkets: new RecentMarkets(counted) },
      },
    })
    const scene: PastScene = new PastScene(service, clickhouse, server)
    await scene.keep()
    return scene
  }

  /** As the role catalogue does. */
  async keep(): Promise<void> {
    const failed = (error: unknown): void => {
      throw error
    }
    const work = { table: pastMarketWrites(this.#clickhouse), now: () => WORLD_NOW_MS, failed }
    await keepPastMarkets(work, new AbortController().signal)
  }

  /** Markets of these numbers; they are older the larger their number is. */
  async addPast(from: number, to: number): Promise<void> {
    for (let at = from; at < to; at += INSERTED_AT_ONCE) await this.#insert(at, Math.min(to, at + INSERTED_AT_ONCE))
    await pastMarketWrites(this.#clickhouse).putState({ toDay: TO_DAY, fromDay: 0, changesTo: '2026-01-01 00:00:00' })
  }

  async #insert(from: number, to: number): Promise<void> {
    const [first, last] = [TO_DAY * DAY_MS - 600_000, 'first_slot + 1199']
    await this.#clickhouse.command({
      query: `INSERT INTO past_markets (market_id, interval_ms, first_slot, last_slot, row_count, venue, category,
          subcategory, timeframe, slug, question, ends_at, is_deleted)
        SELECT SHA256(toString(number)), 250, intDiv(${first} - number * ${EVERY_MS}, 250) AS first_slot,
          least(if(is_game, first_slot + number % 300 * 345600, ${last}), ${TO_DAY * (DAY_MS / 250) - 1}) AS last_slot,
          last_slot - first_slot + number % 7, 'polymarket', if(is_game, 'sports', 'crypto'),
          if(is_game, 'NBA', ['BTC', 'ETH', 'SOL'][number % 3 + 1]), if(is_game, 'game', '5m'),
          concat('past-', toString(number)), concat('Up or Down? Window ', toString(number)),
          fromUnixTimestamp64Milli(toInt64(last_slot * 250)), 0
        FROM (SELECT number, number % 20 = 0 AS is_game FROM numbers(${from}, ${to - from}))`,
    })
  }

  async ask(path: string, key: string) {
    return this.service.ask(path, { key, server: this.server })
  }

  /** Rows that ClickHouse reads for a request when the list in memory is too old for it. */
  async rowsFor(path: string, key: string): Promise<number> {
    this.laterMs += 30_000
    const before = this.rowsRead
    const { status, text } = await this.ask(path, key)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return this.rowsRead - before
  }

  /** An answer whose bytes nobody reads yet. */
  async connect(path: string, key: string): Promise<IncomingMessage> {
    this.#address ??= this.server.listen({ port: 0, host: '127.0.0.1' })
    const address = await this.#address
    return new Promise((resolve, reject) => {
      get(`${address}${path}`, { headers: { 'x-api-key': key }, agent: false }, resolve).on('error', reject)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close()
    await this.#clickhouse.close()
    await this.service[Symbol.asyncDispose]()
  }
}

export interface ReadList {
  readonly bytes: number
  /** How often the text appears. */
  readonly found: number
  readonly first: string
  readonly last: string
  /** The most that was alive at any moment, above what was before the request. */
  readonly grownBytes: number
}

const EDGE = 2_000

/** Reads an answer without keeping it, and measures the memory of the process now and then. */
export async function readList(
  connect: () => Promise<IncomingMessage>,
  text: string,
  measureEveryBytes = 8_000_000,
): Promise<ReadList> {
  const before = aliveBytes()
  const answer = await connect()
  let [bytes, measuredAt, grownBytes, found] = [0, 0, 0, 0]
  let [first, last, rest] = ['', '', '']
  for await (const chunk of answer.setEncoding('latin1')) {
    bytes += chunk.length
    if (first.length < EDGE) first += chunk.slice(0, EDGE)
    last = (last + chunk).slice(-EDGE)
    const parts = (rest + chunk).split(text)
    found += parts.length - 1
    rest = (parts.at(-1) ?? '').slice(-text.length)
    if (bytes - measuredAt < measureEveryBytes) continue
    measuredAt = bytes
    grownBytes = Math.max(grownBytes, aliveBytes() - before)
  }
  return { bytes, found, first, last, grownBytes }
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function aliveBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
