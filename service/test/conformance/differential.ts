import { World } from '@bookreel/simulator/world/world'
import { expect, vi } from 'vitest'
import { readParquet } from '../http/read-parquet.ts'
import { recordsOf } from './checks.ts'
import type { ClaimScene } from './claim-scene.ts'

type Entry = Record<string, unknown> & {
  readonly sequence_number: number
  readonly side: 'UP' | 'DOWN'
  readonly event_timestamp: string
  readonly bids: [number, number][]
  readonly asks: [number, number][]
}

const TIMES = ['event_timestamp', 'capture_timestamp', 'timestamp', 'touch_timestamp']
/** Older rows are all stored. */
const SETTLED_MS = 5_000

/** A recorded range that no longer changes, as query text. */
function settledRange({ service }: ClaimScene): string {
  const { startMs } = service.worldOptions
  const toMs = Math.floor(Date.now() - SETTLED_MS)
  const fromMs = Math.max(startMs, toMs - 60_000)
  return `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`
}

export async function formatsOfSnapshots(scene: ClaimScene): Promise<void> {
  const request = `/v1/markets/{live}/snapshots?${settledRange(scene)}&limit=200`
  const { body } = await scene.ask('scale', request)
  const rows: Entry[] = body.snapshots
  expect(rows.length).toBeGreaterThan(20)
  for (const [format, delimiter] of [
    ['csv', ','],
    ['tsv', '\t'],
  ] as const) {
    const { text, headers } = await scene.ask('scale', `${request}&format=${format}`)
    expect(recordsOf(text, delimiter)).toEqual(rows.map(asCells))
    expect(headers['x-next-cursor'] ?? null).toBe(body.next_cursor)
    expect(headers['x-market-id']).toBe(body.market_id)
  }
  const key = await scene.service.keyOf('scale')
  const url = scene.fill(`${request}&format=parquet`)
  const file = await scene.service.server.inject({ url, headers: { 'x-api-key': key } })
  expect(file.statusCode).toBe(200)
  const stored = await readParquet(file.rawPayload)
  expect(stored.map((row) => numbersIn(row, rows[0]))).toEqual(rows.map((row) => numbersIn(row, rows[0])))
}

export async function formatsOfPerp(scene: ClaimScene): Promise<void> {
  const request = `/v1/exchange/snapshots?symbol=BTC&${settledRange(scene)}&limit=50`
  const { body } = await scene.ask('scale', request)
  expect(body.length).toBeGreaterThan(5)
  for (const [format, delimiter] of [
    ['csv', ','],
    ['tsv', '\t'],
  ] as const) {
    const { text } = await scene.ask('scale', `${request}&format=${format}`)
    expect(recordsOf(text, delimiter)).toEqual(body.map(asCells))
  }
}

/** The expected cell of every member in a flat file. */
function asCells(row: Record<string, unknown>): Record<string, string> {
  const cell = (value: unknown): string => {
    if (value === null || value === undefined) return '\\N'
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)]))
}

/** A row in a form that all formats share: times as numbers, members in one order. */
function numbersIn(row: Record<string, unknown>, like: Entry | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(like ?? {}).map((name) => {
      const value = row[name] ?? null
      return [name, TIMES.includes(name) && typeof value === 'string' ? Date.parse(value) : value]
    }),
  )
}

