import { jetstream } from '@nats-io/jetstream'
import { Counter } from 'prom-client'
import { marketNewsFeed } from '../bus/market-news-feed.ts'
import { Markets } from '../stores/markets.ts'
import { openDatabase } from '../stores/postgres-database.ts'
import { type CatalogueMessage, runCatalogue } from '../workers/catalogue.ts'
import { openBus } from './engines.ts'
import type { Role } from './role.ts'

/** Bus → PostgreSQL: what markets exist and how they ended. */
export const catalogueRole: Role = async ({ config, log, registry }, signal) => {
  const messages = new Counter({
    name: 'catalogue_messages_total',
    help: 'News of markets by what became of them',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const connection = await openBus(config, 'catalogue')
  const database = openDatabase({ url: config.DATABASE_URL, onTrouble: (error) => log.warn({ error }, 'PostgreSQL') })
  try {
    const news = async function* (): AsyncGenerator<CatalogueMessage> {
      for await (const delivery of marketNewsFeed(jetstream(connection), signal)) {
        const { news: told, toldAtMs } = delivery
        yield {
          sightings: told.kind === 'listed' ? [{ market: told.market, seenAtMs: toldAtMs }] : [],
          resolutions: told.kind === 'resolved' ? [told.resolution] : [],
          acknowledge: () => delivery.acknowledge(),
          refuse: async (reason) => delivery.discard(String(reason)),
        }
      }
    }
    const meter = {
      stored: (count: number) => messages.inc({ outcome: 'stored' }, count),
      refused: (error: unknown) => {
        messages.inc({ outcome: 'refused' })
        log.error({ error }, 'news that can never be stored')
      },
      failed: (error: unknown) => log.warn({ error }, 'catalogue not stored yet'),
    }
    await runCatalogue({ messages: news(), markets: new Markets(database), meter }, signal)
  } finally {
    await database.destroy()
    await connection.drain()
  }
}
