import { lengthAt, lengthBytes, RowReader, uint64At } from './row-binary.ts'
import { readSnapshot, type Snapshot, snapshotSchema } from './snapshot.ts'

/** Bytes of one price and of one size. */
export const PRICE_BYTES = 2
export const SIZE_BYTES = 8

const MARKET_BYTES = 32
const { offsetOf, current } = snapshotSchema
const SLOT = offsetOf('slot')
const CAPTURED_AT = offsetOf('captured_at')
const EVENT_AT = offsetOf('event_at')
const RECEIVED_AT = offsetOf('received_at')
const FLAGS = offsetOf('flags')
const SPOT_PRICE = offsetOf('spot_price')
const SPOT_AGE = offsetOf('spot_age_ms')
const LADDERS = offsetOf('up_bid_prices')
/** Prices and sizes of two sides of two tokens, one after the other. */
const LADDER_WIDTHS = [0, 1, 2, 3].flatMap(() => [PRICE_BYTES, SIZE_BYTES])

/** Rows of one schema, read where they are: text is made from them without an object for each level. */
export class SnapshotRows {
  readonly bytes: Buffer
  /** The same bytes, read without the checks that a buffer makes. */
  readonly view: DataView
  readonly #schema: number
  readonly #starts: number[] = []
  /** Where the ladders of each row end; columns that were added later stand behind them. */
  readonly #ladderEnds: number[] = []

  constructor(bytes: Buffer, schema = current) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#schema = schema
    const addedAfter = schema > 1
    for (let at = 0; at < bytes.length; ) {
      const laddersEnd = endOfLadders(this.view, at + LADDERS)
      this.#starts.push(at)
      this.#ladderEnds.push(laddersEnd)
      at = addedAfter ? snapshotSchema.end(this.view, at, schema) : laddersEnd
    }
    if ((this.#ladderEnds.at(-1) ?? 0) > bytes.length) throw new RangeError('the row ends in the middle')
  }

  get count(): number {
    return this.#starts.length
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
    return this.bytes.compare(this.bytes, otherStart, this.#ladderEnds[other], start, this.#ladderEnds[index]) === 0
  }

  row(index: number): Snapshot {
    return readSnapshot(new RowReader(this.bytes, this.#start(index)), this.#schema)
  }

  #start(index: number): number {
    const start = this.#starts[index]
    if (start === undefined) throw new RangeError(`no row ${index}`)
    return start
  }
}

function endOfLadders(view: DataView, start: number): number {
  let at = start
  for (const width of LADDER_WIDTHS) {
    const length = lengthAt(view, at)
    at += lengthBytes(length) + length * width
  }
  return at
}
