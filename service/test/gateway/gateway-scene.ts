import { list } from '@bookreel/testbed/service/stored-markets'
import { type IssuedAccount, TestService } from '@bookreel/testbed/service/test-service'
import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { messageId } from '../../src/bus/batch.ts'
import { BatchWriter } from '../../src/bus/batch-writer.ts'
import { publishMarketUpdate } from '../../src/bus/market-updates.ts'
import { rowsSubject } from '../../src/bus/subjects.ts'
import type { Config } from '../../src/config.ts'
import type { Market } from '../../src/domain/market.ts'
import { COINS } from '../../src/domain/market.ts'
import { type Gap, gapSchema, writeGap } from '../../src/domain/rows/gap.ts'
import { writePerpContext } from '../../src/domain/rows/perp-context.ts'
import { type PerpSnapshot, perpMarketId, writePerpSnapshot } from '../../src/domain/rows/perp-snapshot.ts'
import { writePerpTrade } from '../../src/domain/rows/perp-trade.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { type Snapshot, snapshotSchema, writeSnapshot } from '../../src/domain/rows/snapshot.ts'
import { type TapeRow, tapeMarketId } from '../../src/domain/rows/tape-row.ts'
import { type Trade, tradeSchema, writeTrade } from '../../src/domain/rows/trade.ts'
import type { Scope } from '../../src/domain/scope.ts'
import { shardOf } from '../../src/domain/shards.ts'
import type { Tier } from '../../src/domain/tier.ts'
import { archiveRole } from '../../src/roles/archive-role.ts'
import { rowInserter } from '../../src/stores/books/row-inserter.ts'
import { openBus, openClickHouse } from '../../src/wiring/engines.ts'
import type { Access } from '../../src/wiring/open-access.ts'
import type { GatewayParts } from '../../src/wiring/open-gateway.ts'
import type { OpenStores } from '../../src/wiring/open-stores.ts'
import { shardCounts } from '../../src/wiring/recorded-venues.ts'
import { type Node, startGatewayNode } from './gateway-node.ts'
import { StreamClient } from './stream-client.ts'

export interface Published {
  readonly rows?: readonly Snapshot[]
  readonly gaps?: readonly Gap[]
  readonly trades?: readonly Trade[]
  readonly tape?: readonly TapeRow[]
  readonly perps?: readonly { readonly id: string; readonly row: PerpSnapshot }[]
}

/** Real engines and a real archive; the test publishes on the real bus in place of the recorder. */
export class GatewayScene implements AsyncDisposable {
  readonly service: TestService
  readonly config: Config
  readonly access: Access
  readonly stores: OpenStores
  readonly troubles: unknown[] = []
  readonly #stop = new AbortController()
  readonly #writers = new Map<string, BatchWriter>()
  readonly #nodes = new Set<Node>()
  readonly #archive: Promise<unknown>
  readonly #bus: NatsConnection
  readonly #jetstream: JetStreamClient

