import { type Answered, type IssuedAccount, TestService } from '@bookreel/testbed/service/test-service'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { dayText } from '../../src/domain/day-file.ts'
import { BOOKS_PER_CREDIT, FREE_BOOKS_PER_DAY } from '../../src/domain/prices.ts'
import { addMcp } from '../../src/mcp/add-mcp.ts'
import { openMcp } from '../../src/wiring/open-mcp.ts'
import { openPipeline } from '../../src/wiring/open-pipeline.ts'

let service: TestService
/** Four markets; those of Bitcoin and Ether have the book of a perpetual future. */
let asof: string
let snapshot: string

const PERPS = '/v1/exchange/snapshots?symbol=BTC&limit=80'
const PERP_TILE = '/v1/exchange/heatmap?symbol=BTC&column_ms=500'

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  const { access, stores, registry, nowMs, config, server, world } = service
  const pipeline = openPipeline({ access, stores, registry, signIn: undefined, nowMs })
  await addMcp(server, openMcp(config, pipeline, pino({ level: 'silent' })))
  const markets = [world.live5m, world.live1h, world.hot, world.longLived('sports')].map(({ id }) => id)
  asof = `/v1/asof?timestamp=${world.nowMs - 61_000}&markets=${markets.join(',')}`
  snapshot = `/api/snapshot?timestamp=${world.nowMs - 61_000}&marketId=${world.hot.id}`
})

afterAll(() => service?.[Symbol.asyncDispose]())

function ask({ key }: Pick<IssuedAccount, 'key'>, path: string, idempotencyKey?: string): Promise<Answered> {
  return service.ask(path, { key, headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey } })
}

/** Credits, exact books, and free books that are left. */
const billOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): number[] =>
  ['x-credits-cost', 'x-exact-books', 'x-free-books-left'].map((name) => Number(headers[name]))

/** An account that has so many of the free exact books of the day left. */
async function accountWith(freeBooks: number, credits?: number): Promise<IssuedAccount> {
  const account = await service.newAccount('pro', credits === undefined ? {} : { credits })
  await service.access.accessControl.countBooks(account, FREE_BOOKS_PER_DAY - freeBooks)
  return account
}

async function countedFor({ accountId }: IssuedAccount): Promise<number> {
  const owner = { accountId, day: dayText(service.world.nowMs) }
  return (await service.access.rateLimits.countBooks(owner, 1)) - 1
}

async function agentCalls({ key }: IssuedAccount, name: string, args: Record<string, unknown>) {
  const { text } = await service.ask('/mcp', {
    key,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  })
  return JSON.parse(text.slice(text.indexOf('{'))).result.structuredContent
}

test('books of every path are counted on one meter of the account, whichever key asks', async () => {
  const account = await service.newAccount('pro')
  const { accountId } = account
  const other = await issueKey(service.access, { accountId, label: 'other' })
  const tile = `${PERP_TILE}&from=${service.world.nowMs - 61_000}`
  const answers = [
    await ask(account, asof),
    await ask(other, `${snapshot}&includebook=true`),
    await ask(account, `${snapshot}&includebook=true&form=declared`),
    await ask(other, PERPS),
    await ask(account, tile),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const books = answers.map((each) => billOf(each)[1] ?? 0)
  const columns = answers[4]?.body.stored.filter((rows: number) => rows > 0).length
  expect(books).toEqual([4 * 2 + 3, 2, 1, 80, columns])
  const left = books.map((_, index) => FREE_BOOKS_PER_DAY - sumOf(books.slice(0, index + 1)))
  expect(answers.map(billOf)).toEqual(books.map((each, index) => [0, each, left[index]]))
  const { credits } = await agentCalls(account, 'list_exchange_snapshots', { coin: 'BTC', limit: 5, depth: 3 })
  expect(credits).toMatchObject({ charged: 0, exact_books: 5, free_books_left: (left.at(-1) ?? 0) - 5 })
  const { body } = await ask(account, '/v1/limits')
  expect(body).toMatchObject({ freeBooksPerDay: 5_000, freeBooksLeft: (left.at(-1) ?? 0) - 5, booksPerCredit: 50 })
})

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0)

