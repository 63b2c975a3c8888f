import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { RawReader, type ReaderEvents, type ReaderPlace } from './raw-reader.ts'
import type { Counted, ReaderOrder } from './reader-orders.ts'

/** Many readers in one process that do minimal work for each message. Commands come on stdin. */
const LAG_BUCKETS = 20_000
const OPENED_AT_ONCE = 40
const COME_BACK_MS = 200
/** A closed connection counts for the limit until the server has noticed. */
const TRIES = 150

const lags = new Uint32Array(LAG_BUCKETS)
const readers = new Set<RawReader>()
let [messages, bytes, closed] = [0, 0, 0]
let sinceMs = performance.now()
let isOver = false

const events: ReaderEvents = {
  message(sentAtMs, length) {
    if (Number.isNaN(sentAtMs)) return
    messages++
    bytes += length
    const bucket = Math.min(LAG_BUCKETS - 1, Math.max(0, Date.now() - sentAtMs))
    lags[bucket] = (lags[bucket] ?? 0) + 1
  },
}

async function open(order: Extract<ReaderOrder, { do: 'open' }>): Promise<number> {
  const openOne = async (index: number): Promise<void> => {
    const reader = await openPatiently({ ...order, key: order.keys[index % order.keys.length] ?? '' })
    readers.add(reader)
    void reader.ended.then(() => {
      readers.delete(reader)
      if (!isOver) closed++
    })
  }
  for (let index = 0; index < order.count; index += OPENED_AT_ONCE) {
    const some = Math.min(OPENED_AT_ONCE, order.count - index)
    await Promise.all(Array.from({ length: some }, (_, offset) => openOne(index + offset)))
  }
  return readers.size
}

async function openPatiently(place: ReaderPlace): Promise<RawReader> {
  for (let tries = 1; ; tries++) {
    try {
      return await RawReader.open(place, events)
    } catch (error) {
      if (tries === TRIES) throw error
      await sleep(COME_BACK_MS)
    }
  }
}

function count(): Counted {
  const nowMs = performance.now()
  const byLag = [...lags.entries()].filter(([, each]) => each > 0)
  const counted = { messages, bytes, seconds: (nowMs - sinceMs) / 1_000, lags: byLag, closed }
  lags.fill(0)
  ;[messages, bytes, closed] = [0, 0, 0]
  sinceMs = nowMs
  return counted
}

async function close(): Promise<number> {
  isOver = true
  const ended = [...readers].map((reader) => reader.close())
  await Promise.all(ended)
  readers.clear()
  isOver = false
  return ended.length
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as ReaderOrder
  const answer = order.do === 'open' ? await open(order) : order.do === 'count' ? count() : await close()
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
process.exit(0)
