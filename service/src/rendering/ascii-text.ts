import { PRICE_ONE } from '../domain/book.ts'
import { SIZE_DECIMALS } from '../domain/decimal.ts'

const SIZE_ONE = 10 ** SIZE_DECIMALS
const PRICE_WIDTH = 8
const DOT = 46
const ZERO = 48
/** Smaller whole numbers are divided with 32-bit arithmetic. */
const SMALL = 0x8000_0000
/** Longer than the text of any number. */
const NUMBER_ROOM = 24

/** The text of every possible price, because a ladder has hundreds of them. */
const PRICE_TEXTS = Buffer.alloc((PRICE_ONE + 1) * PRICE_WIDTH)
const PRICE_LENGTHS = new Uint8Array(PRICE_ONE + 1)
for (let units = 0; units <= PRICE_ONE; units++) {
  PRICE_LENGTHS[units] = PRICE_TEXTS.write(String(units / PRICE_ONE), units * PRICE_WIDTH, 'latin1')
}

/** Builds ASCII text in a buffer, because joining hundreds of thousands of strings is slow. */
export class AsciiText {
  #bytes: Buffer
  #length = 0

  constructor(startBytes: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(startBytes, 1_024))
  }

  get length(): number {
    return this.#length
  }

  put(text: string): void {
    this.#reserve(text.length)
    this.#length += this.#bytes.write(text, this.#length, 'latin1')
  }

  byte(code: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = code
  }

  /** From 0 to 1. */
  price(units: number): void {
    this.#reserve(PRICE_WIDTH)
    const from = units * PRICE_WIDTH
    const end = from + (PRICE_LENGTHS[units] ?? 0)
    for (let at = from; at < end; at++) this.#bytes[this.#length++] = PRICE_TEXTS[at] ?? 0
  }

  /** The exact decimal, without trailing zeros. */
  size(units: number): void {
    this.#reserve(NUMBER_ROOM)
    const whole = Math.floor(units / SIZE_ONE)
    this.#whole(whole)
    let rest = units - whole * SIZE_ONE
    if (rest === 0) return
    this.#bytes[this.#length++] = DOT
    let unit = SIZE_ONE / 10
    while (rest > 0) {
      const digit = (rest / unit) | 0
      this.#bytes[this.#length++] = ZERO + digit
      rest -= digit * unit
      unit /= 10
    }
  }

  /** Removes the last bytes. */
  back(byteCount: number): void {
    this.#length -= byteCount
  }

  /** Appends a copy of the bytes between two positions. */
  repeat(from: number, to: number): void {
    this.#reserve(to - from)
    this.#bytes.copyWithin(this.#length, from, to)
    this.#length += to - from
  }

  toBuffer(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length))
  }

  toString(): string {
    return this.#bytes.toString('latin1', 0, this.#length)
  }

  #whole(value: number): void {
    if (value >= SMALL) {
      const text = String(value)
      this.#length += this.#bytes.write(text, this.#length, 'latin1')
      return
    }
    let rest = value | 0
    let digits = 1
    for (let bound = 10; rest >= bound && digits < 10; bound *= 10) digits++
    let at = this.#length + digits
    this.#length = at
    for (let left = digits; left > 0; left--) {
      const tens = (rest / 10) | 0
      this.#bytes[--at] = ZERO + rest - tens * 10
      rest = tens
    }
  }

  #reserve(byteCount: number): void {
    if (this.#length + byteCount <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#length + byteCount, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