  private constructor(service: TestService, bus: NatsConnection) {
    this.service = service
    this.config = service.config
    this.access = service.access
    this.stores = service.stores
    this.#bus = bus
    this.#jetstream = jetstream(bus, { timeout: 20_000 })
    const log = pino({ level: 'silent' })
    this.#archive = archiveRole({ config: this.config, log, registry: new Registry() }, this.#stop.signal).catch(
      () => {},
    )
  }

  static async open(): Promise<GatewayScene> {
    const service = await TestService.start()
    return new GatewayScene(service, await openBus(service.config, 'test'))
  }

  get stack(): TestService['stack'] {
    return this.service.stack
  }

  async startNode(choices: Pick<GatewayParts, 'slowForMs' | 'anonymousBudget' | 'keylessLimits'> = {}): Promise<Node> {
    const { config, access, stores } = this
    const { nowMs } = this.service
    const onTrouble = (error: unknown): void => void this.troubles.push(error)
    const node = await startGatewayNode({ config, access, stores, nowMs, onTrouble, ...choices })
    this.#nodes.add(node)
    return node
  }

  key(
    tier: Tier = 'enterprise',
    choices: { credits?: number; scopes?: readonly Scope[] } = {},
  ): Promise<IssuedAccount> {
    return this.service.newAccount(tier, { credits: 100_000, ...choices })
  }

  async client(node: Node, tier: Tier = 'enterprise'): Promise<StreamClient> {
    return StreamClient.open(`${node.url}/v1/stream`, (await this.key(tier)).key)
  }

  /** Lists of one moment are one list to the gateway, so the clock goes on by a millisecond. */
  async list(...markets: readonly Market[]): Promise<void> {
    this.service.clock.nowMs++
    await list(this.service, markets)
  }

  /** Publishes on the bus as the recorder of each shard would, and waits for the acknowledgement. */
  async publish(published: Published): Promise<void> {
    for (const batch of this.#batches(published)) {
      await this.#jetstream.publish(rowsSubject(batch.shard), batch.bytes, { msgID: messageId(batch) })
    }
  }

  /** Stores rows as if they had been published while no node was connected. */
  async storeOnly(published: Published): Promise<void> {
    await using client = openClickHouse(this.config)
    const put = async <Row>(
      table: 'snapshots' | 'gaps' | 'trades',
      rows: readonly Row[],
      { current, write }: { current: number; write: (to: RowWriter, row: Row) => void },
    ) => {
      const writer = new RowWriter()
      for (const row of rows) write(writer, row)
      if (rows.length > 0) await rowInserter(client).insertRaw(table, current, [writer.take()])
    }
    await put('snapshots', published.rows ?? [], snapshotSchema)
    await put('gaps', published.gaps ?? [], gapSchema)
    await put('trades', published.trades ?? [], tradeSchema)
  }

  /** Publishes a resolution. */
  async resolve(marketId: string, winner: 0 | 1): Promise<void> {
    const resolution = { marketId, winner, resolvedAtMs: this.service.nowMs() }
    await publishMarketUpdate(this.#jetstream, { kind: 'resolved', venue: 'polymarket', resolution })
  }

  /** Puts a row into Redis, as the hot role would. */
  async putInRedis(row: Snapshot): Promise<void> {
    const writer = new RowWriter()
    writeSnapshot(writer, row)
    await this.stores.newestRows.put([
      { marketId: row.marketId, slot: row.slot, schema: snapshotSchema.current, bytes: writer.take() },
    ])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#nodes].map((node) => node.stop()))
    this.#stop.abort()
    await this.#archive
    await this.#bus.close()
    await this.service[Symbol.asyncDispose]()
  }

  #batches({ rows = [], gaps = [], trades = [], perps = [], tape = [] }: Published) {
    const encode = (write: (writer: RowWriter) => void): Buffer => {
      const writer = new RowWriter(1_024)
      write(writer)
      return writer.take()
    }
    for (const gap of gaps)
      this.#writer(gap.marketId).addRow(
        'gaps',
        encode((to) => writeGap(to, gap)),
        gap.fromSlot * gap.intervalMs,
      )
    for (const trade of trades)
      this.#writer(trade.marketId).addRow(
        'trades',
        encode((to) => writeTrade(to, trade)),
        trade.tradedAtMs,
      )
    for (const row of rows)
      this.#writer(row.marketId).addSnapshot(
        encode((to) => writeSnapshot(to, row)),
        row,
      )
    for (const { id, row } of perps)
      this.#writer(id).addRow(
        'perp_snapshots',
        encode((to) => writePerpSnapshot(to, row)),
        row.slot * row.intervalMs,
      )
    for (const told of tape) {
      const writer = this.#writer(tapeMarketId(told))
      if (told.kind === 'trade')
        writer.addRow(
          'perp_trades',
          encode((to) => writePerpTrade(to, told.row)),
          told.row.tradedAtMs,
        )
      else
        writer.addRow(
          'perp_contexts',
          encode((to) => writePerpContext(to, told.row)),
          told.row.receivedAtMs,
        )
    }
    return [...this.#writers.values()].flatMap((writer) => writer.take(this.service.nowMs()))
  }

  #writer(marketId: string): BatchWriter {
    const isPerp = COINS.some((coin) => perpMarketId('hyperliquid', coin) === marketId)
    const listed = this.stores.catalogue.byId(marketId, this.service.nowMs())?.venue ?? 'polymarket'
    const venue = isPerp ? 'hyperliquid' : listed
    const shard = shardOf(venue, marketId, shardCounts(this.config).get(venue) ?? 1)
    const known = this.#writers.get(shard) ?? new BatchWriter({ shard, epoch: 1 })
    this.#writers.set(shard, known)
    return known
  }
}
