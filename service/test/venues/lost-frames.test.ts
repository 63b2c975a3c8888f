import { OfflineWorld, WORLD_START_MS } from '@bookreel/simulator/polymarket/offline-world'
import { expect, test } from 'vitest'
import type { Ladders } from '../../src/domain/book.ts'
import { decodeFrame } from '../../src/venues/polymarket/decode.ts'
import { ProvedBook } from '../../src/venues/polymarket/proved-book.ts'
import type { BookEvent } from '../../src/venues/venue.ts'
import { marketFacts, truthOf } from './world-truth.ts'

interface Line {
  text: string
  atMs: number
}

/** Some seconds of one busy market: every frame, every true state, and what REST would answer after each. */
function record(seconds: number) {
  const lines: Line[] = []
  const truths: { up: Ladders; down: Ladders }[] = []
  const restBooks: { atMs: number; books: BookEvent[] }[] = []
  const told = new OfflineWorld({ size: { hot: 1, medium: 1, cold: 0 }, seed: 'lost' }, ({ market, frames, atMs }) => {
    if (market !== followed) return
    for (const text of frames) if (!text.includes('best_bid_ask')) lines.push({ text, atMs })
    truths.push(truthOf(market))
    restBooks.push({ atMs, books: booksIn(told.firstFrame(market)) })
  })
  const followed = [...told.world.markets.values()].find(({ activity }) => activity === 'hot')
  if (followed === undefined) throw new Error('no hot market')
  lines.push({ text: told.firstFrame(followed), atMs: WORLD_START_MS })
  truths.push(truthOf(followed))
  restBooks.push({ atMs: WORLD_START_MS, books: booksIn(told.firstFrame(followed)) })
  told.world.advance(WORLD_START_MS + seconds * 1_000)
  return { market: marketFacts(followed), lines, truths, restBooks }
}

function booksIn(frame: string): BookEvent[] {
  return decodeFrame(frame).events.filter((event) => event.kind === 'book')
}

const recording = record(6)
const everTrue = new Set(recording.truths.map(({ up, down }) => JSON.stringify([up, down])))

/** Applies the frames to a book; every state on the way must once have been true. */
function read(lines: readonly Line[]) {
  const book = new ProvedBook(recording.market)
  const pictures = new Set<NonNullable<ProvedBook['proved']>>()
  const compareIfDue = (atMs: number): void => {
    if (!book.isToBeCompared(atMs)) return
    const answer = recording.restBooks.findLast((each) => each.atMs <= atMs)
    book.compare(answer?.books ?? [], atMs)
  }
  for (const { text, atMs } of lines) {
    book.settle(atMs)
    compareIfDue(atMs)
    for (const event of decodeFrame(text).events)
      if (event.kind !== 'resolved' && event.kind !== 'created') book.take(event, atMs)
    if (book.proved !== undefined) pictures.add(book.proved)
  }
  const endMs = lines.at(-1)?.atMs ?? 0
  for (let atMs = endMs; atMs < endMs + 5_000; atMs += 250) {
    book.settle(atMs)
    compareIfDue(atMs)
    if (book.proved !== undefined) pictures.add(book.proved)
  }
  for (const { up, down } of pictures) {
    if (!everTrue.has(JSON.stringify([up, down]))) throw new Error('a state that was never true')
  }
  return { book, doubts: book.takeDoubts() }
}

function isChange({ text }: Line): boolean {
  return text.includes('"price_change"')
}

/** A lost change that a later change of the same level overwrites is no loss: the books are equal again. */
function expectFoundOrHealed(lines: readonly Line[], what: string): boolean {
  const { book, doubts } = read(lines)
  if (doubts.length > 0) return true
  const last = recording.truths.at(-1)
  expect(book.proved?.up, what).toEqual(last?.up)
  return false
}

test('the complete recording raises no doubt', () => {
  expect(read(recording.lines).doubts).toEqual([])
  expect(recording.lines.length).toBeGreaterThan(60)
})

test('every lost frame is detected, or a whole book replaces it before that; no state is ever wrong', () => {
  let found = 0
  // After the last frames no later hash can show a loss.
  const lines = recording.lines.slice(0, -10)
  for (const [index, line] of lines.entries()) {
    if (!isChange(line)) continue
    if (expectFoundOrHealed(recording.lines.toSpliced(index, 1), `without frame ${index}`)) found++
  }
  expect(found).toBeGreaterThan(0)
})

test('every altered size is detected', () => {
  for (const [index, line] of recording.lines.entries()) {
    if (!isChange(line)) continue
    const text = line.text.replace(/"size":"[^"]*"/, '"size":"4242.42"')
    expectFoundOrHealed(recording.lines.with(index, { ...line, text }), `with frame ${index} altered`)
  }
})

test('frames in the wrong order are detected, or make no difference', () => {
  for (let index = 1; index + 1 < recording.lines.length; index++) {
    const [one, other] = [recording.lines[index], recording.lines[index + 1]]
    if (one === undefined || other === undefined) continue
    const swapped = recording.lines.with(index, other).with(index + 1, one)
    const { book, doubts } = read(swapped)
    if (doubts.length === 0) expect(book.proved?.up).toEqual(recording.truths.at(-1)?.up)
  }
})

test('every frame twice makes no difference', () => {
  const { book, doubts } = read(recording.lines.flatMap((line) => [line, line]))
  expect(doubts).toEqual([])
  expect(book.proved?.up).toEqual(recording.truths.at(-1)?.up)
})

test('a lost frame is known within 2 s after the third failed check, and then the book is right again', () => {
  const changes = recording.lines.flatMap((line, index) => (isChange(line) ? [index] : []))
  const victims = changes.slice(0, -30).filter((_, rank) => rank % 5 === 0)
  let found = 0
  for (const victim of victims) {
    const lossAtMs = recording.lines[victim]?.atMs ?? 0
    const { book, doubts } = read(recording.lines.toSpliced(victim, 1))
    const [first] = doubts
    expect(book.proved?.up).toEqual(recording.truths.at(-1)?.up)
    if (first === undefined) continue
    found++
    expect(first.cause).toBe('hash_mismatch')
    expect(first.provedAtMs).toBeLessThanOrEqual(lossAtMs)
    expect(first.raisedAtMs).toBeLessThanOrEqual(lossAtMs + 1_000 + 2_000 + 500)
  }
  expect(found).toBeGreaterThan(0)
})
