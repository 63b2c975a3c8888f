import type { Market } from '@bookreel/service/domain/market'
import { clearOfWindowEnd } from '@bookreel/testbed/clear-of-window-end'
import { ApiService } from '../api-service.ts'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { hundredths } from '../hundredths.ts'
import { madeUpMarket } from '../made-up-market.ts'
import { percentile } from '../percentile.ts'
import { figuresOf, p95, type TimedRequests, timeRequests } from '../time-requests.ts'

const WORDS =
  'will bitcoin ethereum federal reserve bank rate cut raise president election senate temperature rain snow london paris tokyo price above below reach close week month year season final match win lose team league cup score goal record high low oil gold silver index company earnings report launch release album movie award city mayor court ruling law trade tariff agreement summit visit flight moon rocket inflation unemployment growth'.split(
    ' ',
  )
const QUESTION_WORDS = 8
const TAKES_MS = 30_000
/** Ten years: quotes are of the markets that end first, and the listed ones have no books. */
const ENDS_AFTER_MS = 315_360_000_000
/** Events and labels of the listed markets have this word, and no others. */
const PURPOSE = 'lookup'
/** As people write: right, beginning only, misspelled, several words, none that exists. */
const SEARCHES = [
  'bitcoin',
  'fed',
  'temprature london',
  'federal reserve rate cut',
  'xylophone',
  'will the team win',
  'bitcoin price above week month year',
]

export const lookup = experiment({
  name: 'lookup',
  summary: 'Measures quotes of many markets in one call, and searches in a large catalogue.',
  options: {
    markets: { description: 'number of simulated markets', default: 700, atLeast: 20 },
    listed: { description: 'more markets in the catalogue, without books', default: 20_000, atLeast: 0 },
    requests: { description: 'requests of each kind', default: 200, atLeast: 1 },
    quotes: { description: 'markets in one call', default: 500, atLeast: 1 },
    quotesMs: { description: 'maximum p95 of a call for quotes, in ms', default: 50 },
    searchMs: { description: 'maximum p95 of a search, in ms', default: 30 },
  },
  async run({ markets, listed, requests, quotes, quotesMs, searchMs }, progress) {
    const inactive = Array.from({ length: listed }, (_, number) => wordyMarket(number))
    await using service = await ApiService.start({ world: ['--markets', String(markets)], listed: inactive }, progress)
    const { key } = await service.openAccount('enterprise', 0)
    const measure = async (when: string): Promise<Measured> => {
      const counts: number[] = []
      const quotePaths = new Array<string>(requests).fill(`/v1/quotes?limit=${quotes}`)
      const quoted = await timeRequests(service, key, quotePaths, (body, _path, index) => {
        progress(`quotes ${when}, ${index} of ${requests}`)
        counts.push((JSON.parse(body.toString()) as { quotes: unknown[] }).quotes.length)
      })
      const first = await timeRequests(service, key, ['/v1/markets/search?q=bitcoin'])
      const texts = Array.from({ length: requests }, (_, count) => SEARCHES[count % SEARCHES.length] ?? '')
      const searchPaths = texts.map((text) => `/v1/markets/search?q=${encodeURIComponent(text)}`)
      const searched = await timeRequests(service, key, searchPaths, (_body, _path, index) =>
        progress(`searches ${when}, ${index} of ${requests}`),
      )
      return { quoted, usual: percentile(counts, 0.05), firstMs: first.times[0] ?? 0, searched }
    }
    // A window that has just opened has no book.
    await clearOfWindowEnd(TAKES_MS)
    const withBooks = (await service.recording.role('capture').metric('capture_markets_trusted')) ?? 0
    const busy = await measure('while markets are recorded')
    const found = await matchesOf(service, key, PURPOSE)
    await service.stopRecording()
    // Right away, because books become too old to be quoted.
    const alone = await measure('without recording')
    return {
      bounds: [
        bound('p95 of a call for quotes', p95(busy.quoted.times), '<=', quotesMs, 'ms'),
        bound('p95 of a search', p95(busy.searched.times), '<=', searchMs, 'ms'),
        bound('quotes that 95 % of the answers have', busy.usual, '>=', Math.min(quotes, withBooks)),
        bound('listed markets that a search finds', found, '>=', listed),
      ],
      series: {
        quoteTimes: busy.quoted.times.map(hundredths),
        searchTimes: busy.searched.times.map(hundredths),
        quoteTimesAlone: alone.quoted.times.map(hundredths),
        searchTimesAlone: alone.searched.times.map(hundredths),
      },
      notes: [
        `quotes, ${busy.usual} in an answer, ${withBooks} markets have a proved book: ${figuresOf(busy.quoted)}`,
        `searches: ${figuresOf(busy.searched)}; the first one, which makes the index: ${hundredths(busy.firstMs)} ms`,
        `without recording on the same cores, quotes, ${alone.usual} in an answer: ${figuresOf(alone.quoted)}`,
        `without recording on the same cores, searches: ${figuresOf(alone.searched)}`,
      ],
    }
  },
})

interface Measured {
  readonly quoted: TimedRequests
  /** Quotes that 95 % of the answers have. */
  readonly usual: number
  readonly firstMs: number
  readonly searched: TimedRequests
}

/** How many markets have all words of a text, however long the answer is. */
async function matchesOf({ client, port }: ApiService, key: string, text: string): Promise<number> {
  const path = `/v1/markets/search?limit=1&q=${encodeURIComponent(text)}`
  const { headers } = await client.ask({ port, path, headers: { 'x-api-key': key } })
  return Number(headers['x-total-count'] ?? Number.NaN)
}

/** With a question of words that others have, too. */
function wordyMarket(number: number): Market {
  const words = Array.from(
    { length: QUESTION_WORDS },
    (_, place) => WORDS[(number * (place + 3) + 7 * place) % WORDS.length],
  )
  const nowMs = Date.now()
  const market = madeUpMarket(PURPOSE, number, nowMs)
  return {
    ...market,
    endsAtMs: nowMs + ENDS_AFTER_MS,
    question: `${words.join(' ')} ${number}?`,
    slug: `${words.slice(0, 4).join('-')}-${number}`,
  }
}
