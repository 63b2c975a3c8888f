import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type KalshiMarket, KalshiMarketSchema, MarketPageSchema } from './market-schema.ts'
import type { PacedHttp } from './paced-http.ts'

/** Called for a part of an answer that could not be read. */
export type OnProblem = (reason: string) => void

export interface MarketList {
  markets: readonly KalshiMarket[]
  invalid: readonly string[]
  /** The last page was not reached: a market that is missing here may exist. */
  isPartial: boolean
}

const PAGE_LIMIT = 1_000
const MOST_PAGES = 5
/** So many markets are checked at once; more would delay the sampling of books in this process. */
const CHECKED_AT_ONCE = 50

/** Reads all pages of a list of markets. Throws if the first page fails. */
export async function listMarkets(
  http: PacedHttp,
  filter: Readonly<Record<string, string>>,
  signal: AbortSignal,
  onProblem: OnProblem,
): Promise<MarketList> {
  const markets = new Map<string, KalshiMarket>()
  const invalid: string[] = []
  const listed = (problem?: string): MarketList => {
    if (problem !== undefined) onProblem(problem)
    return { markets: [...markets.values()], invalid, isPartial: problem !== undefined }
  }
  const cursors = new Set<string>()
  let cursor = ''
  for (let page = 0; page < MOST_PAGES; page++) {
    const parameters = new URLSearchParams({ ...filter, limit: String(PAGE_LIMIT), ...(cursor !== '' && { cursor }) })
    const answer = await readPage(http, parameters, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      if (page === 0) throw error
      return undefined
    })
    if (answer === undefined) return listed('a page of a list of markets is missing')
    for (const [index, element] of answer.markets.entries()) {
      if (index % CHECKED_AT_ONCE === 0) await yieldToEventLoop()
      const { data: market, error } = KalshiMarketSchema.safeParse(element)
      if (market !== undefined) markets.set(market.ticker, market)
      else {
        invalid.push(nameOf(element))
        onProblem(`invalid market in a list: ${error.issues[0]?.path.join('.') ?? ''}`)
      }
    }
    cursor = answer.cursor ?? ''
    if (cursor === '') return listed()
    if (cursors.has(cursor)) return listed('a list of markets repeats its pages')
    cursors.add(cursor)
  }
  return listed(`a list of markets has more than ${MOST_PAGES} pages`)
}

async function readPage(http: PacedHttp, parameters: URLSearchParams, signal: AbortSignal) {
  return MarketPageSchema.parse(JSON.parse(await http.get('/markets', parameters, signal)))
}

function nameOf(element: unknown): string {
  const { ticker } = typeof element === 'object' && element !== null ? (element as { ticker?: unknown }) : {}
  return typeof ticker === 'string' ? ticker.slice(0, 100) : 'a market without a ticker'
}