test('beyond the free ones an answer costs 1 credit for every 50 of its books, and only for those beyond', async () => {
  const account = await accountWith(20, 1_000)
  const before = (await ask(account, '/v1/limits')).body.creditsRemaining
  expect(billOf(await ask(account, PERPS))).toEqual([2, 80, 0])
  expect(billOf(await ask(account, asof))).toEqual([1, 11, 0])
  expect(billOf(await ask(account, `${PERPS}&to=${service.world.fromMs}`)).slice(0, 1)).toEqual([0])
  expect((await ask(account, '/v1/limits')).body.creditsRemaining).toBe(before - 3)
})

test('an agent pays for the books that it is shown, and for none with depth 0', async () => {
  const account = await accountWith(0)
  const crypto = service.world.markets.filter(({ category }) => category === 'crypto')
  const markets = crypto
    .slice(0, 20)
    .map(({ id }) => id)
    .join(',')
  const timestamp = new Date(service.world.nowMs - 61_000).toISOString()
  const deep = await agentCalls(account, 'get_asof', { timestamp, markets, depth: 50 })
  const shown = deep.answer.markets as { up: unknown; down: unknown; perp: unknown }[]
  expect(shown.length).toBeLessThan(crypto.length)
  const books = shown.flatMap(({ up, down, perp }) => [up, down, perp]).filter((book) => book !== null).length
  expect(deep.credits).toMatchObject({ charged: Math.ceil(books / BOOKS_PER_CREDIT), exact_books: books })
  for (const [name, args] of [
    ['get_asof', { timestamp, markets }],
    ['list_exchange_snapshots', { coin: 'BTC' }],
  ] as const)
    expect((await agentCalls(account, name, { ...args, depth: 0 })).credits).toMatchObject({
      charged: 0,
      exact_books: 0,
    })
})

test('without books and with HEAD nothing is counted, and HEAD tells how many there are', async () => {
  const account = await accountWith(7)
  expect(billOf(await ask(account, `${asof}&includebook=false`))).toEqual([0, 0, 7])
  expect(billOf(await ask(account, snapshot))).toEqual([0, 0, 7])
  const { key } = account
  const head = await service.server.inject({ method: 'HEAD', url: PERPS, headers: { 'x-api-key': key } })
  expect([head.body, ...billOf(head)]).toEqual(['', 0, 80, 7])
  expect(billOf(await ask(account, `${snapshot}&includebook=true`))).toEqual([0, 2, 5])
})

test('a retry with the same Idempotency-Key is free, is not counted and returns the same answer', async () => {
  const account = await accountWith(60)
  for (const path of [PERPS, asof, `${snapshot}&includebook=true`]) {
    const idempotencyKey = `of ${path.slice(0, 20)}`
    const first = await ask(account, path, idempotencyKey)
    expect(billOf(first)[0]).toBe(1)
    const again = await ask(account, path, idempotencyKey)
    expect([billOf(again)[0], again.headers['x-idempotent-replay']]).toEqual([0, 'true'])
    expect(again.body).toEqual(first.body)
  }
  expect(await countedFor(account)).toBe(FREE_BOOKS_PER_DAY - 60 + 80 + 11 + 2)
})

test('requests with one Idempotency-Key at the same time are charged once', async () => {
  const account = await accountWith(0, 1_000)
  const before = (await ask(account, '/v1/limits')).body.creditsRemaining
  const answers = await Promise.all([1, 2, 3].map(() => ask(account, PERPS, 'at once')))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(sumOf(answers.map((each) => billOf(each)[0] ?? 0))).toBe(2)
  expect((await ask(account, '/v1/limits')).body.creditsRemaining).toBe(before - 2)
  expect(await countedFor(account)).toBe(FREE_BOOKS_PER_DAY + 80)
})

test('who can not pay is refused and nothing is counted; answers without books are still free', async () => {
  const { accountId } = await accountWith(10)
  const poor = await issueKey(service.access, { accountId, label: 'poor', creditLimit: 1 })
  // 70 books beyond the free ones are 2 credits.
  const refused = await ask(poor, PERPS)
  expect([refused.status, refused.body.error, refused.headers['x-credits-cost']]).toEqual([402, 'out_of_credits', '0'])
  expect(billOf(await ask(poor, `${snapshot}&includebook=true`))).toEqual([0, 2, 8])
  expect(billOf(await ask(poor, asof))).toEqual([1, 11, 0])
  for (const path of [PERPS, asof, `${snapshot}&includebook=true`])
    expect((await ask(poor, path)).body.error, path).toBe('out_of_credits')
  expect(billOf(await ask(poor, `${asof}&includebook=false`))).toEqual([0, 0, 0])
})