export async function liveAndStored(scene: ClaimScene): Promise<void> {
  const { body: live } = await scene.ask('pro', '/v1/markets/{live}/orderbook')
  const at = live.up.captureTimestamp
  const stored = await vi.waitUntil(
    async () => {
      const { body } = await scene.ask('pro', `/v1/markets/{live}/snapshots?from=${at}&to=${at + 1}`)
      return body.snapshots.length === 2 ? (body.snapshots as Entry[]) : undefined
    },
    { timeout: 120_000, interval: 250 },
  )
  const { body: near } = await scene.ask('pro', `/api/snapshot?timestamp=${at}&marketId={live}&includebook=true`)
  for (const [index, book] of [live.up, live.down].entries()) {
    const pairs = (levels: { price: number; size: number }[]) => levels.map(({ price, size }) => [price, size])
    const expected = {
      token_id: book.tokenId,
      sequence_number: book.sequenceNumber,
      event_timestamp: new Date(book.eventTimestamp).toISOString(),
      best_bid: book.bestBid,
      best_ask: book.bestAsk,
      mid: book.midPrice,
      spread: book.spread,
      bids: pairs(book.bids),
      asks: pairs(book.asks),
    }
    expect(stored[index]).toMatchObject(expected)
    expect(index === 0 ? near : near.counterpart).toMatchObject(expected)
  }
}

/** Compares responses with a second simulated world of the same seed, which the recorder never saw. */
export async function rowsAndTruth(scene: ClaimScene): Promise<void> {
  const { body } = await scene.ask('pro', `/v1/markets/{live}/snapshots?${settledRange(scene)}&limit=500`)
  const rows: Entry[] = body.snapshots
  const truth = new Map<string, Set<string>>()
  const wanted = scene.fill('{live}')
  const again = new World(scene.service.worldOptions, ({ market, atMs }) => {
    if (market.conditionId !== wanted) return
    const pair = ({ price, size }: { price: number; size: number }) => [price / 10_000, size / 100]
    const state = JSON.stringify([market.book.bids.toReversed().map(pair), market.book.asks.map(pair)])
    const at = new Date(atMs).toISOString()
    // Two batches may share a millisecond; either state was true then.
    truth.set(at, (truth.get(at) ?? new Set()).add(state))
  })
  again.advance(scene.service.simulator.world.nowMs)
  const known = rows.filter(({ side, event_timestamp }) => side === 'UP' && truth.has(event_timestamp))
  expect(known.length).toBeGreaterThan(20)
  for (const { event_timestamp, bids, asks, sequence_number } of known) {
    expect(truth.get(event_timestamp)?.has(JSON.stringify([bids, asks])), `slot ${sequence_number}`).toBe(true)
  }
  for (const { sequence_number, bids, asks } of rows.filter(({ side }) => side === 'DOWN')) {
    const up = rows.find((row) => row.side === 'UP' && row.sequence_number === sequence_number)
    if (up === undefined) continue
    expect([bids, asks], `slot ${sequence_number}`).toEqual([mirrored(up.asks), mirrored(up.bids)])
  }
}

function mirrored(levels: readonly [number, number][]): [number, number][] {
  return levels.map(([price, size]) => [(10_000 - Math.round(price * 10_000)) / 10_000, size])
}

export async function cursorWalk(scene: ClaimScene): Promise<void> {
  const { body: newest } = await scene.ask('scale', '/v1/markets/{live}/snapshots?order=desc&limit=1&includebook=false')
  const from = new Date(Date.parse(newest.snapshots[0].capture_timestamp) - 20_000).toISOString()
  // Large enough that the walk is faster than the rows that arrive, also on a slow machine.
  const request = `/v1/markets/{live}/snapshots?from=${from}&limit=31&includebook=false`
  const walked: string[] = []
  const keyOf = ({ sequence_number, side }: Entry): string => `${sequence_number} ${side}`
  let cursor: string | null = null
  let pages = 0
  do {
    const { body } = await scene.ask('scale', cursor === null ? request : `${request}&cursor=${cursor}`)
    walked.push(...body.snapshots.map(keyOf))
    cursor = body.next_cursor
    pages++
  } while (cursor !== null)
  expect(pages).toBeGreaterThan(3)
  expect(new Set(walked).size).toBe(walked.length)
  const { body } = await scene.ask('scale', `/v1/markets/{live}/snapshots?from=${from}&limit=500&includebook=false`)
  const whole = body.snapshots.map(keyOf)
  expect(whole.slice(0, walked.length)).toEqual(walked.slice(0, whole.length))
}
