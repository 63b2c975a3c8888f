import { PRICE_ONE } from '../../domain/book.ts'
import { SIZE_DECIMALS } from '../../domain/decimal.ts'
import { PERP_DECIMALS } from '../../domain/rows/perp-snapshot.ts'
import { uint64At } from '../../domain/rows/row-binary.ts'
import { SNAPSHOT_FLAGS } from '../../domain/rows/snapshot.ts'
import { SIZE_BYTES } from '../../domain/rows/snapshot-rows.ts'
import { spotPriceOf } from '../../endpoints/schemas/spot-price.ts'
import { AsciiText } from '../../rendering/ascii-text.ts'
import { priceAt, putLevels, type Side, sideAt } from '../../rendering/render-levels.ts'
import { changesBetween, type Step } from './ladder-delta.ts'
import type { BinaryRow, PerpRow, StreamRow } from './stream-row.ts'

/** The parts of frames that follow from a row alone; live and replay are both made from these and so can't differ. */

const SIZE_ONE = 10 ** SIZE_DECIMALS
const PERP_ONE = 10 ** PERP_DECIMALS
const FLAG_NAMES = [
  [SNAPSHOT_FLAGS.verifiedUp, 'verified_up'],
  [SNAPSHOT_FLAGS.verifiedDown, 'verified_down'],
  [SNAPSHOT_FLAGS.mirrored, 'mirrored'],
  [SNAPSHOT_FLAGS.oneSided, 'one_sided'],
  [SNAPSHOT_FLAGS.crossed, 'crossed'],
] as const
const FLAG_TEXTS = new Map<number, string>()
/** Reused for every row: only copies leave it. */
const scratch = new AsciiText(64 * 1024)

interface Sides {
  readonly bids: Side
  readonly asks: Side
}

/** What stands between the sender's own fields: times and flags. A perp's best prices have a time of their own. */
export function timesText(row: StreamRow, channel: 'book' | 'bbo'): string {
  if (row.kind === 'perp') {
    const { eventAtMs, receivedAtMs, capturedAtMs, touch } = row.snapshot
    const event = channel === 'bbo' && touch.eventAtMs > 0 ? touch.eventAtMs : eventAtMs
    return `"event_at":${event},"received_at":${receivedAtMs},"captured_at":${capturedAtMs},"flags":[]`
  }
  const { rows, index } = row
  const times = `"event_at":${rows.eventAtMs(index)},"received_at":${rows.receivedAtMs(index)},"captured_at":${rows.capturedAtMs(index)}`
  return `${times},"flags":${flagsText(rows.flags(index))},"spot":${spotText(row)}`
}

/** Both sides, or of a binary market those of both tokens, up to a depth. */
export function bookBody(row: StreamRow, depth: number): Buffer {
  if (row.kind === 'perp') {
    const { bids, asks } = row.snapshot.ladders
    return Buffer.from(`,"book":${sidesText(bids.slice(0, depth), asks.slice(0, depth), PERP_ONE, PERP_ONE)}}`)
  }
  const [up, down] = tokenSides(row, depth)
  const { view } = row.rows
  scratch.back(scratch.length)
  scratch.put(',"up":')
  putSides(view, up)
  scratch.put(',"down":')
  putSides(view, down)
  scratch.put('}')
  return scratch.toBuffer()
}

/** What changed since a row that was sent before, on books that were cut to the same depth. */
export function deltaBody(row: StreamRow, before: StreamRow, depth: number): Buffer {
  if (row.kind === 'perp' && before.kind === 'perp') {
    const [now, old] = [row.snapshot.ladders, before.snapshot.ladders]
    const bids = changesBetween(old.bids.slice(0, depth), now.bids.slice(0, depth), 'bids')
    const asks = changesBetween(old.asks.slice(0, depth), now.asks.slice(0, depth), 'asks')
    return Buffer.from(`,"book":${sidesText(bids, asks, PERP_ONE, PERP_ONE)}}`)
  }
  if (row.kind === 'perp' || before.kind === 'perp') throw new TypeError('rows of different kinds have no difference')
  const [now, old] = [tokenSides(row, depth), tokenSides(before, depth)]
  const texts = ([0, 1] as const).map((token) => {
    const bids = changesBetween(stepsOf(before, old[token].bids), stepsOf(row, now[token].bids), 'bids')
    const asks = changesBetween(stepsOf(before, old[token].asks), stepsOf(row, now[token].asks), 'asks')
    return sidesText(bids, asks, PRICE_ONE, SIZE_ONE)
  })
  return Buffer.from(`,"up":${texts[0]},"down":${texts[1]}}`)
}

