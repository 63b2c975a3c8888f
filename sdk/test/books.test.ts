import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BookFrame } from '../src/generated/stream-types.ts'
import { BookKeeper, type StreamEvent } from '../src/index.ts'
import { LiveBuffer } from '../src/live-buffer.ts'
import { type DataFrame, isData } from '../src/stream-events.ts'
import { bookFrame, type Pairs, tradeFrame } from './frames.ts'

/** A book as a plain table of price and size. */
type Table = Map<number, number>

const prices = fc.integer({ min: 1, max: 99 }).map((cents) => cents / 100)
const tables = fc
  .array(fc.tuple(prices, fc.integer({ min: 1, max: 9 })), { maxLength: 12 })
  .map((all): Table => new Map(all))
const walks = fc.array(fc.record({ bids: tables, asks: tables }), { minLength: 1, maxLength: 40 })

const levels = (table: Table, isBid: boolean): Pairs =>
  [...table].sort(([one], [other]) => (isBid ? other - one : one - other))

function changes(before: Table, after: Table): Pairs {
  const gone = [...before.keys()].filter((price) => !after.has(price)).map((price): [number, number] => [price, 0])
  return [...gone, ...[...after].filter(([price, size]) => before.get(price) !== size)]
}

/** The books of a walk as the server sends them: one snapshot, then deltas. */
function asDeltas(walk: readonly { bids: Table; asks: Table }[]): BookFrame[] {
  return walk.map(({ bids, asks }, index) => {
    const before = walk[index - 1]
    const up =
      before === undefined
        ? { bids: levels(bids, true), asks: levels(asks, false) }
        : { bids: changes(before.bids, bids), asks: changes(before.asks, asks) }
    return bookFrame({ seq: index, type: before === undefined ? 'snapshot' : 'delta', up })
  })
}

/** Number of frames that were delivered or reported as skipped. */
function accountedFor(events: readonly StreamEvent[]): number {
  const skipped = events.reduce((sum, event) => sum + (event.type === 'skipped' ? event.frames : 0), 0)
  return events.filter(isData).length + skipped
}

async function drained(buffer: LiveBuffer): Promise<StreamEvent[]> {
  buffer.end()
  const events: StreamEvent[] = []
  for (let event = await buffer.take(); event !== undefined; event = await buffer.take()) events.push(event)
  return events
}

describe('BookKeeper', () => {
  test('has the correct book after any sequence of deltas', () => {
    fc.assert(
      fc.property(walks, (walk) => {
        const keeper = new BookKeeper()
        for (const frame of asDeltas(walk)) keeper.apply(frame)
        const { bids, asks } = walk.at(-1) ?? { bids: new Map(), asks: new Map() }
        const kept = keeper.get('m')
        expect(kept?.isTrusted).toBe(true)
        expect(kept?.up.bids).toEqual(levels(bids, true))
        expect(kept?.up.asks).toEqual(levels(asks, false))
        expect(kept?.up.bestBid).toBe(levels(bids, true)[0]?.[0])
      }),
    )
  })

  test('rejects a delta whose predecessor is missing, and doubts the book until the next snapshot', () => {
    const keeper = new BookKeeper()
    keeper.apply(bookFrame({ seq: 1, type: 'snapshot' }))
    expect(keeper.apply(bookFrame({ seq: 3, prev_seq: 2, type: 'delta' }))).toBeUndefined()
    expect(keeper.get('m')).toMatchObject({ seq: 1, doubt: 'sequence' })
    // A later delta with a matching predecessor does not repair the book.
    expect(keeper.apply(bookFrame({ seq: 4, prev_seq: 1, type: 'delta' }))).toBeUndefined()
    keeper.apply(bookFrame({ seq: 5, prev_seq: 4, type: 'snapshot' }))
    expect(keeper.get('m')).toMatchObject({ seq: 5, isTrusted: true })
  })

  const at = { at: 1, sent_at: 1 }
  const slot = { channel: 'book', market: 'm', from_seq: 1, to_seq: 1, sent_at: 1 } as const
  test.each<[StreamEvent, string | undefined]>([
    [{ ...slot, type: 'gap', kind: 'missing', cause: 'disconnected' }, 'gap'],
    [{ ...slot, type: 'gap', kind: 'suspect', cause: 'hash_mismatch' }, 'suspect'],
    [{ ...slot, from_seq: 0, to_seq: 0, type: 'gap', kind: 'suspect', cause: 'hash_mismatch' }, undefined],
    [{ ...slot, channel: 'bbo', type: 'gap', kind: 'missing', cause: null }, undefined],
    [{ ...slot, type: 'skipped', frames: 1 }, 'skipped'],
    [{ channel: 'status', type: 'dark', market: 'm', ...at }, 'dark'],
    [{ channel: 'status', type: 'dark', market: 'other', ...at }, undefined],
    [{ type: 'disconnected', code: 'network', message: '', at: 1 }, 'disconnected'],
  ])('after %o the doubt is %s until the next book', (event, doubt) => {
    const keeper = new BookKeeper()
    keeper.apply(bookFrame({ seq: 1, type: 'snapshot' }))
    keeper.apply(event)
    expect(keeper.get('m')?.doubt).toBe(doubt)
    keeper.apply(bookFrame({ seq: 2, type: 'delta' }))
    expect(keeper.get('m')?.doubt).toBeUndefined()
  })
})

