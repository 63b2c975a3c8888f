import type { Answered, IssuedAccount, TestService } from '@bookreel/testbed/service/test-service'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'

const HISTORY = ['summary', 'recent', 'snapshots', 'snapshot', 'perps', 'gaps', 'bars', 'trades', 'as of']

/** For each engine, the requests that need it, and what health says without it. All other requests must work. NATS is first, because only then are the newest rows fresh. */
export const AWAY = [
  { engine: 'nats', refused: [], states: { pipeline: 'degraded' } },
  { engine: 'clickhouse', refused: ['live with results', ...HISTORY], states: { analytics_store: 'down' } },
  { engine: 'redis', refused: ['book', 'book by slug', 'latest', 'perp'], states: { cache: 'down' } },
  { engine: 'postgres', refused: ['snapshots', 'validate', 'limits'], states: { accounts: 'down' } },
] as const

const STATES_THE_ENGINE = /127\.0\.0\.1|localhost|ECONN|clickhouse|redis|postgres|nats/i

/** Sends every kind of request while a store is unavailable, on the frozen world. */
export class StoresAway {
  readonly #service: TestService
  readonly #server: FastifyInstance
  /** Several, because an account has few concurrent reads of history. */
  readonly #accounts: readonly IssuedAccount[]

  private constructor(service: TestService, server: FastifyInstance, accounts: readonly IssuedAccount[]) {
    this.#service = service
    this.#server = server
    this.#accounts = accounts
  }

  static async open(service: TestService, server = service.server): Promise<StoresAway> {
    const accounts = await Promise.all([1, 2, 3, 4, 5].map(() => service.newAccount('enterprise')))
    return new StoresAway(service, server, accounts)
  }

  /** What is remembered of keys and of the book serves requests for a while. */
  async use(): Promise<void> {
    for (const { key } of this.#accounts) expect((await this.#ask(this.#requests().book ?? '', key)).status).toBe(200)
  }

  async book(): Promise<Answered> {
    return this.#ask(this.#requests().book ?? '', this.#accounts[0]?.key)
  }

  async askAll(): Promise<AllAnswers> {
    const asked = Object.entries(this.#requests()).map(async ([name, path], index) => {
      const { key } = this.#accounts[index % this.#accounts.length] ?? {}
      return [name, await this.#ask(path, key)] as const
    })
    return new AllAnswers(Object.fromEntries(await Promise.all(asked)))
  }

  expected(refused: readonly string[] = []): Record<string, string> {
    const names = Object.keys(this.#requests())
    return Object.fromEntries(names.map((name) => [name, refused.includes(name) ? '503 store_unavailable' : '200']))
  }

  /** Of all accounts together. */
  async credits(): Promise<number> {
    const { ledger } = this.#service.access
    const found = await Promise.all(this.#accounts.map(({ accountId }) => ledger.spendable(accountId)))
    return found.reduce((sum, spendable) => sum + (spendable?.balance ?? 0), 0)
  }

  async health(): Promise<Record<string, unknown>> {
    return (await this.#service.ask('/health')).body
  }

  #ask(path: string, key: string | undefined): Promise<Answered> {
    return this.#service.ask(path, { key, server: this.#server })
  }

  #requests(): Record<string, string> {
    const { hot, nowMs } = this.#service.world
    const of = (rest: string): string => `/v1/markets/${hot.id}/${rest}`
    const ago = (ms: number): string => new Date(nowMs - ms).toISOString()
    return {
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
  }
}

class AllAnswers {
  readonly #answers: Readonly<Record<string, Answered>>

  constructor(answers: Readonly<Record<string, Answered>>) {
    this.#answers = answers
  }

  /** By name of the request, such as `200` or `503 store_unavailable`. */
  get statuses(): Record<string, string> {
    const named = Object.entries(this.#answers)
    return Object.fromEntries(named.map(([name, { status, body }]) => [name, `${status} ${body?.error ?? ''}`.trim()]))
  }

  /** What they say that they cost. */
  get credits(): number {
    const all = Object.values(this.#answers)
    return all.reduce((sum, { headers }) => sum + Number(headers['x-credits-cost'] ?? 0), 0)
  }

  expectRefusalsAsPublished(): void {
    for (const { status, headers, text } of Object.values(this.#answers)) {
      if (status === 200) continue
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      expect(headers['x-credits-cost']).toBe('0')
      expect(text).not.toMatch(STATES_THE_ENGINE)
    }
  }
}
