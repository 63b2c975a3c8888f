// Nightly: kills engines or processes and waits for their return.
import { marketOf, NOW_MS } from '@bookreel/testbed/service/market-facts'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { jetstream } from '@nats-io/jetstream'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { publishMarketUpdate } from '../../src/bus/market-updates.ts'
import { prepare } from '../../src/commands/prepare.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Market } from '../../src/domain/market.ts'
import { catalogueRole } from '../../src/roles/catalogue-role.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { Markets } from '../../src/stores/markets/markets.ts'
import { openBus } from '../bus/open-bus.ts'
import { openClickHouse, valuesOf } from '../clickhouse/open-clickhouse.ts'

let stack: Awaited<ReturnType<typeof borrowStack>>
let bus: Awaited<ReturnType<typeof openBus>>
let clickhouse: ReturnType<typeof openClickHouse>
let database: ReturnType<typeof openDatabase>
let config: Config

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats', 'clickhouse', 'postgres'] })
  config = readConfig({ ...stack.variables, REDIS_URL: 'redis://127.0.0.1:1' })
  await prepare(config)
  bus = await openBus(stack)
  clickhouse = openClickHouse(stack)
  database = openDatabase({ url: config.DATABASE_URL, answerWithinMs: 30_000 })
})

afterAll(async () => {
  await Promise.all([bus?.[Symbol.asyncDispose](), clickhouse?.close(), database?.destroy()])
  await stack?.stop()
})

function startRole(): () => Promise<void> {
  const stop = new AbortController()
  const running = catalogueRole({ config, log: pino({ level: 'silent' }), registry: new Registry() }, stop.signal)
  const end = async (): Promise<void> => {
    stop.abort()
    await running
  }
  onTestFinished(end)
  return end
}

function publishListing(market: Market): Promise<void> {
  return publishMarketUpdate(jetstream(bus.connection), { kind: 'listed', venue: market.venue, market })
}

const isListed = async ({ id }: Market): Promise<boolean> =>
  (await new Markets(database).byId(id, NOW_MS)) !== undefined

function factsOf({ id }: Market): Promise<unknown[]> {
  const columns = 'up_token_id, down_token_id, category, subcategory, timeframe, coin, slug, question, interval_ms'
  const isIt = `market_id = unhex('${id.slice(2)}')`
  return valuesOf(
    clickhouse,
    `SELECT [${columns.replace('interval_ms', 'toString(interval_ms)')}] FROM market_facts FINAL WHERE ${isIt}`,
  )
}

test('a listed market is stored once in both databases, with its newest listing', async () => {
  startRole()
  const market = marketOf('told', { slug: 'first' })
  await publishListing(market)
  await expect.poll(() => isListed(market)).toBe(true)
  const rest = ['crypto', 'BTC', '5m', 'BTC']
  await expect
    .poll(() => factsOf(market), { timeout: 120_000 })
    .toEqual([[...market.tokenIds, ...rest, 'first', market.question, '250']])
  await publishListing({ ...market, slug: 'second' })
  await publishListing({ ...market, slug: 'third' })
  await expect
    .poll(() => factsOf(market), { timeout: 120_000 })
    .toEqual([[...market.tokenIds, ...rest, 'third', market.question, '250']])
})

test('ClickHouse unavailable: the catalogue continues, and the facts are stored later, by this process or the next', async () => {
  const end = startRole()
  await stack.engine('clickhouse').kill()
  const [one, other] = [marketOf('while away'), marketOf('while away too')]
  await publishListing(one)
  await expect.poll(() => isListed(one)).toBe(true)
  await publishListing(other)
  await expect.poll(() => isListed(other)).toBe(true)
  await end()
  await stack.engine('clickhouse').restart()
  expect([await factsOf(one), await factsOf(other)]).toEqual([[], []])
  startRole()
  for (const market of [one, other]) await expect.poll(async () => (await factsOf(market)).length).toBe(1)
})
