// Nightly: roles of two versions run and end in real time.
// Covers: service/src/bus/ service/src/domain/rows/ service/migrations/
import { USUAL_ENGINES } from '@bookreel/stack/engines/engine'
import { freePort } from '@bookreel/testbed/free-port'
import { openVenues } from '@bookreel/testbed/service/recorder'
import { PATIENT } from '@bookreel/testbed/service/store-limits'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { until } from '@bookreel/testbed/until'
import { venueSettings } from '@bookreel/testbed/venue-settings'
import { jetstreamManager } from '@nats-io/jetstream'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { rowStreamOf, unarchived } from '../../src/bus/row-streams.ts'
import { DEAD_STREAM } from '../../src/bus/subjects.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { catalogueRole } from '../../src/roles/catalogue-role.ts'
import type { Role } from '../../src/roles/role.ts'
import { gapStore } from '../../src/stores/books/gaps.ts'
import { openBus, openClickHouse } from '../../src/wiring/engines.ts'
import { openAccess } from '../../src/wiring/open-access.ts'
import { StreamClient } from '../gateway/stream-client.ts'
import { makeNextVersion, type ServiceVersion, thisVersion, UPGRADED_ROLES, type UpgradedRole } from './next-version.ts'

/** A book as a client got it, to be compared with the row that was stored for its slot. */
interface ServedBook {
  readonly from: 'stream' | 'REST'
  readonly marketId: string
  readonly slot: number
  readonly bids: readonly (readonly [price: number, size: number])[]
}

let [current, next]: ServiceVersion[] = []
let removeNext: () => Promise<void>
beforeAll(async () => {
  current = await thisVersion()
  const made = await makeNextVersion()
  next = made.version
  removeNext = () => made.remove()
})
afterAll(() => removeNext?.())

for (const [order, roles] of [
  ['the recorder first', UPGRADED_ROLES],
  ['the API first', UPGRADED_ROLES.toReversed()],
] as const) {
  test(`two columns are added while everything runs, role by role, ${order}: no dead letters, no wrong books`, async () => {
    await using scene = await UpgradeScene.open()
    for (const role of roles) {
      await scene.useFor(3)
      await scene.upgrade(role)
    }
    await scene.useFor(3)
    await scene.stop('capture')
    await until('every message stored', async () => (await scene.waiting()) === 0)
    expect(Math.min(...(await scene.rowsBySchema()))).toBeGreaterThan(0)
    expect(await scene.holes()).toEqual([])
    expect(scene.failedRoles).toEqual([])
    expect(await scene.deadLetters()).toBe(0)
    expect(await scene.impossibleRows()).toBe(0)
    const { compared, wrong } = await scene.compareServedBooks()
    expect(wrong).toEqual([])
    expect(compared.stream).toBeGreaterThan(10)
    expect(compared.REST).toBeGreaterThan(10)
  })
}

/** All roles of this version over simulated venues, each in a state to be replaced by the next version. */
class UpgradeScene implements AsyncDisposable {
  readonly #closers: (() => Promise<unknown>)[] = []
  readonly #running = new Map<string, () => Promise<void>>()
  readonly #served: ServedBook[] = []
  readonly failedRoles: string[] = []
  readonly #startedAtMs = Date.now()
  readonly #config: Config
  readonly #key: string

  private constructor(config: Config, key: string, closers: (() => Promise<unknown>)[]) {
    this.#config = config
    this.#key = key
    this.#closers = closers
  }

  static async open(): Promise<UpgradeScene> {
    const stack = await borrowStack({ engines: USUAL_ENGINES })
    const { simulator } = await openVenues({ size: { hot: 4, medium: 2, cold: 4 } })
    const config = readConfig({
      ...stack.variables,
      ...venueSettings(simulator.addresses),
      STREAM_MAX_BYTES: '500000000',
      KEY_PEPPER: 'a pepper that only tests know, long enough',
      HTTP_PORT: String(await freePort()),
      GATEWAY_PORT: String(await freePort()),
      STREAM_IN_API: 'false',
      POLYMARKET_SHARDS: '2',
    })
    await current?.prepare(config)
    // Before any role is replaced: old roles work with the new tables.
    expect(await next?.prepare(config)).toHaveLength(1)
    const access = openAccess(config, () => {}, PATIENT)
    const { id: accountId } = await access.accounts.create('upgrade')
    await access.accounts.setTier(accountId, { tier: 'enterprise', monthlyCredits: 0 })
    const { key } = await issueKey(access, { accountId, label: 'upgrade' })
    const closers = [() => access.close(), () => simulator.stop(), () => stack.stop()]
    const scene = new UpgradeScene(config, key, closers)
    scene.#start('catalogue', catalogueRole)
    for (const role of UPGRADED_ROLES) scene.#start(role, current?.roles[role])
    return scene
  }

  /** Ends the role of this version, and then starts the one of the next. */
  async upgrade(role: UpgradedRole): Promise<void> {
    await this.#running.get(role)?.()
    this.#start(role, next?.roles[role])
  }

  async stop(role: UpgradedRole): Promise<void> {
    await this.#running.get(role)?.()
    this.#running.delete(role)
  }

