import { RowReader } from './row-binary.ts'
import { readSnapshot, SNAPSHOT_COLUMNS, type Snapshot } from './snapshot.ts'

type Column = (typeof SNAPSHOT_COLUMNS)[number][0]

const WIDTHS: Readonly<Record<string, number>> = {
  'FixedString(32)': 32,
  UInt16: 2,
  UInt32: 4,
  UInt64: 8,
  "DateTime64(3, 'UTC')": 8,
}

/** Bytes of one price and of one size. */
export const PRICE_BYTES = 2
export const SIZE_BYTES = 8

const MARKET_BYTES = 32
const SLOT = offsetOf('slot')
const CAPTURED_AT = offsetOf('captured_at')
const EVENT_AT = offsetOf('event_at')
const RECEIVED_AT = offsetOf('received_at')
const FLAGS = offsetOf('flags')
const SPOT_PRICE = offsetOf('spot_price')
const SPOT_AGE = offsetOf('spot_age_ms')
const LADDERS = offsetOf('up_bid_prices')
/** Prices and sizes of two sides of two tokens. */
const ARRAY_WIDTHS = [0, 1, 2, 3].flatMap(() => [PRICE_BYTES, SIZE_BYTES])

/** Rows as the engine sent them, found but not decoded: a page of text is made from them without an object for each level. */
export class SnapshotRows {
  readonly bytes: Buffer
  /** The same bytes, read without the checks that a buffer makes. */
  readonly view: DataView
  /** Where each row begins, and behind them where the last one ends. */
  readonly #starts: readonly number[]

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const starts = [0]
    for (let at = 0; at < bytes.length; ) {
      at = rowEnd(this.view, at)
      starts.push(at)
    }
    this.#starts = starts
  }

  get count(): number {
    return this.#starts.length - 1
  }

  marketId(index: number): string {
    const start = this.#start(index)
    return `0x${this.bytes.toString('hex', start, start + MARKET_BYTES)}`
  }

  slot(index: number): number {
    return uint64At(this.view, this.#start(index) + SLOT)
  }

  capturedAtMs(index: number): number {
    return uint64At(this.view, this.#start(index) + CAPTURED_AT)
  }

  eventAtMs(index: number): number {
    return uint64At(this.view, this.#start(index) + EVENT_AT)
  }

  receivedAtMs(index: number): number {
    return uint64At(this.view, this.#start(index) + RECEIVED_AT)
  }

  flags(index: number): number {
    return this.view.getUint16(this.#start(index) + FLAGS, true)
  }

  spotPrice(index: number): number {
    return uint64At(this.view, this.#start(index) + SPOT_PRICE)
  }

  spotAgeMs(index: number): number {
    return this.view.getUint32(this.#start(index) + SPOT_AGE, true)
  }

  /** Where the eight arrays begin, in the order of the columns. */
  laddersStart(index: number): number {
    return this.#start(index) + LADDERS
  }

  hasSameLadders(index: number, other: number): boolean {
    const [start, otherStart] = [this.laddersStart(index), this.laddersStart(other)]
    const [end, otherEnd] = [this.#start(index + 1), this.#start(other + 1)]
    return this.bytes.compare(this.bytes, otherStart, otherEnd, start, end) === 0
  }

  row(index: number): Snapshot {
    return readSnapshot(new RowReader(this.bytes, this.#start(index)))
  }

  #start(index: number): number {
    const start = this.#starts[index]
    if (start === undefined) throw new RangeError(`no row ${index}`)
    return start
  }
}

/** The length that stands before an array: seven bits a byte, the lowest first. */
export function lengthAt(view: DataView, at: number): number {
  const low = view.getUint8(at)
  if (low < 0x80) return low
  const middle = view.getUint8(at + 1)
  if (middle < 0x80) return (low & 0x7f) + middle * 0x80
  return (low & 0x7f) + (middle & 0x7f) * 0x80 + view.getUint8(at + 2) * 0x4000
}

/** How many bytes a length takes. */
export function lengthBytes(length: number): number {
  return length < 0x80 ? 1 : length < 0x4000 ? 2 : 3
}

export function uint64At(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 0x1_0000_0000 + view.getUint32(at, true)
}

function rowEnd(view: DataView, start: number): number {
  let at = start + LADDERS
  for (const width of ARRAY_WIDTHS) {
    const length = lengthAt(view, at)
    at += lengthBytes(length) + length * width
  }
  if (at > view.byteLength) throw new RangeError('the row ends in the middle')
  return at
}

function offsetOf(name: Column): number {
  let offset = 0
  for (const [column, type] of SNAPSHOT_COLUMNS) {
    if (column === name) return offset
    const width = WIDTHS[type]
    if (width === undefined) throw new Error(`${column} has no fixed place`)
    offset += width
  }
  throw new Error(`no column ${name}`)
}
