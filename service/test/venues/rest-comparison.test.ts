import { expect, test } from 'vitest'
import { openProved } from './tiny-scene.ts'
import type { TinyVenue } from './tiny-venue.ts'

/** A change that was never received, and then changes whose hashes all contain it. */
function loseOne({ venue, give }: ReturnType<typeof openProved>, batchesAfter: number): void {
  venue.nowMs += 100
  venue.batch([4_850, 1_000_000])
  for (let count = 1; count <= batchesAfter; count++) {
    venue.nowMs += 10
    give(...venue.batch([4_700, count * 1_000_000]))
  }
}

test('a book is compared with REST after three failed checks, or after one second', () => {
  const scene = openProved()
  loseOne(scene, 3)
  const { book, venue, give } = scene
  expect(book.isToBeCompared(venue.nowMs)).toBe(false)
  venue.nowMs += 10
  give(...venue.batch([4_700, 9_000_000]))
  expect(book.isToBeCompared(venue.nowMs)).toBe(true)
  const slow = openProved()
  loseOne(slow, 1)
  slow.book.settle(slow.venue.nowMs + 250)
  expect(slow.book.isToBeCompared(slow.venue.nowMs + 999)).toBe(false)
  expect(slow.book.isToBeCompared(slow.venue.nowMs + 1_000)).toBe(true)
})

test('when REST has a state that the socket has sent or sends within 2 s, there is no doubt', () => {
  for (const isAhead of [false, true]) {
    const { venue, book, give } = openProved()
    const wrong = (events: ReturnType<TinyVenue['batch']>) =>
      events.map((event) => ({
        ...event,
        entries: event.entries.map((entry) => ({ ...entry, hash: `${entry.hash.slice(1)}0` })),
      }))
    for (const size of [1_000_000, 2_000_000, 3_000_000, 4_000_000]) {
      venue.nowMs += 10
      give(...wrong(venue.batch([4_800, size])))
    }
    expect(book.isToBeCompared(venue.nowMs)).toBe(true)
    const later = isAhead ? venue.batch([4_600, 1_000_000]) : []
    const rest = [venue.book(0, true), venue.book(1, true)].map((each) => ({ ...each, hash: `${each.hash.slice(1)}0` }))
    book.compare(rest, venue.nowMs)
    expect(book.isToBeCompared(venue.nowMs)).toBe(false)
    give(...wrong(later))
    book.settle(venue.nowMs + 2_100)
    expect(book.takeDoubts()).toEqual([])
    expect(book.proved?.up.bids).toHaveLength(isAhead ? 3 : 2)
    expect(book.proved?.isUpVerified).toBe(false)
  }
})

test('when the socket does not reach the REST book within 2 s, rows since the last proof are in doubt, and REST plus later changes is the new book', () => {
  const scene = openProved()
  const provedAtMs = scene.venue.nowMs
  loseOne(scene, 4)
  const { book, venue, give } = scene
  book.compare([venue.book(0, true), venue.book(1, true)], venue.nowMs)
  venue.nowMs += 500
  give(...venue.batch([4_600, 2_000_000]))
  book.settle(venue.nowMs + 1_499)
  expect(book.takeDoubts()).toEqual([])
  book.settle(venue.nowMs + 1_500)
  expect(book.takeDoubts()).toMatchObject([{ cause: 'hash_mismatch', provedAtMs }])
  expect(book.proved?.up.bids.map(({ price }) => price)).toEqual([4_900, 4_850, 4_700, 4_600])
  expect([book.proved?.isUpVerified, book.doubt]).toEqual([true, undefined])
})

test('without an answer of REST, a failing book is in doubt after six seconds', () => {
  const scene = openProved()
  loseOne(scene, 4)
  const sinceMs = scene.venue.nowMs - 30
  scene.book.settle(sinceMs + 5_999)
  expect(scene.book.doubt).toBeUndefined()
  scene.book.settle(sinceMs + 6_000)
  expect(scene.book.doubt?.cause).toBe('hash_mismatch')
})

test('an unproved book that is crossed is in doubt as impossible_book', () => {
  const { venue, book, give } = openProved()
  venue.nowMs += 10
  const [frame] = venue.batch([4_800, 1_000_000])
  if (!frame) throw new Error('one frame')
  give({ ...frame, entries: frame.entries.map((entry) => ({ ...entry, side: 'bids', price: 9_900 })) })
  book.settle(venue.nowMs + 250)
  book.settle(venue.nowMs + 6_000)
  expect(book.doubt?.cause).toBe('impossible_book')
})

test('F11: two batches in the wrong order: a state that REST confirms has the time of the REST book', () => {
  const { venue, book, give } = openProved()
  venue.nowMs += 10
  const older = venue.batch([4_800, 2_000_000])
  venue.nowMs += 10
  const newer = venue.batch([4_700, 1_000_000])
  give(...newer, ...older)
  book.settle(venue.nowMs + 1_200)
  const rest = [venue.book(0, true), venue.book(1, true)]
  book.compare(rest, venue.nowMs + 1_300)
  expect(book.takeDoubts()).toEqual([])
  expect(book.proved?.up.bids.map(({ price }) => price)).toEqual([4_900, 4_800, 4_700])
  const { eventAtMs, upHash, isUpVerified } = book.proved ?? {}
  expect([eventAtMs, upHash, isUpVerified]).toEqual([venue.nowMs, rest[0]?.hash, true])
  give(...older)
  expect([book.proved?.eventAtMs, book.takeDoubts()]).toEqual([venue.nowMs, []])
})

test('while hashes fail for ever, a market that is always newer than its REST book goes on, unverified', () => {
  const { venue, book, give } = openProved()
  const startMs = venue.nowMs
  const older: ReturnType<TinyVenue['book']>[][] = []
  for (let step = 1; step <= 100; step++) {
    venue.nowMs += 100
    const wrong = venue.batch([4_700, step * 1_000_000]).map((event) => ({
      ...event,
      entries: event.entries.map((entry) => ({ ...entry, hash: `${entry.hash.slice(1)}0` })),
    }))
    give(...wrong)
    book.settle(venue.nowMs)
    older.push([venue.book(0, true), venue.book(1, true)].map((each) => ({ ...each, hash: `${each.hash.slice(1)}0` })))
    if (book.isToBeCompared(venue.nowMs)) book.compare(older.at(-2) ?? [], venue.nowMs)
    if (step > 40) expect(venue.nowMs - (book.proved?.eventAtMs ?? 0)).toBeLessThan(1_500)
  }
  expect(book.takeDoubts()).toEqual([])
  expect(book.proved?.isUpVerified).toBe(false)
  expect(book.proved?.eventAtMs).toBeGreaterThan(startMs + 8_000)
})
