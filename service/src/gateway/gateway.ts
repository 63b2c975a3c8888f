import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { NatsConnection } from '@nats-io/transport-node'
import { LEASE_MS } from '../stores/accounts/ws-leases.ts'
import { OpenConnections, type OpenConnectionsDeps } from './connection/open-connections.ts'
import { CurrentMarkets } from './markets/current-markets.ts'
import { Lifecycle } from './markets/lifecycle.ts'
import { ServiceHealth } from './service-health.ts'
import { type UpgradeDeps, Upgrades } from './upgrades.ts'

export interface GatewayDeps extends OpenConnectionsDeps, UpgradeDeps {}

const PING_EVERY_MS = 20_000
/** A lease lasts for three renewals. */
const LEASE_EVERY_MS = LEASE_MS / 3
const LOOK_AT_ACCESS_EVERY_MS = 250
/** A page that was taken over is told within a second. */
const LOOK_AT_CONSOLES_EVERY_MS = 400
const CHECK_SLOW_EVERY_MS = 50
const UPDATE_MARKETS_EVERY_MS = 250
const SWEEP_EVERY_MS = 10_000

/** Serves WebSocket streams on any HTTP server that forwards its `upgrade` events. */
export class Gateway {
  readonly #deps: GatewayDeps
  readonly #connections: OpenConnections
  readonly #upgrades: Upgrades
  readonly #lifecycle: Lifecycle
  readonly #currentMarkets: CurrentMarkets
  readonly #health: ServiceHealth

  constructor(deps: GatewayDeps) {
    const connections = new OpenConnections(deps)
    this.#deps = deps
    this.#connections = connections
    this.#upgrades = new Upgrades(deps, (socket, guest, isSimple) => connections.add(socket, guest, isSimple))
    this.#currentMarkets = new CurrentMarkets(deps.selectors.catalogue, deps.nowMs)
    this.#health = new ServiceHealth(deps.stores.health)
    const onEnded = (marketId: string): void => {
      this.#currentMarkets.ended(marketId)
      for (const connection of connections.streams()) connection.ended(marketId)
    }
    const { catalogue, markets } = deps.selectors
    this.#lifecycle = new Lifecycle({ ...deps, catalogue, markets, onEnded })
  }

  /** Call it when NATS is connected. */
  attach(connection: NatsConnection): void {
    this.#deps.hub.feed.attach(connection)
    this.#lifecycle.attach(connection)
  }

  /** For `on('upgrade')` of an HTTP server. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#upgrades.handle(request, socket, head)
  }

  /** Serves the connections until the signal, then closes them. */
  async run(signal: AbortSignal): Promise<void> {
    const { watch, consoleWatch, accessControl, hub, onTrouble } = this.#deps
    const connections = this.#connections
    const stopListening = accessControl.onChange((change) => watch.changed(change))
    const timers = [
      setInterval(() => connections.checkSlowReaders(), CHECK_SLOW_EVERY_MS),
      setInterval(() => this.updateMarkets(), UPDATE_MARKETS_EVERY_MS),
      setInterval(() => connections.ping(), PING_EVERY_MS),
      setInterval(() => void connections.renewLeases().catch(onTrouble), LEASE_EVERY_MS),
      setInterval(() => watch.look(), LOOK_AT_ACCESS_EVERY_MS),
      setInterval(() => consoleWatch.look(), LOOK_AT_CONSOLES_EVERY_MS),
      setInterval(() => hub.sweep(), SWEEP_EVERY_MS),
    ]
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
    for (const timer of timers) clearInterval(timer)
    stopListening()
    this.#upgrades.stopAdmitting()
    await connections.closeAll()
    this.#upgrades.close()
  }

  /** Tells which markets have opened and ended by now, and goes on with those that come after them. */
  updateMarkets(): void {
    this.#lifecycle.look()
    this.#currentMarkets.refresh()
    for (const connection of this.#connections.streams()) connection.updateMarkets(this.#currentMarkets)
    this.#health.look(this.#deps.nowMs(), this.#connections.streams())
  }
}
