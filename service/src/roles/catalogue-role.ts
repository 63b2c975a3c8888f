import { jetstream } from '@nats-io/jetstream'
import { drainBus } from '../bus/connect.ts'
import { marketUpdateFeed } from '../bus/market-update-feed.ts'
import { CATALOGUE_CONSUMER, FACTS_CONSUMER } from '../bus/subjects.ts'
import { wallClock } from '../domain/clock.ts'
import { plansWith } from '../domain/plan.ts'
import { CoverageCounts } from '../stores/books/coverage-counts.ts'
import { recordedHourStore } from '../stores/books/recorded-hours.ts'
import { openDatabase } from '../stores/engines/postgres-database.ts'
import { marketFactStore } from '../stores/markets/market-facts.ts'
import { Markets } from '../stores/markets/markets.ts'
import { pastMarketWrites } from '../stores/markets/past-market-writes.ts'
import { Plans } from '../stores/markets/postgres-plans.ts'
import { deleteExpiredRows } from '../stores/platform/expired-rows.ts'
import { openBus, openClickHouse } from '../wiring/engines.ts'
import { type CatalogueMessage, runCatalogue } from '../workers/catalogue.ts'
import { runCoverage } from '../workers/count-coverage.ts'
import { deleteExpired } from '../workers/delete-expired.ts'
import { type FactMessage, runFacts } from '../workers/facts.ts'
import { runPastMarkets } from '../workers/keep-past-markets.ts'
import { publishPlans } from '../workers/publish-plans.ts'
import type { StoreMeter } from '../workers/store-then-acknowledge.ts'
import { catalogueMessageCounter } from '../workers/worker-metrics.ts'
import type { Role } from './role.ts'

/** Bus → PostgreSQL: markets and their resolutions; bus → ClickHouse: the market data that never changes; ClickHouse → PostgreSQL: how complete finished days are; within ClickHouse: the list of past markets. */
export const catalogueRole: Role = async ({ config, log, registry, nowMs = wallClock }, signal) => {
  const messages = catalogueMessageCounter(registry)
  const meterOf = (store: 'postgres' | 'clickhouse'): StoreMeter => ({
    stored: (count) => messages.inc({ store, outcome: 'stored' }, count),
    refused: (error) => {
      messages.inc({ store, outcome: 'refused' })
      log.error({ err: error, store }, 'market update discarded: it can not be stored')
    },
    failed: (error) => log.warn({ err: error, store }, 'storing market updates failed, will retry'),
  })
  const connection = await openBus(config, 'catalogue')
  const clickhouse = openClickHouse(config)
  const database = openDatabase({
    url: config.DATABASE_URL,
    onTrouble: (error) => log.warn({ err: error, store: 'postgres' }, 'store connection failed'),
  })
  try {
    const client = jetstream(connection)
    const listings = async function* (): AsyncGenerator<CatalogueMessage> {
      for await (const delivery of marketUpdateFeed(client, CATALOGUE_CONSUMER, signal)) {
        const { update, publishedAtMs } = delivery
        yield {
          listings: update.kind === 'listed' ? [{ market: update.market, seenAtMs: publishedAtMs }] : [],
          resolutions: update.kind === 'resolved' ? [update.resolution] : [],
          acknowledge: () => delivery.acknowledge(),
          refuse: async (reason) => delivery.discard(String(reason)),
        }
      }
    }
    const facts = async function* (): AsyncGenerator<FactMessage> {
      for await (const delivery of marketUpdateFeed(client, FACTS_CONSUMER, signal)) {
        const { update, publishedAtMs } = delivery
        if (update.kind !== 'listed') continue
        yield {
          listing: { market: update.market, publishedAtMs },
          acknowledge: () => delivery.acknowledge(),
          refuse: async (reason) => delivery.discard(String(reason)),
        }
      }
    }
    const plans = {
      publish: () => new Plans(database).publish(plansWith(config)),
      failed: (error: unknown) =>
        log.warn({ err: error, store: 'postgres' }, 'storing category plans failed, will retry'),
    }
    const expired = {
      remove: () => deleteExpiredRows(database, config, nowMs()),
      failed: (error: unknown) =>
        log.warn({ err: error, store: 'postgres' }, 'deleting expired rows failed, will retry'),
    }
    const coverage = {
      record: recordedHourStore(clickhouse),
      counts: new CoverageCounts(database),
      now: nowMs,
      failed: (error: unknown) => log.warn({ err: error }, 'counting how complete days are failed, will retry'),
    }
    const past = {
      table: pastMarketWrites(clickhouse),
      now: nowMs,
      failed: (error: unknown) => log.warn({ err: error }, 'listing past markets failed, will retry'),
    }
    await Promise.all([
      runCoverage(coverage, signal),
      runPastMarkets(past, signal),
      publishPlans(plans, signal),
      deleteExpired(expired, signal),
      runCatalogue({ messages: listings(), markets: new Markets(database), meter: meterOf('postgres') }, signal),
      runFacts({ messages: facts(), facts: marketFactStore(clickhouse), meter: meterOf('clickhouse') }, signal),
    ])
  } finally {
    await Promise.all([database.destroy(), clickhouse.close()])
    await drainBus(connection)
  }
}