  /** Slots that have neither a row nor a gap record. */
  async holes(): Promise<unknown[]> {
    const client = openClickHouse(this.#config)
    try {
      return await gapStore(client).uncoveredHoles({ fromMs: this.#startedAtMs - 60_000, toMs: Date.now() + 60_000 })
    } finally {
      await client.close()
    }
  }

  /** Reads live books over REST and a stream for as long as that many more slots are published. */
  async useFor(slots: number): Promise<void> {
    const before = await this.#published()
    await until('the API answers', async () => (await this.#readLatest()) !== undefined)
    await until('the gateway listens', () => fetch(`http://127.0.0.1:${this.#config.GATEWAY_PORT}`).catch(() => false))
    const client = await until('the gateway accepts a stream', () => this.#openStream())
    try {
      await client.ask({ op: 'subscribe', selectors: [{ category: 'crypto' }], channels: ['book'] })
      await until('rows published', async () => {
        await this.#readLatest()
        return (await this.#published()) > before + slots * 10
      })
      for (const { type, market, seq, up } of client.of('book'))
        if (type === 'snapshot') this.#served.push({ from: 'stream', marketId: market, slot: seq, bids: up.bids })
    } finally {
      await client.close()
    }
  }

  /** Messages on the bus that no archive has stored. */
  async waiting(): Promise<number> {
    return (await this.#onBus(unarchived)).reduce((sum, { messages }) => sum + messages, 0)
  }

  async deadLetters(): Promise<number> {
    return (await this.#onBus((manager) => manager.streams.info(DEAD_STREAM))).state.messages
  }

  /** How many rows have the default of the new column, and how many what the next version writes. */
  async rowsBySchema(): Promise<number[]> {
    const [row] = await this.#select('SELECT countIf(quality = 0) AS old, countIf(quality = 7) AS new FROM snapshots')
    return [Number(row?.old), Number(row?.new)]
  }

  /** Rows that a reader which mistakes one column for another would leave. */
  async impossibleRows(): Promise<number> {
    const [row] = await this.#select(`SELECT count() AS rows FROM snapshots WHERE
      toUnixTimestamp64Milli(slot_at) != slot * interval_ms OR interval_ms > 5000 OR quality NOT IN (0, 7)
      OR length(up_bid_prices) != length(up_bid_sizes) OR up_bid_prices != arrayReverseSort(up_bid_prices)
      OR up_ask_prices != arraySort(up_ask_prices) OR arrayExists(price -> price = 0 OR price >= 10000, up_bid_prices)`)
    return Number(row?.rows)
  }

  /** Every book that was served against the stored row of its market and slot. */
  async compareServedBooks(): Promise<{ compared: Record<ServedBook['from'], number>; wrong: ServedBook[] }> {
    const rows = await this.#select(`SELECT concat('0x', lower(hex(market_id)), ' ', toString(slot)) AS name,
      up_bid_prices AS prices, up_bid_sizes AS sizes FROM snapshots LIMIT 1 BY market_id, slot`)
    const stored = new Map(
      rows.map(({ name, prices, sizes }) => [
        name,
        bidsText(prices.map((price: number, index: number) => [price / 1e4, sizes[index] / 1e6])),
      ]),
    )
    const compared = { stream: 0, REST: 0 }
    const wrong = this.#served.filter(({ from, marketId, slot, bids }) => {
      const text = stored.get(`${marketId} ${slot}`)
      if (text !== undefined) compared[from]++
      return text !== undefined && text !== bidsText(bids)
    })
    return { compared, wrong }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running.values()].map((stop) => stop()))
    for (const close of this.#closers) await close()
  }

  #start(name: string, role: Role | undefined): void {
    if (role === undefined) throw new Error(`no role ${name}`)
    const stop = new AbortController()
    const ended = role({ config: this.#config, log: pino({ level: 'silent' }), registry: new Registry() }, stop.signal)
    const settled = ended.catch((error: unknown) => void this.failedRoles.push(`${name}: ${String(error)}`))
    this.#running.set(name, () => {
      stop.abort()
      return settled
    })
  }

  /** Undefined while the API doesn't answer, or says that Redis holds rows of a newer version. */
  async #readLatest(): Promise<number | undefined> {
    const url = `http://127.0.0.1:${this.#config.HTTP_PORT}/api/snapshot/latest?includebook=true`
    const answer = await fetch(url, { headers: { 'x-api-key': this.#key } }).catch(() => undefined)
    if (answer?.status === 429 || answer?.status === 503) return answer.status
    if (answer?.status !== 200) return undefined
    const books = (await answer.json()) as { condition_id: string; sequence_number: number; bids: [number, number][] }[]
    for (const { condition_id, sequence_number, bids } of books)
      this.#served.push({ from: 'REST', marketId: condition_id, slot: sequence_number, bids })
    return 200
  }

  /** Undefined when the gateway refuses, as it does while a store is slow. */
  async #openStream(): Promise<StreamClient | undefined> {
    const client = new StreamClient(`ws://127.0.0.1:${this.#config.GATEWAY_PORT}/v1/stream`, { key: this.#key })
    await until('the gateway answers', () => client.closed ?? client.frames.some(({ type }) => type === 'welcome'))
    return client.closed === undefined ? client : undefined
  }

  async #published(): Promise<number> {
    return (await this.#onBus((manager) => manager.streams.info(rowStreamOf('polymarket.0')))).state.last_seq
  }

  async #onBus<Answer>(
    ask: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<Answer>,
  ): Promise<Answer> {
    const connection = await openBus(this.#config, 'test')
    try {
      return await ask(await jetstreamManager(connection))
    } finally {
      await connection.close()
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: each query knows its columns.
  async #select(query: string): Promise<any[]> {
    const client = openClickHouse(this.#config)
    try {
      const settings = { output_format_json_quote_64bit_integers: 0 } as const
      return await (await client.query({ query, format: 'JSONEachRow', clickhouse_settings: settings })).json()
    } finally {
      await client.close()
    }
  }
}

function bidsText(bids: ServedBook['bids']): string {
  return bids.map(([price, size]) => `${price}@${size}`).join(' ')
}
