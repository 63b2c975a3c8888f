/**
 * ClickHouse's RowBinary format, only the types in use. A row is encoded once, when it is sampled; the same bytes
 * are sent over the bus and inserted without decoding.
 */

/** A growing buffer; `take` returns its bytes and empties it. */
export class RowWriter {
  #bytes: Buffer
  #length = 0

  constructor(startBytes = 64 * 1024) {
    this.#bytes = Buffer.allocUnsafe(startBytes)
  }

  get length(): number {
    return this.#length
  }

  uint8(value: number): void {
    const at = this.#room(1)
    this.#bytes[at] = value
  }

  uint16(value: number): void {
    const at = this.#room(2)
    this.#bytes.writeUInt16LE(value, at)
  }

  uint32(value: number): void {
    const at = this.#room(4)
    this.#bytes.writeUInt32LE(value, at)
  }

  /** A whole number that a double holds exactly; also an Int64 that is not negative, such as a DateTime64. */
  uint64(value: number): void {
    const at = this.#room(8)
    this.#bytes.writeUInt32LE(value % 0x1_0000_0000, at)
    this.#bytes.writeUInt32LE(Math.floor(value / 0x1_0000_0000), at + 4)
  }

  /** Also an Int128 that is not negative, such as a Decimal(38, 18). */
  uint128(value: bigint): void {
    const at = this.#room(16)
    this.#bytes.writeBigUInt64LE(value & 0xffff_ffff_ffff_ffffn, at)
    this.#bytes.writeBigUInt64LE(value >> 64n, at + 8)
  }

  string(text: string): void {
    const size = Buffer.byteLength(text)
    this.varint(size)
    const at = this.#room(size)
    this.#bytes.write(text, at)
  }

  /** A FixedString from `0x…` text, one byte for two hex digits. */
  hexBytes(text: string, byteCount: number): void {
    const at = this.#room(byteCount)
    const written = this.#bytes.write(text.slice(2), at, byteCount, 'hex')
    if (written !== byteCount || text.length !== 2 + 2 * byteCount)
      throw new Error(`expected 0x and ${byteCount} bytes of hex, got ${text}`)
  }

  /** The length prefix of an array or string. */
  varint(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.uint8((rest & 0x7f) | 0x80)
      rest >>>= 7
    }
    this.uint8(rest)
  }

  /** An array with one number of each item, as a loop of its own: rows consist mostly of such numbers. */
  uint16List<Item>(items: readonly Item[], numberOf: (item: Item) => number): void {
    this.varint(items.length)
    let at = this.#room(items.length * 2)
    for (const item of items) at = this.#bytes.writeUInt16LE(numberOf(item), at)
  }

  uint32List<Item>(items: readonly Item[], numberOf: (item: Item) => number): void {
    this.varint(items.length)
    let at = this.#room(items.length * 4)
    for (const item of items) at = this.#bytes.writeUInt32LE(numberOf(item), at)
  }

  uint64List<Item>(items: readonly Item[], numberOf: (item: Item) => number): void {
    this.varint(items.length)
    let at = this.#room(items.length * 8)
    for (const item of items) {
      const value = numberOf(item)
      at = this.#bytes.writeUInt32LE(value % 0x1_0000_0000, at)
      at = this.#bytes.writeUInt32LE(Math.floor(value / 0x1_0000_0000), at)
    }
  }

  /** Appends encoded bytes. */
  append(bytes: Uint8Array): void {
    const at = this.#room(bytes.length)
    this.#bytes.set(bytes, at)
  }

  /** Returns a copy of the bytes and empties the writer. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length))
    this.#length = 0
    return taken
  }

  /** Reserves bytes and returns their position. Call it before using `#bytes`, which may be replaced. */
  #room(byteCount: number): number {
    const at = this.#length
    this.#length += byteCount
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 2))
      larger.set(this.#bytes.subarray(0, at))
      this.#bytes = larger
    }
    return at
  }
}

export class RowReader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = at
  }

  get position(): number {
    return this.#at
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  uint8(): number {
    return this.#bytes.readUInt8(this.#step(1))
  }

  uint16(): number {
    return this.#bytes.readUInt16LE(this.#step(2))
  }

  uint32(): number {
    return this.#bytes.readUInt32LE(this.#step(4))
  }

  uint64(): number {
    const low = this.uint32()
    return this.uint32() * 0x1_0000_0000 + low
  }

  uint128(): bigint {
    const low = this.#bytes.readBigUInt64LE(this.#step(8))
    return (this.#bytes.readBigUInt64LE(this.#step(8)) << 64n) | low
  }

  string(): string {
    const size = this.varint()
    return this.#bytes.toString('utf8', this.#step(size), this.#at)
  }

  hexBytes(byteCount: number): string {
    return `0x${this.#bytes.toString('hex', this.#step(byteCount), this.#at)}`
  }

  uint16List(): number[] {
    const length = this.varint()
    const at = this.#step(length * 2)
    const values: number[] = []
    for (let index = 0; index < length; index++) values.push(this.#bytes.readUInt16LE(at + index * 2))
    return values
  }

  uint32List(): number[] {
    const length = this.varint()
    const at = this.#step(length * 4)
    const values: number[] = []
    for (let index = 0; index < length; index++) values.push(this.#bytes.readUInt32LE(at + index * 4))
    return values
  }

  uint64List(): number[] {
    const length = this.varint()
    const at = this.#step(length * 8)
    const values: number[] = []
    for (let index = 0; index < length; index++) {
      const low = this.#bytes.readUInt32LE(at + index * 8)
      values.push(this.#bytes.readUInt32LE(at + index * 8 + 4) * 0x1_0000_0000 + low)
    }
    return values
  }

  varint(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.uint8()
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    throw new Error('a length has more than five bytes')
  }

  /** Advances and returns the old position; throws when the row is too short. */
  #step(byteCount: number): number {
    const at = this.#at
    if (at + byteCount > this.#bytes.length) throw new RangeError('the row ends in the middle')
    this.#at = at + byteCount
    return at
  }
}

/** A length prefix (LEB128): seven bits per byte, lowest first. */
export function lengthAt(view: DataView, at: number): number {
  const low = view.getUint8(at)
  if (low < 0x80) return low
  const middle = view.getUint8(at + 1)
  if (middle < 0x80) return (low & 0x7f) + middle * 0x80
  return (low & 0x7f) + (middle & 0x7f) * 0x80 + view.getUint8(at + 2) * 0x4000
}

/** Bytes of a length prefix. */
export function lengthBytes(length: number): number {
  return length < 0x80 ? 1 : length < 0x4000 ? 2 : 3
}

export function uint64At(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 0x1_0000_0000 + view.getUint32(at, true)
}
