import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Checker, createChecker } from './checker.ts'
import { faultKinds, plantFault } from './plant-fault.ts'
import { createTinyMarket, type TinyChange, type TinyMarket } from './tiny-market.ts'

const change: fc.Arbitrary<TinyChange> = fc.record({
  thousandths: fc.integer({ min: 10, max: 999 }).filter((price) => price < 490 || price > 510),
  hundredths: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 300_000 })),
})

type Action = (market: TinyMarket) => string[]

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.array(change, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 4 }), fc.nat({ max: 3 }))
      .map(
        ([changes, frameCount, laterMs]): Action =>
          (market) =>
            market.batch(changes, frameCount, laterMs),
      ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.boolean(), fc.constantFrom(0 as const, 1 as const)).map(
      ([takeBid, view]): Action =>
        (market) =>
          market.trade(takeBid, view),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Action>((market) => market.finerTick()) },
)

const actions = fc.array(action, { maxLength: 25 })

function check({ market, tokens }: TinyMarket, frames: readonly string[]): Checker {
  const facts = { market, minOrderSize: '5', negRisk: false, version: 'v1' } as const
  const checker = createChecker({ facts: new Map(tokens.map((token) => [token, facts])) })
  for (const frame of frames) checker.take(frame)
  checker.finish()
  return checker
}

test('every correct hash is proved, for any sequence of market events', () => {
  fc.assert(
    fc.property(fc.nat({ max: 80 }), actions, (levelCount, story) => {
      const market = createTinyMarket(levelCount)
      const checker = check(market, [market.first(), ...story.flatMap((act) => act(market))])
      const tally = checker.tally()
      expect(tally).toMatchObject({ mismatches: [], wrongTops: 0, problems: [], pending: 0, ignored: 0 })
      expect(tally.provedBatches).toBe(tally.batches)
      expect(tally.provedBooks).toBe(tally.books)
      expect(tally.proofs.search).toBe(0)
      for (const token of market.tokens)
        expect(new Set(checker.provedKeys(token))).toEqual(new Set(market.publishedKeys[token]))
    }),
    { numRuns: 300 },
  )
})

test.each(faultKinds)('one %s is found, wherever it is', (kind) => {
  // Sizes and the price of the next batch are unique, so that nothing can undo the fault.
  const victim = fc.uniqueArray(fc.integer({ min: 1, max: 48 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(
      actions,
      victim,
      fc.nat(),
      fc.integer({ min: 1, max: 3 }),
      actions,
      (before, tens, at, frameCount, after) => {
        const market = createTinyMarket(60)
        const frames = [market.first(), ...before.flatMap((act) => act(market))]
        const changes = tens.map((ten) => ({ thousandths: ten * 10, hundredths: 777_777 }))
        const batch = market.batch(changes, frameCount, 1)
        frames.push(...plantFault(batch, kind, at % batch.length))
        frames.push(...market.batch([{ thousandths: 490, hundredths: 888_888 }], 1, 1))
        frames.push(...after.flatMap((act) => act(market)))
        const { mismatches, batches, provedBatches } = check(market, frames).tally()
        expect(mismatches.length).toBeGreaterThan(0)
        expect(mismatches[0]?.follows).toBe(false)
        expect(provedBatches).toBeLessThan(batches)
      },
    ),
    { numRuns: 80 },
  )
})
