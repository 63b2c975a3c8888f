import { expect, test } from 'vitest'
import { HashRuleWatch } from '../../src/venues/polymarket/hash-rule-watch.ts'
import { ProvedBook } from '../../src/venues/polymarket/proved-book.ts'
import type { ChangeEvent } from '../../src/venues/venue.ts'
import { TinyVenue } from './tiny-venue.ts'

/** Some markets with proved books, whose venue may hash by an unknown rule. */
class Markets {
  readonly ruleWatch = new HashRuleWatch()
  readonly venues: readonly TinyVenue[]
  readonly books: readonly ProvedBook[]
  nowMs = new TinyVenue().nowMs

  constructor(count: number) {
    this.venues = Array.from({ length: count }, (_, index) => new TinyVenue(`0x${String(index).padStart(64, '0')}`))
    this.books = this.venues.map(({ market }) => new ProvedBook(market, { ruleWatch: this.ruleWatch }))
    for (const [index, book] of this.books.entries())
      for (const outcome of [0, 1] as const) book.take(this.venue(index).book(outcome, true), this.nowMs)
  }

  venue(index: number): TinyVenue {
    const venue = this.venues[index]
    if (venue === undefined) throw new Error(`no market ${index}`)
    return venue
  }

  /** Every market changes every 100 ms and is sampled every 250 ms. */
  run(forMs: number, change: (event: ChangeEvent) => ChangeEvent): void {
    for (const endMs = this.nowMs + forMs; this.nowMs < endMs; ) {
      this.nowMs += 50
      for (const [index, book] of this.books.entries()) {
        const venue = this.venue(index)
        venue.nowMs = this.nowMs
        if (this.nowMs % 100 === 0)
          for (const event of venue.batch([4_800, (this.nowMs % 90_000) * 100 + 100]))
            book.take(change(event), this.nowMs)
        if (this.nowMs % 250 === 0) book.settle(this.nowMs)
      }
    }
  }
}

/** Another rule: the hash is that of some other text. */
function otherRule(event: ChangeEvent): ChangeEvent {
  const entries = event.entries.map((entry) => ({ ...entry, hash: entry.hash.split('').reverse().join('') }))
  return { ...event, entries }
}

function withWrongEcho(event: ChangeEvent): ChangeEvent {
  const changed = otherRule(event)
  return { ...changed, entries: changed.entries.map((entry) => ({ ...entry, bestBid: 1_234 })) }
}

const same = (event: ChangeEvent): ChangeEvent => event

test('when the venue changes its hash rule, books go on as unverified within 2 s, and are verified again when it fits', () => {
  const markets = new Markets(12)
  markets.run(1_000, same)
  expect(markets.books.every(({ proved }) => proved?.isUpVerified && proved.isDownVerified)).toBe(true)
  const changedAtMs = markets.nowMs
  markets.run(2_000, otherRule)
  expect(markets.ruleWatch.isChanged).toBe(true)
  expect(markets.ruleWatch.changedAtMs).toBeLessThan(changedAtMs + 2_000)
  markets.run(3_000, otherRule)
  for (const book of markets.books) {
    expect(book.takeDoubts()).toEqual([])
    expect([book.proved?.isUpVerified, book.proved?.isDownVerified]).toEqual([false, false])
    expect(book.proved?.eventAtMs).toBeGreaterThan(markets.nowMs - 400)
    expect(book.isToBeCompared(markets.nowMs)).toBe(false)
  }
  markets.run(4_000, same)
  expect(markets.ruleWatch.isChanged).toBe(false)
  expect(markets.books.every(({ proved }) => proved?.isUpVerified && proved.isDownVerified)).toBe(true)
})

test('after a change of the rule, new markets are recorded unverified too', () => {
  const markets = new Markets(12)
  markets.run(3_000, otherRule)
  const venue = new TinyVenue(`0x${'f'.repeat(64)}`)
  const book = new ProvedBook(venue.market, { ruleWatch: markets.ruleWatch })
  for (const outcome of [0, 1] as const)
    book.take({ ...venue.book(outcome, true), hash: '0'.repeat(40) }, markets.nowMs)
  expect([book.proved?.isUpVerified, book.doubt]).toEqual([false, undefined])
})

test('failures in a few markets, or with best prices that differ from those of the venue, are no new rule', () => {
  for (const [count, change] of [
    [9, otherRule],
    [12, withWrongEcho],
  ] as const) {
    const markets = new Markets(count)
    markets.run(3_000, change)
    expect(markets.ruleWatch.isChanged).toBe(false)
    expect(markets.books.every((book) => book.isToBeCompared(markets.nowMs))).toBe(true)
  }
})
