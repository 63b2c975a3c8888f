import type { TestService } from '@bookreel/testbed/service/test-service'
import { expect } from 'vitest'

const HISTORY = ['summary', 'recent', 'snapshots', 'snapshot', 'perps', 'gaps', 'bars', 'trades', 'as of']

/**
 * For each engine, the requests that need it, and what health says without it. All other requests must work. The clock
 * goes on, so NATS is the first: later the newest rows are too old for health.
 */
export const AWAY = [
  { engine: 'nats', refused: [], states: { pipeline: expect.stringMatching(/degraded|down/) } },
  { engine: 'clickhouse', refused: ['live with results', ...HISTORY], states: { analytics_store: 'down' } },
  { engine: 'redis', refused: ['book', 'book by slug', 'latest', 'perp'], states: { cache: 'down' } },
  { engine: 'postgres', refused: ['snapshots', 'validate', 'limits'], states: { accounts: 'down' } },
] as const

/** What tells the customer which engine it is. */
const ENGINE = /127\.0\.0\.1|localhost|ECONN|clickhouse|redis|postgres|nats/i

/** Sends every kind of request while a store is unavailable, on the frozen world. */
export async function openStoresAway(service: TestService, server = service.server) {
  const { hot, nowMs } = service.world
  const of = (rest: string): string => `/v1/markets/${hot.id}/${rest}`
  const ago = (ms: number): string => new Date(nowMs - ms).toISOString()
  const requests = {
    categories: '/v1/categories',
    live: '/v1/markets/live?limit=5',
    'live with results': '/v1/markets/live?limit=5&results=true',
    market: `/v1/markets/by-slug/${hot.slug}`,
    window: '/v1/markets/by-slug/btc-updown-5m',
    book: of('orderbook'),
    'book by slug': `/v1/markets/by-slug/${hot.slug}/orderbook`,
    latest: '/api/snapshot/latest',
    perp: '/v1/exchange/orderbook?symbol=BTC&exchange=hyperliquid_perp',
    summary: of('summary'),
    recent: '/v1/markets/history/recent',
    snapshots: of('snapshots?limit=4'),
    snapshot: `/api/snapshot?timestamp=${ago(2_000)}&marketId=${hot.id}`,
    perps: '/v1/exchange/snapshots?symbol=BTC&limit=4',
    gaps: of('gaps'),
    bars: of('bars?interval=1s'),
    trades: `/v1/trades?marketId=${hot.id}`,
    'as of': `/v1/asof?timestamp=${ago(40_000)}&markets=${hot.id}`,
    debug: '/api/debug',
    validate: '/v1/api-keys/validate',
    limits: '/v1/limits',
    packs: '/v1/payments/packs',
  }
  // Several, because an account has few concurrent reads of history.
  const accounts = await Promise.all([1, 2, 3, 4, 5].map(() => service.newAccount('enterprise')))
  const { ledger } = service.access
  const book = async (of = accounts[0]) => (await service.ask(requests.book, { key: of?.key, server })).status
  return {
    book,
    /** Keys and the book are remembered for a while. */
    use: async () => expect(await Promise.all(accounts.map(book))).toEqual(accounts.map(() => 200)),
    expected: (refused: readonly string[] = []): Record<string, string> =>
      mapped(requests, (_, name) => (refused.includes(name) ? '503 store_unavailable' : '200')),
    /** The status of each request, and what all of them cost. */
    async askAll() {
      const asked = Object.entries(requests).map(async ([name, path], index) => {
        const { key } = accounts[index % accounts.length] ?? {}
        return [name, await service.ask(path, { key, server })] as const
      })
      const answers = Object.fromEntries(await Promise.all(asked))
      for (const { status, headers, text } of Object.values(answers)) {
        if (status === 200) continue
        expect(Number(headers['retry-after'])).toBeGreaterThan(0)
        expect(headers['x-credits-cost']).toBe('0')
        expect(text).not.toMatch(ENGINE)
      }
      const costs = Object.values(answers).map(({ headers }) => Number(headers['x-credits-cost'] ?? 0))
      return {
        statuses: mapped(answers, ({ status, body }) => `${status} ${body?.error ?? ''}`.trim()),
        credits: costs.reduce((sum, each) => sum + each, 0),
      }
    },
    /** Of all accounts together. */
    async credits(): Promise<number> {
      const found = await Promise.all(accounts.map(({ accountId }) => ledger.spendable(accountId)))
      return found.reduce((sum, spendable) => sum + (spendable?.balance ?? 0), 0)
    },
    health: async () => (await service.ask('/health')).body,
  }
}

function mapped<In>(from: Record<string, In>, change: (value: In, name: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value, name)]))
}