describe('LiveBuffer with a slow reader', () => {
  test('books stay correct and every frame is delivered or counted as skipped', async () => {
    await fc.assert(
      fc.asyncProperty(walks, fc.integer({ min: 1, max: 6 }), fc.array(fc.nat(3)), async (walk, limit, reads) => {
        const buffer = new LiveBuffer({ limit, isDelta: true })
        const events: StreamEvent[] = []
        for (const [index, frame] of asDeltas(walk).entries()) {
          buffer.push(frame)
          // Read only while events are queued, so that `take` never blocks.
          for (let read = 0; read < (reads[index] ?? 0) && accountedFor(events) <= index; read++) {
            events.push((await buffer.take()) as StreamEvent)
          }
        }
        events.push(...(await drained(buffer)))
        const keeper = new BookKeeper()
        for (const event of events) keeper.apply(event)
        expect(keeper.get('m')).toMatchObject({ seq: walk.length - 1, isTrusted: true })
        expect(keeper.get('m')?.up.bids).toEqual(levels(walk.at(-1)?.bids ?? new Map(), true))
        expect(accountedFor(events)).toBe(walk.length)
      }),
    )
  })

  test('keeps the newest frame of each market and channel, after a skipped event', async () => {
    const buffer = new LiveBuffer({ limit: 1, isDelta: false })
    buffer.push(bookFrame({ seq: 1, type: 'snapshot' }))
    for (const seq of [2, 3, 4])
      for (const market of ['m', 'n']) buffer.push(bookFrame({ seq, market, type: 'snapshot' }))
    buffer.push(tradeFrame({ seq: 4 }))
    const events = await drained(buffer)
    expect(events.map((event) => [event.type, (event as DataFrame).market, (event as DataFrame).seq])).toEqual([
      ['snapshot', 'm', 1],
      ['skipped', 'm', undefined],
      ['snapshot', 'm', 4],
      ['skipped', 'n', undefined],
      ['snapshot', 'n', 4],
      ['trade', 'm', 4],
    ])
    expect(events[1]).toMatchObject({ from_seq: 2, to_seq: 3, frames: 2 })
    expect(events[2]).toMatchObject({ prev_seq: 1 })
  })

  test('fails with slow_reader when events that cannot be skipped pile up', async () => {
    const buffer = new LiveBuffer({ limit: 2, isDelta: false })
    for (let at = 0; at < 10; at++) buffer.push({ channel: 'status', type: 'health', status: 'ok', at, sent_at: at })
    await expect(drained(buffer)).rejects.toMatchObject({ code: 'slow_reader' })
  })
})
