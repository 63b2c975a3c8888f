import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { VenueHttp } from '../venue-http.ts'
import type { GammaEvent } from './gamma.ts'
import { MoreMarkets } from './more-markets.ts'

const eventOf = (slug: string): GammaEvent => ({ id: slug, slug, title: slug, markets: [] }) as never
const MINUTE_MS = 60_000

/** A catalogue with one second event; every request is noted. */
async function openCatalogue() {
  const asked: string[] = []
  const server = createServer(({ url = '' }, answer) => {
    const slug = url.replace('/events/slug/', '')
    asked.push(slug)
    const isKnown = slug === 'unl-eng-cze-2026-10-06-more-markets'
    answer.writeHead(isKnown ? 200 : 404).end(JSON.stringify(isKnown ? eventOf(slug) : { error: 'not found' }))
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const gamma = new VenueHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return { asked, more: new MoreMarkets(gamma, () => {}) }
}

test('the second event of a game is found by its slug; where there is none, it is asked for again later', async () => {
  const { asked, more } = await openCatalogue()
  const games = ['unl-eng-cze-2026-10-06', 'epl-ars-liv-2026-10-07', 'unl-eng-cze-2026-10-06-more-markets'].map(eventOf)
  const { signal } = new AbortController()
  const slugsAt = async (nowMs: number) => (await more.of(games, nowMs, signal)).events.map(({ slug }) => slug)
  expect(await slugsAt(0)).toEqual(['unl-eng-cze-2026-10-06-more-markets'])
  expect(asked).toEqual(['unl-eng-cze-2026-10-06-more-markets', 'epl-ars-liv-2026-10-07-more-markets'])
  expect(await slugsAt(MINUTE_MS)).toEqual(['unl-eng-cze-2026-10-06-more-markets'])
  expect(asked).toHaveLength(2)
  await slugsAt(11 * MINUTE_MS)
  expect(asked.slice(2)).toEqual(['unl-eng-cze-2026-10-06-more-markets'])
  await slugsAt(31 * MINUTE_MS)
  expect(asked.slice(3)).toContain('epl-ars-liv-2026-10-07-more-markets')
})
