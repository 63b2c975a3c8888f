import type { Market } from '@bookreel/service/domain/market'
import { ApiService } from '../api-service.ts'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { hundredths } from '../hundredths.ts'
import { madeUpMarket } from '../made-up-market.ts'
import { percentile } from '../percentile.ts'

const WORDS =
  'will bitcoin ethereum federal reserve bank rate cut raise president election senate temperature rain snow london paris tokyo price above below reach close week month year season final match win lose team league cup score goal record high low oil gold silver index company earnings report launch release album movie award city mayor court ruling law trade tariff agreement summit visit flight moon rocket inflation unemployment growth'.split(
    ' ',
  )
const QUESTION_WORDS = 8
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
    const timed = async (path: string): Promise<{ ms: number; body: unknown }> => {
      const startMs = performance.now()
      const { status, body } = await service.client.ask({ port: service.port, path, headers: { 'x-api-key': key } })
      const ms = performance.now() - startMs
      if (status !== 200) throw new Error(`${path} responded with status ${status}`)
      return { ms, body: JSON.parse(body.toString()) }
    }
    const quoteTimes: number[] = []
    let most = 0
    for (let count = 0; count < requests; count++) {
      progress(`quotes, ${count} of ${requests}`)
      const { ms, body } = await timed(`/v1/quotes?limit=${quotes}`)
      quoteTimes.push(ms)
      most = Math.max(most, (body as { quotes: unknown[] }).quotes.length)
    }
    const { ms: firstMs } = await timed('/v1/markets/search?q=bitcoin')
    const searchTimes: number[] = []
    for (let count = 0; count < requests; count++) {
      progress(`searches, ${count} of ${requests}`)
      const text = encodeURIComponent(SEARCHES[count % SEARCHES.length] ?? '')
      searchTimes.push((await timed(`/v1/markets/search?q=${text}`)).ms)
    }
    return {
      bounds: [
        bound('p95 of a call for quotes', hundredths(percentile(quoteTimes, 0.95)), '<=', quotesMs, 'ms'),
        bound('p95 of a search', hundredths(percentile(searchTimes, 0.95)), '<=', searchMs, 'ms'),
      ],
      series: { quoteTimes: quoteTimes.map(hundredths), searchTimes: searchTimes.map(hundredths) },
      notes: [
        `most quotes in one answer: ${most}; median ${hundredths(percentile(quoteTimes, 0.5))} ms`,
        `searches: median ${hundredths(percentile(searchTimes, 0.5))} ms; the first one, which makes the index: ${hundredths(firstMs)} ms`,
      ],
    }
  },
})

/** With a question of words that others have, too. */
function wordyMarket(number: number): Market {
  const words = Array.from(
    { length: QUESTION_WORDS },
    (_, place) => WORDS[(number * (place + 3) + 7 * place) % WORDS.length],
  )
  const market = madeUpMarket('lookup', number, Date.now())
  return { ...market, question: `${words.join(' ')} ${number}?`, slug: `${words.slice(0, 4).join('-')}-${number}` }
}
