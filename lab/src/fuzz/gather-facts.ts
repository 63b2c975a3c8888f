import { CATEGORY_PLANS, PERP_INTERVAL_MS } from '@bookreel/service/domain/plan'
import type { ApiService } from '../api-service.ts'
import { type PastWorld, pastRangeOf } from './past-world.ts'
import type { Facts, KnownMarket } from './valid-values.ts'

const MOST_MARKETS = 60
const SYMBOLS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', 'ZEC']

export interface KnownBefore extends Pick<Facts, 'samples' | 'files' | 'keyIds'> {
  readonly past: PastWorld
  readonly key: string
}

/** Facts that a client can read from the API. */
export async function gatherFacts(
  service: ApiService,
  { past, key, samples, files, keyIds }: KnownBefore,
): Promise<Facts> {
  const recorded = await recordedRanges(service)
  const listed = (await service.liveMarkets(key)).slice(0, MOST_MARKETS)
  const markets = listed.flatMap(({ conditionId, slug, category }): KnownMarket[] => {
    const range = recorded.get(conditionId)
    const plan = CATEGORY_PLANS.find((each) => each.category === category)
    if (range === undefined || plan === undefined) return []
    return [{ ...range, id: conditionId, slug, intervalMs: plan.captureIntervalMs }]
  })
  const live = {
    fromMs: Math.min(...markets.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...markets.map(({ toMs }) => toMs)),
  }
  const { market, symbol } = past
  const pastRange = pastRangeOf(past)
  return {
    markets,
    pastMarket: { ...pastRange, id: market.id, slug: market.slug, intervalMs: market.captureIntervalMs },
    perps: SYMBOLS.map((each) => ({ ...live, symbol: each, intervalMs: PERP_INTERVAL_MS })),
    pastPerp: { ...pastRange, symbol, intervalMs: PERP_INTERVAL_MS },
    events: await largestEvents(service, key),
    words: wordsOf(listed.map(({ question }) => question)),
    samples,
    files,
    keyIds,
  }
}

type Range = Pick<KnownMarket, 'fromMs' | 'toMs'>

/** By market. */
async function recordedRanges({ recording }: ApiService): Promise<ReadonlyMap<string, Range>> {
  const answer = await recording.clickhouse.query({
    query: `SELECT lower(hex(market_id)) AS id, toUnixTimestamp64Milli(min(captured_at)) AS first,
      toUnixTimestamp64Milli(max(captured_at)) AS last FROM snapshots GROUP BY market_id`,
    format: 'JSONEachRow',
  })
  const rows = await answer.json<{ id: string; first: string; last: string }>()
  return new Map(rows.map(({ id, first, last }) => [`0x${id}`, { fromMs: Number(first), toMs: Number(last) }]))
}

async function largestEvents({ client, port }: ApiService, key: string): Promise<string[]> {
  const reply = await client.ask({ port, path: '/v1/events?limit=500', headers: { 'x-api-key': key } })
  const { events } = JSON.parse(reply.body.toString()) as { events: { event: string; markets: number }[] }
  return events.toSorted((one, other) => other.markets - one.markets).map(({ event }) => event)
}

/** Single words and the first two of each question. */
function wordsOf(questions: readonly string[]): string[] {
  const words = questions.flatMap((question) => question.split(/\s+/).filter((word) => word.length > 2))
  return [...new Set([...words, ...questions.map((question) => question.split(' ').slice(0, 2).join(' '))])]
}
