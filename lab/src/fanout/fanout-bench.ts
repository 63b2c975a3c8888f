import { issueKey } from '@bookreel/service/access/issue-key'
import { connectBus } from '@bookreel/service/bus/connect'
import type { Market } from '@bookreel/service/domain/market'
import { TIER_LIMITS } from '@bookreel/service/domain/tier'
import { Markets } from '@bookreel/service/stores/markets/markets'
import type { Access } from '@bookreel/service/wiring/open-access'
import type { Progress } from '../experiment.ts'
import { HttpClient } from '../http-client.ts'
import { ListeningProcess } from '../listening-process.ts'
import { madeUpMarket } from '../made-up-market.ts'
import { PreparedEngines } from '../prepared-engines.ts'
import { Feed } from './feed.ts'

const TIER = 'enterprise'

/** A gateway in its own process, its engines, and a feed in place of the recorder. */
export class FanoutBench implements AsyncDisposable {
  readonly gateway: ListeningProcess
  readonly feed: Feed
  readonly markets: readonly Market[]
  readonly #parts: AsyncDisposableStack
  readonly #access: Access

  private constructor(
    parts: AsyncDisposableStack,
    made: Pick<FanoutBench, 'gateway' | 'feed' | 'markets'>,
    access: Access,
  ) {
    this.#parts = parts
    this.gateway = made.gateway
    this.feed = made.feed
    this.markets = made.markets
    this.#access = access
  }

  static async start(marketCount: number, progress: Progress): Promise<FanoutBench> {
    await using parts = new AsyncDisposableStack()
    progress('starting the engines')
    const engines = parts.use(await PreparedEngines.start({ STREAM_MAX_BYTES: String(2_000_000_000) }))
    const { environment, config, access, folder } = engines
    const nowMs = Date.now()
    const markets = Array.from({ length: marketCount }, (_, number) => madeUpMarket('fan-out', number, nowMs))
    await new Markets(access.database).saveListings(markets.map((market) => ({ market, seenAtMs: nowMs })))
    const bus = await connectBus(
      { url: config.NATS_URL, user: config.NATS_USER ?? '', password: config.NATS_PASSWORD ?? '' },
      'lab',
    )
    parts.defer(() => bus.close())
    progress('starting the gateway')
    const client = new HttpClient(1)
    parts.defer(() => client[Symbol.dispose]())
    const gateway = parts.use(await ListeningProcess.start('gateway', environment, folder))
    await gateway.untilOpen(client)
    const feed = new Feed(bus, markets, config.POLYMARKET_SHARDS)
    return new FanoutBench(parts.move(), { gateway, feed, markets }, access)
  }

  /** Keys of enough accounts that none exceeds its connection limit. */
  async keysFor(sockets: number): Promise<string[]> {
    const keys: string[] = []
    for (let room = 0; room < sockets; room += TIER_LIMITS[TIER].wsMax) {
      const { id } = await this.#access.accounts.create(`lab ${TIER}`)
      await this.#access.accounts.setTier(id, { tier: TIER, monthlyCredits: 0 })
      keys.push((await issueKey(this.#access, { accountId: id, label: 'lab' })).key)
    }
    return keys
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync()
  }
}
