import type { NatsConnection } from '@nats-io/transport-node'
import type { Registry } from 'prom-client'
import type { AnonymousBudget } from '../access/anonymous-budget.ts'
import { trustedProxies } from '../access/client-address.ts'
import { drainBus } from '../bus/connect.ts'
import { untilConnected } from '../bus/heartbeat.ts'
import { watchShardCounts } from '../bus/shard-counts.ts'
import type { ShardFeed } from '../bus/shard-feed.ts'
import type { Config } from '../config.ts'
import { type Clock, wallClock } from '../domain/clock.ts'
import { shardOf } from '../domain/shards.ts'
import { AccessWatch } from '../gateway/admission/access-watch.ts'
import { ConsoleWatch } from '../gateway/admission/console-watch.ts'
import type { KeylessLimits } from '../gateway/admission/keyless-connections.ts'
import { StreamAdmission } from '../gateway/admission/stream-admission.ts'
import { StreamLimits } from '../gateway/connection/stream-limits.ts'
import { Gateway } from '../gateway/gateway.ts'
import { gatewayMeter } from '../gateway/gateway-metrics.ts'
import { Hub } from '../gateway/markets/hub.ts'
import { MarketStore } from '../gateway/markets/market-store.ts'
import { apiMetrics } from '../pipeline/api-metrics.ts'
import { AccessMarks } from '../stores/accounts/access-marks.ts'
import { ConsoleSlots } from '../stores/accounts/console-slots.ts'
import { StreamTickets } from '../stores/accounts/stream-tickets.ts'
import { WsLeases } from '../stores/accounts/ws-leases.ts'
import { streamRowStore } from '../stores/books/stream-rows.ts'
import { openBus } from './engines.ts'
import type { Access } from './open-access.ts'
import { openAnonymousBudget } from './open-anonymous-budget.ts'
import type { OpenStores } from './open-stores.ts'
import { shardCounts } from './recorded-venues.ts'

export interface GatewayParts {
  readonly config: Config
  readonly access: Access
  readonly stores: OpenStores
  readonly registry: Registry
  readonly onTrouble: (error: unknown) => void
  /** Default: that of the machine. */
  readonly nowMs?: Clock
  readonly slowForMs?: number
  /** For tests that can't open as many connections as the real limits allow. */
  readonly keylessLimits?: KeylessLimits
  /** How long the stream of a page goes on while Redis can't confirm it. */
  readonly pageUnconfirmedForMs?: number
  /** Shared with the requests of this process; default: one of its own. */
  readonly anonymousBudget?: AnonymousBudget
}

export interface OpenGateway {
  readonly gateway: Gateway
  /** The batches of the markets that clients use. */
  readonly feed: ShardFeed
  /** Serves until the signal, also while NATS is unavailable. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** Opens the gateway, to be attached to an HTTP server. */
export function openGateway(parts: GatewayParts): OpenGateway {
  const { config, access, stores, registry, onTrouble, nowMs = wallClock, slowForMs, keylessLimits } = parts
  const stop = new AbortController()
  const { accessControl } = access
  const meter = gatewayMeter(registry)
  const metrics = apiMetrics(registry)
  const store = new MarketStore(streamRowStore(stores.clickhouse), stores.perps, stores.perpTape)
  const counts = shardCounts(config)
  const hub = new Hub({
    store,
    meter,
    nowMs,
    onTrouble,
    signal: stop.signal,
    shardOf: ({ venue, id }) => shardOf(venue, id, counts.get(venue) ?? 1),
    ringBudget: { maxBytes: config.STREAM_RING_BYTES, usedBytes: 0 },
  })
  const leases = new WsLeases(stores.redis)
  const slots = new ConsoleSlots(stores.redis)
  const gateway = new Gateway({
    accessControl,
    metrics,
    admission: new StreamAdmission({
      accessControl,
      metrics,
      leases,
      tickets: new StreamTickets(stores.redis),
      slots,
      nodeCount: () => access.nodes.count(),
      onTrouble,
    }),
    watch: new AccessWatch({
      accessControl,
      keys: access.keys,
      marks: new AccessMarks(stores.redis),
      onTrouble,
    }),
    consoleWatch: new ConsoleWatch({ slots, onTrouble, unconfirmedForMs: parts.pageUnconfirmedForMs }),
    hub,
    store,
    stores,
    selectors: { catalogue: stores.catalogue, markets: stores.markets, recordedMarkets: stores.recordedMarkets, nowMs },
    meter,
    limits: new StreamLimits(),
    nowMs,
    onTrouble,
    isHttpsRequired: config.REQUIRE_HTTPS,
    anonymousBudget: parts.anonymousBudget ?? openAnonymousBudget(config, registry),
    publicOrigin: config.PUBLIC_URL === undefined ? undefined : new URL(config.PUBLIC_URL).origin,
    proxies: trustedProxies(config.TRUSTED_PROXIES ?? []),
    slowForMs,
    keylessLimits,
  })
  return {
    gateway,
    feed: hub.feed,
    async run(signal) {
      signal.addEventListener('abort', () => stop.abort(), { once: true })
      const connect = (): Promise<NatsConnection> => openBus(config, 'gateway')
      const attached = untilConnected({ connect, onTrouble }, signal).then((connection) => {
        if (connection !== undefined) gateway.attach(connection)
        return connection
      })
      const watched = attached.then(
        (connection) => connection && watchShardCounts(connection, { counts, onTrouble }, signal),
      )
      await Promise.all([gateway.run(signal), watched])
      const connection = await attached
      if (connection !== undefined) await drainBus(connection)
    },
  }
}
