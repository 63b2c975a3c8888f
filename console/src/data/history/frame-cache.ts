import type { PackedBook } from './packed-book.ts'

/** Slots that are dropped together. */
const BLOCK = 256
const MISSING_BYTES = 32

interface Block {
  /** Null for a slot that has no row. */
  readonly slots: Map<number, PackedBook | null>
  bytes: number
}

/**
 * Books that were replayed, by slot. When there are more than fit, the blocks of slots that were not used for the
 * longest time are dropped.
 */
export class FrameCache {
  readonly #mostBytes: number
  /** In the order of use. */
  readonly #blocks = new Map<number, Block>()
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  put(slot: number, book: PackedBook): void {
    this.#set(slot, book)
  }

  /** Slots without a row; a book that is known is kept. */
  putMissing(fromSlot: number, toSlot: number): void {
    for (let slot = fromSlot; slot <= toSlot; slot++) if (!this.has(slot)) this.#set(slot, null)
  }

  has(slot: number): boolean {
    return this.#blocks.get(blockOf(slot))?.slots.has(slot) === true
  }

  /** Null for a slot without a row, undefined when nothing is known of it. */
  get(slot: number): PackedBook | null | undefined {
    return this.#used(blockOf(slot))?.slots.get(slot)
  }

  isMissing(slot: number): boolean {
    return this.#blocks.get(blockOf(slot))?.slots.get(slot) === null
  }

  /** The first slot from this one on of which nothing is known. */
  firstUnknown(fromSlot: number): number {
    let slot = fromSlot
    while (this.has(slot)) slot++
    return slot
  }

  #set(slot: number, book: PackedBook | null): void {
    const number = blockOf(slot)
    const block = this.#used(number) ?? this.#newBlock(number)
    const before = block.slots.get(slot)
    const added = bytesOf(book) - (before === undefined ? 0 : bytesOf(before))
    block.slots.set(slot, book)
    block.bytes += added
    this.#bytes += added
    this.#dropOldest(number)
  }

  #newBlock(number: number): Block {
    const block: Block = { slots: new Map(), bytes: 0 }
    this.#blocks.set(number, block)
    return block
  }

  #used(number: number): Block | undefined {
    const block = this.#blocks.get(number)
    if (block === undefined) return undefined
    this.#blocks.delete(number)
    this.#blocks.set(number, block)
    return block
  }

  #dropOldest(exceptNumber: number): void {
    for (const [number, { bytes }] of this.#blocks) {
      if (this.#bytes <= this.#mostBytes || number === exceptNumber) return
      this.#blocks.delete(number)
      this.#bytes -= bytes
    }
  }
}

function blockOf(slot: number): number {
  return Math.floor(slot / BLOCK)
}

function bytesOf(book: PackedBook | null): number {
  return book === null ? MISSING_BYTES : book.bytes
}
