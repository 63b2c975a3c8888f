import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { untilConnected } from '../bus/heartbeat.ts'
import { MarketChanges } from '../bus/market-changes.ts'
import type { Config } from '../config.ts'
import { missedMarketCounter } from '../pipeline/catalogue-metrics.ts'
import type { LiveCatalogue } from '../stores/markets/live-catalogue.ts'
import { openBus } from './engines.ts'

export interface LiveCatalogueParts {
  readonly config: Config
  readonly catalogue: LiveCatalogue
  readonly registry: Registry
  readonly log: Logger
  readonly onTrouble: (error: unknown) => void
}

/** NATS usually answers at once, and then the markets are listed only once at the start. */
const CONNECTS_WITHIN_MS = 1_000
const LOGGED_MARKETS = 5

/** Keeps the catalogue of this process current until the signal, also while NATS is unavailable. */
export async function runLiveCatalogue(
  { config, catalogue, registry, log, onTrouble }: LiveCatalogueParts,
  signal: AbortSignal,
): Promise<void> {
  const missed = missedMarketCounter(registry)
  let changes: MarketChanges | undefined
  const connect = () => openBus(config, 'market changes')
  const connected = untilConnected({ connect, onTrouble }, signal).then((connection) => {
    changes = connection && new MarketChanges(connection)
    return connection
  })
  await Promise.race([connected, sleep(CONNECTS_WITHIN_MS, undefined, { ref: false })])
  const onMissed = (marketIds: readonly string[]): void => {
    missed.inc(marketIds.length)
    const some = marketIds.slice(0, LOGGED_MARKETS)
    log.warn({ markets: marketIds.length, some }, 'markets in memory differed from PostgreSQL, corrected')
  }
  await catalogue.run({ changes: () => changes, onTrouble, onMissed }, signal)
  await (await connected)?.close()
}
