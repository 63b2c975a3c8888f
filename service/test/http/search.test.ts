import { list, madeMarket } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

let service: TestService
let key: string

const politics = { category: 'economics', subcategory: 'Fed', timeframe: 'event', planId: 'economics' } as const
const fed = madeMarket('fed', { ...politics, question: 'Will the Federal Reserve cut rates in December?' })
const ecb = madeMarket('ecb', { ...politics, question: 'Will the European Central Bank raise rates?' })
const rain = madeMarket('rain', {
  ...politics,
  question: 'Will it rain in Reykjavik?',
  eventTitle: 'Weather <b>&amp;</b>',
})
const resolved = madeMarket('over', { ...politics, question: 'Will the Federal Reserve close?' })

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('enterprise')
  await list(service, [fed, ecb, rain, resolved], [{ marketId: resolved.id, winner: 1, resolvedAtMs: Date.now() }])
  await vi.waitUntil(async () => (await search('reserve')).body.length > 0, { timeout: 120_000 })
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const search = (text: string, more = '', as = key) =>
  service.ask(`/v1/markets/search?q=${encodeURIComponent(text)}${more}`, { key: as })
const idsOf = async (text: string, more = ''): Promise<string[]> =>
  (await search(text, more)).body.map(({ market_id }: { market_id: string }) => market_id)

test('words of the question find the market, and markets with a result are not found', async () => {
  const { body, headers } = await search('federal reserve')
  expect(body).toEqual([
    {
      market_id: fed.id,
      slug: fed.slug,
      question: fed.question,
      event_title: fed.eventTitle,
      category: 'economics',
      subcategory: 'Fed',
      timeframe: 'event',
      status: expect.stringMatching(/live|upcoming/),
      end_date: new Date(fed.endsAtMs).toISOString(),
      venue: 'polymarket',
      score: expect.any(Number),
    },
  ])
  expect(headers['x-total-count']).toBe('1')
})

test.each([
  ['a misspelled word', 'fedral reserv'],
  ['the beginning of a word', 'feder'],
  ['another case', 'FEDERAL'],
])('%s finds the market', async (_, text) => {
  expect((await idsOf(text))[0]).toBe(fed.id)
})

test('markets with all words are found; only when there is none, those with some of them', async () => {
  expect(new Set(await idsOf('rates'))).toEqual(new Set([fed.id, ecb.id]))
  expect(await idsOf('european rates')).toEqual([ecb.id])
  expect(await idsOf('european xylophone')).toEqual([ecb.id])
})

test('filters and limit apply, and the count is of all matches', async () => {
  expect(await idsOf('rates', '&category=sports')).toEqual([])
  const { body, headers } = await search('rates', '&limit=1')
  expect(body).toHaveLength(1)
  expect(headers['x-total-count']).toBe('2')
})

test('a market that is listed later is found, and one that is resolved is not found any more', async () => {
  const late = madeMarket('late', { ...politics, question: 'Will the lighthouse of Alexandria return?' })
  await list(service, [late], [])
  await vi.waitUntil(async () => (await idsOf('lighthouse')).includes(late.id), { timeout: 120_000 })
  await list(service, [], [{ marketId: late.id, winner: 0, resolvedAtMs: Date.now() }])
  await vi.waitUntil(async () => (await idsOf('lighthouse')).length === 0, { timeout: 120_000 })
})

test('a search outside the tier is empty, and says that the tier is the reason', async () => {
  const { body, headers } = await search('federal', '', await service.keyOf('free'))
  expect(body).toEqual([])
  expect(headers['x-empty-reason']).toBe('tier')
})

test('texts of strangers are returned as they are', async () => {
  expect((await search('reykjavik')).body[0].event_title).toBe(rain.eventTitle)
})
