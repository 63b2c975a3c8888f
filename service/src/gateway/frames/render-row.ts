import { PRICE_ONE } from '../../domain/book.ts'
import { SIZE_ONE, SPOT_ONE } from '../../domain/decimal.ts'
import { PROOFS, type Proof } from '../../domain/proof.ts'
import { PERP_DECIMALS } from '../../domain/rows/perp-snapshot.ts'
import { SNAPSHOT_FLAGS } from '../../domain/rows/snapshot.ts'
import { marketFlags } from '../../domain/snapshot-flags.ts'
import { AsciiText } from '../../rendering/ascii-text.ts'
import {
  bestPrices,
  priceAt,
  putLevels,
  type Side,
  type Sides,
  sizeAt,
  tokenSides,
} from '../../rendering/render-levels.ts'
import { changesBetween, type Step } from './ladder-delta.ts'
import type { BinaryRow, PerpRow, StreamRow } from './stream-row.ts'

/** The parts of a frame that depend on the row alone, so that live and replayed frames are the same. */

const PERP_ONE = 10 ** PERP_DECIMALS
/** By flags and proof, because few combinations occur. */
const FLAG_TEXTS = new Map<number, string>()
/** Reused for every row; results are copied out of it. */
const scratch = new AsciiText(64 * 1024)

/** Times, flags and proof. The best prices of a perp have their own event time. */
export function timesText(row: StreamRow, channel: 'book' | 'bbo', proof: Proof): string {
  if (row.kind === 'perp') {
    const { eventAtMs, receivedAtMs, capturedAtMs, touch } = row.snapshot
    const event = channel === 'bbo' && touch.eventAtMs > 0 ? touch.eventAtMs : eventAtMs
    return `"event_at":${event},"received_at":${receivedAtMs},"captured_at":${capturedAtMs},"flags":[],"proof":"${proof}"`
  }
  const { rows, index } = row
  const times = `"event_at":${rows.eventAtMs(index)},"received_at":${rows.receivedAtMs(index)},"captured_at":${rows.capturedAtMs(index)}`
  return `${times},${flagsText(rows.flags(index), proof)},"spot":${spotText(row)}`
}

/** The book up to a depth; of a binary market, the books of both tokens. */
export function bookBody(row: StreamRow, depth: number): Buffer {
  if (row.kind === 'perp') {
    const { bids, asks } = row.snapshot.ladders
    return Buffer.from(`,"book":${sidesText(bids.slice(0, depth), asks.slice(0, depth), PERP_ONE, PERP_ONE)}}`)
  }
  const { rows, index } = row
  scratch.back(scratch.length)
  scratch.put(',"up":')
  putSides(rows.view, tokenSides(rows, index, 0, depth))
  scratch.put(',"down":')
  putSides(rows.view, tokenSides(rows, index, 1, depth))
  scratch.put('}')
  return scratch.toBuffer()
}

/** The changes since an earlier row, on books cut to the same depth. */
export function deltaBody(row: StreamRow, before: StreamRow, depth: number): Buffer {
  if (row.kind === 'perp' && before.kind === 'perp') {
    const [now, old] = [row.snapshot.ladders, before.snapshot.ladders]
    const bids = changesBetween(old.bids.slice(0, depth), now.bids.slice(0, depth), 'bids')
    const asks = changesBetween(old.asks.slice(0, depth), now.asks.slice(0, depth), 'asks')
    return Buffer.from(`,"book":${sidesText(bids, asks, PERP_ONE, PERP_ONE)}}`)
  }
  if (row.kind === 'perp' || before.kind === 'perp') throw new TypeError('a delta needs two rows of the same kind')
  const texts = ([0, 1] as const).map((outcome) => {
    const now = tokenSides(row.rows, row.index, outcome, depth)
    const old = tokenSides(before.rows, before.index, outcome, depth)
    const bids = changesBetween(stepsOf(before, old.bids), stepsOf(row, now.bids), 'bids')
    const asks = changesBetween(stepsOf(before, old.asks), stepsOf(row, now.asks), 'asks')
    return sidesText(bids, asks, PRICE_ONE, SIZE_ONE)
  })
  return Buffer.from(`,"up":${texts[0]},"down":${texts[1]}}`)
}

/** The best price and size of each side. */
export function touchBody(row: StreamRow): string {
  if (row.kind === 'perp') return `,"book":${perpTouch(row)}}`
  return `,"up":${touchText(row, 0)},"down":${touchText(row, 1)}}`
}

function touchText({ rows, index }: BinaryRow, outcome: 0 | 1): string {
  const { view } = rows
  const sides = tokenSides(rows, index, outcome, 1)
  const { bid, ask } = bestPrices(view, sides)
  const [bidSize, askSize] = [sides.bids, sides.asks].map((side) => (side.length > 0 ? sizeAt(view, side, 0) : 0))
  return `{"bid":${bid / PRICE_ONE},"bid_size":${(bidSize ?? 0) / SIZE_ONE},"ask":${ask / PRICE_ONE},"ask_size":${(askSize ?? 0) / SIZE_ONE}}`
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
    size: sizeAt(view, side, level),
  }))
}

function sidesText(bids: readonly Step[], asks: readonly Step[], priceOne: number, sizeOne: number): string {
  const [bidText, askText] = [bids, asks].map((levels) =>
    levels.map(({ price, size }) => `[${price / priceOne},${size / sizeOne}]`).join(','),
  )
  return `{"bids":[${bidText}],"asks":[${askText}]}`
}

function spotText({ rows, index }: BinaryRow): string {
  if (!(rows.flags(index) & SNAPSHOT_FLAGS.hasSpot)) return 'null'
  return `{"price":${rows.spotPrice(index) / SPOT_ONE},"age_ms":${rows.spotAgeMs(index)}}`
}

function flagsText(flags: number, proof: Proof): string {
  const key = flags * PROOFS.length + PROOFS.indexOf(proof)
  const known = FLAG_TEXTS.get(key)
  if (known !== undefined) return known
  const text = `"flags":${JSON.stringify(marketFlags(flags, proof))},"proof":"${proof}"`
  FLAG_TEXTS.set(key, text)
  return text
}