/** The best of each side; nobody bids 0, anybody sells for 1. */
export function touchBody(row: StreamRow): string {
  if (row.kind === 'perp') return `,"book":${perpTouch(row)}}`
  const [up, down] = tokenSides(row, 1)
  return `,"up":${touchText(row, up)},"down":${touchText(row, down)}}`
}

function touchText({ rows: { view } }: BinaryRow, { bids, asks }: Sides): string {
  const [bid, ask] = [
    bids.length > 0 ? priceAt(view, bids, 0) : 0,
    asks.length > 0 ? priceAt(view, asks, 0) : PRICE_ONE,
  ]
  const bidSize = bids.length > 0 ? uint64At(view, bids.sizes) : 0
  const askSize = asks.length > 0 ? uint64At(view, asks.sizes) : 0
  return `{"bid":${bid / PRICE_ONE},"bid_size":${bidSize / SIZE_ONE},"ask":${ask / PRICE_ONE},"ask_size":${askSize / SIZE_ONE}}`
}

function perpTouch({ snapshot: { touch, ladders } }: PerpRow): string {
  const [bid, ask] = [ladders.bids[0], ladders.asks[0]]
  const best =
    touch.eventAtMs > 0
      ? [touch.bidPrice, touch.bidSize, touch.askPrice, touch.askSize]
      : [bid?.price ?? 0, bid?.size ?? 0, ask?.price ?? 0, ask?.size ?? 0]
  const [bidPrice = 0, bidSize = 0, askPrice = 0, askSize = 0] = best.map((units) => units / PERP_ONE)
  return `{"bid":${bidPrice},"bid_size":${bidSize},"ask":${askPrice},"ask_size":${askSize}}`
}

/** Of both tokens, cut to a depth. A mirrored row holds only the first token's, whose asks are the second's bids. */
function tokenSides({ rows, index }: BinaryRow, depth: number): readonly [Sides, Sides] {
  const isMirrored = (rows.flags(index) & SNAPSHOT_FLAGS.mirrored) !== 0
  const { view } = rows
  const [bids, afterBids] = sideAt(view, rows.laddersStart(index), false)
  const [asks, afterAsks] = sideAt(view, afterBids, false)
  const up = { bids: cut(bids, depth), asks: cut(asks, depth) }
  if (isMirrored) {
    const down = { bids: { ...up.asks, isMirrored }, asks: { ...up.bids, isMirrored } }
    return [up, down]
  }
  const [downBids, afterDownBids] = sideAt(view, afterAsks, false)
  const [downAsks] = sideAt(view, afterDownBids, false)
  return [up, { bids: cut(downBids, depth), asks: cut(downAsks, depth) }]
}

function cut(side: Side, depth: number): Side {
  return side.length <= depth ? side : { ...side, length: depth }
}

function putSides(view: DataView, { bids, asks }: Sides): void {
  scratch.put('{"bids":')
  putLevels(scratch, view, bids, undefined)
  scratch.put(',"asks":')
  putLevels(scratch, view, asks, undefined)
  scratch.put('}')
}

function stepsOf({ rows: { view } }: BinaryRow, side: Side): Step[] {
  return Array.from({ length: side.length }, (_, level) => ({
    price: priceAt(view, side, level),
    size: uint64At(view, side.sizes + level * SIZE_BYTES),
  }))
}

function sidesText(bids: readonly Step[], asks: readonly Step[], priceOne: number, sizeOne: number): string {
  const [bidText, askText] = [bids, asks].map((levels) =>
    levels.map(({ price, size }) => `[${price / priceOne},${size / sizeOne}]`).join(','),
  )
  return `{"bids":[${bidText}],"asks":[${askText}]}`
}

function spotText({ rows, index }: BinaryRow): string {
  const price = spotPriceOf({ flags: rows.flags(index), spotPrice: rows.spotPrice(index) })
  return price === undefined ? 'null' : `{"price":${price},"age_ms":${rows.spotAgeMs(index)}}`
}

function flagsText(flags: number): string {
  const known = FLAG_TEXTS.get(flags)
  if (known !== undefined) return known
  const text = JSON.stringify(FLAG_NAMES.filter(([bit]) => flags & bit).map(([, name]) => name))
  FLAG_TEXTS.set(flags, text)
  return text
}
