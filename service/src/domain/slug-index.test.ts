import fc from 'fast-check'
import { expect, test } from 'vitest'
import { COINS } from './market.ts'
import { normaliseSlug, type SlugCandidate, WINDOW_TIMEFRAMES } from './slug.ts'
import { SlugIndex } from './slug-index.ts'

const NOW_MS = Date.UTC(2026, 10, 14, 12, 3)
const LENGTH_MS = { '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '4h': 14_400_000, '1d': 86_400_000 } as const
const NAMES: Record<string, string> = { BTC: 'bitcoin', ETH: 'ethereum', SOL: 'solana' }

/** The current window of every series and the two after it, named as the venue does. */
const windows: SlugCandidate[] = COINS.flatMap((coin) =>
  WINDOW_TIMEFRAMES.flatMap((timeframe) =>
    [0, 1, 2].map((ahead) => {
      const lengthMs = LENGTH_MS[timeframe]
      const startsAtMs = Math.floor(NOW_MS / lengthMs) * lengthMs + ahead * lengthMs
      const name = NAMES[coin] ?? coin.toLowerCase()
      const slug =
        timeframe === '1h'
          ? `${name}-up-or-down-november-14-2026-${ahead + 7}am-et`
          : timeframe === '1d'
            ? `${name}-up-or-down-on-november-${14 + ahead}-2026`
            : `${coin.toLowerCase()}-updown-${timeframe}-${startsAtMs / 1_000}`
      return { marketId: slug, venue: 'a', slug, coin, timeframe, startsAtMs, endsAtMs: startsAtMs + lengthMs }
    }),
  ),
)
const market = (slug: string, coin?: string): SlugCandidate => ({
  marketId: slug,
  venue: 'a',
  slug,
  ...(coin !== undefined && { coin }),
  timeframe: coin === undefined ? 'event' : 'hit-price',
  endsAtMs: NOW_MS + 86_400_000,
})
const others = [
  market('fed-decision-in-december-2026'),
  market('will-the-lakers-beat-the-celtics-november-15'),
  market('will-bitcoin-reach-150k-in-2026', 'BTC'),
  market('will-bitcoin-reach-160k-in-2026', 'BTC'),
  market('highest-temperature-in-london-on-november-14'),
  market('who-wins-the-north-cup'),
  market('who-wins-the-south-cup'),
  market('dogecoin-up-or-down-forever', 'DOGE'),
]
const index = new SlugIndex([...windows, ...others])
const resolve = (slug: string) => index.resolve(slug, NOW_MS)
const foundBy = (slug: string) => {
  const answer = resolve(slug)
  return answer.matchedBy === undefined ? undefined : [answer.matchedBy, answer.candidate.slug]
}
const series = fc.tuple(fc.constantFrom(...COINS), fc.constantFrom(...WINDOW_TIMEFRAMES))

test('every slug finds itself', () => {
  for (const { slug } of [...windows, ...others]) expect(foundBy(slug)).toEqual(['exact', slug])
  expect(foundBy('FED-decision-in-December-2026 ')).toEqual(['exact', 'fed-decision-in-december-2026'])
})

test('the up/down form finds the current window of all five lengths, and with a time the window that holds it', () => {
  fc.assert(
    fc.property(
      series,
      fc.integer({ min: 0, max: 2 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (which, ahead, part) => {
        const [coin, timeframe] = which
        const lead = `${coin.toLowerCase()}-updown-${timeframe}`
        const ofSeries = windows.filter((each) => each.coin === coin && each.timeframe === timeframe)
        const current = resolve(`${lead}-whenever`)
        expect(current).toMatchObject({ matchedBy: 'current_window', candidate: { slug: ofSeries[0]?.slug } })
        expect(resolve(lead)).toEqual(current)
        const wanted = ofSeries[ahead]
        const atMs = Math.floor((wanted?.startsAtMs ?? 0) + part * LENGTH_MS[timeframe])
        const timed = resolve(`${lead}-${atMs}`)
        expect(timed).toMatchObject({ candidate: { slug: wanted?.slug } })
        expect(['exact', 'window_at_time']).toContain(timed.matchedBy)
      },
    ),
  )
})

test('no answer ever crosses to another coin or another length than the slug says', () => {
  const tail = fc.oneof(fc.string({ maxLength: 12 }), fc.integer({ min: 0, max: 4_000_000_000_000 }).map(String))
  const word = fc.oneof(fc.constantFrom(...COINS, 'PEPE', 'bct', 'bitcoin', 'btcc'), fc.string({ maxLength: 5 }))
  const length = fc.constantFrom(...WINDOW_TIMEFRAMES, '30m', '2h', '1w', '10m')
  fc.assert(
    fc.property(word, length, tail, (coin, timeframe, rest) => {
      const asked = `${coin}-updown-${timeframe}-${rest}`
      const answer = resolve(asked)
      if (answer.matchedBy === undefined || answer.matchedBy === 'exact') return
      const [first = ''] = normaliseSlug(asked).split('-')
      expect([answer.candidate.coin?.toLowerCase(), NAMES[answer.candidate.coin ?? '']]).toContain(first)
      expect(answer.candidate.timeframe).toBe(timeframe)
    }),
    { numRuns: 2_000 },
  )
})

test('a time that no window contains is the current window, and says for which time an ended window is to be searched', () => {
  const current = windows.find(({ coin, timeframe }) => coin === 'BTC' && timeframe === '5m')?.slug
  for (const [time, atMs] of [
    ['0', 0],
    ['1500000000', 1.5e12],
    ['1500000000000', 1.5e12],
    ['4000000000', 4e12],
  ] as const) {
    expect(resolve(`btc-updown-5m-${time}`)).toEqual({
      matchedBy: 'current_window',
      candidate: expect.objectContaining({ slug: current }),
      window: { coin: 'BTC', timeframe: '5m', atMs },
    })
  }
  expect(foundBy('btc-updown-5m-99999999999999999999')).toEqual(['current_window', current])
  expect(resolve('btc-updown-5m-99999999999999999999')).not.toHaveProperty('window')
})

test('a series without windows is unknown, and only windows of its coin and length are suggested', () => {
  const without = new SlugIndex(windows.filter(({ startsAtMs = 0 }) => startsAtMs > NOW_MS))
  const answer = without.resolve('btc-updown-5m-1500000000', NOW_MS)
  expect(answer).toMatchObject({ matchedBy: undefined, window: { coin: 'BTC', timeframe: '5m', atMs: 1.5e12 } })
  if (answer.matchedBy !== undefined) throw new Error('matched')
  expect(answer.candidates.length).toBeGreaterThan(0)
  expect(answer.candidates.every(({ coin, timeframe }) => coin === 'BTC' && timeframe === '5m')).toBe(true)
})

test('a slug that speaks of up or down finds windows only', () => {
  expect(foundBy('dogecoin-up-or-down-for')).toBeUndefined()
  expect(foundBy('dogecoin-up-or-down-forevr')).toBeUndefined()
})

test('a prefix is an answer when it means one market or one series', () => {
  expect(foundBy('fed-decision')).toEqual(['prefix', 'fed-decision-in-december-2026'])
  expect(foundBy('btc-updown-15')?.[1]).toBe(windows.find((w) => w.coin === 'BTC' && w.timeframe === '15m')?.slug)
  expect(foundBy('btc-updown')).toBeUndefined()
  expect(foundBy('will-bitcoin-reach')).toBeUndefined()
  expect(foundBy('')).toBeUndefined()
})

test('likeness is an answer only when it is clear, and numbers are never guessed', () => {
  expect(foundBy('fed-decison-in-december-2026')).toEqual(['trigram', 'fed-decision-in-december-2026'])
  expect(foundBy('will-lakers-beat-celtics-november-15')?.[0]).toBe('trigram')
  expect(foundBy('fed-decision-in-december-2027')).toBeUndefined()
  expect(foundBy('highest-temperature-in-london-on-november-15')).toBeUndefined()
  const unclear = resolve('will-btcoin-reach-1-in-2026')
  expect(unclear.matchedBy).toBeUndefined()
  if (unclear.matchedBy === undefined) {
    expect(unclear.candidates.slice(0, 2).map(({ slug }) => slug)).toEqual(others.slice(2, 4).map(({ slug }) => slug))
  }
  expect(foundBy('who-wins-the-nouth-cup')).toBeUndefined()
  expect(resolve('zzzzqqqq')).toEqual({ matchedBy: undefined, candidates: [] })
})

test('an index that was changed answers as one that is built from the same markets', () => {
  const all = [...windows, ...others]
  const asked = [...all.map(({ slug }) => slug), ...all.map(({ slug }) => slug.slice(0, -3)), 'fed-decison-in-december']
  const change = fc.record({ at: fc.nat(all.length - 1), isPut: fc.boolean(), laterMs: fc.constantFrom(0, 60_000) })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const held = new Map(all.slice(0, 40).map((each) => [each.marketId, each]))
      const changed = new SlugIndex([...held.values()])
      for (const { at, isPut, laterMs } of changes) {
        const one = all[at]
        if (one === undefined) continue
        // Two markets may have one slug.
        const candidate = { ...one, marketId: `${one.marketId}${laterMs}`, endsAtMs: one.endsAtMs + laterMs }
        if (isPut) held.set(candidate.marketId, candidate)
        else held.delete(candidate.marketId)
        if (isPut) changed.put(candidate)
        else changed.remove(candidate.marketId)
      }
      const built = new SlugIndex([...held.values()])
      for (const slug of asked) expect(changed.resolve(slug, NOW_MS)).toEqual(built.resolve(slug, NOW_MS))
    }),
    { numRuns: 30 },
  )
})

test('a search among 24,000 slugs costs a small part of what indexing them costs', () => {
  const many = Array.from({ length: 24_000 }, (_, n) => market(`will-team-${n % 300}-beat-team-${n % 77}-on-day-${n}`))
  const leastCpu = (count: number, work: (n: number) => void): number =>
    Math.min(
      ...Array.from({ length: count }, (_, n) => {
        const before = process.cpuUsage()
        work(n)
        return process.cpuUsage(before).user
      }),
    )
  let large = new SlugIndex([])
  const indexing = leastCpu(3, () => {
    large = new SlugIndex([...windows, ...many])
  })
  const search = leastCpu(21, (n) => large.resolve(`will-teem-${n}-beat-team-${n}-on-the-day-${n}`, NOW_MS))
  expect(search).toBeLessThan(indexing / 5)
})
