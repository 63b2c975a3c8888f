import type { ReplayItem } from './replay-reader.ts'

/** Seeks into more separate parts than this are refused, so that the memory of a replay is bounded. */
export const MAX_PARTS = 1_000

/** Everything from a time to one item, in the order of the replay. */
interface Part {
  readonly fromMs: number
  /** The last charged item; undefined before the first one. */
  last: Position | undefined
}

interface Position {
  readonly atMs: number
  readonly marketId: string
  /** Number among the trades of the same market and time; infinite for a row, which comes after them. */
  readonly order: number
}

/** The parts of a replay that were charged. All markets are sent in one order, so a part needs no market of its own. */
export class ChargedRows {
  readonly #parts = new Set<Part>()
  /** The part that is sent now; it takes in the parts that it reaches. */
  #part: Part = { fromMs: 0, last: undefined }
  /** The parts after it, in the order of time. */
  #ahead: Part[] = []
  #position: Position | undefined

  /** Whether a seek to this time is possible: into a charged part, or into a new one. */
  canStartAt(atMs: number): boolean {
    return this.#parts.size < MAX_PARTS || this.#partAt(atMs) !== undefined
  }

  startAt(atMs: number): void {
    if (this.#part.last === undefined) this.#parts.delete(this.#part)
    this.#part = this.#partAt(atMs) ?? { fromMs: atMs, last: undefined }
    this.#parts.add(this.#part)
    this.#ahead = [...this.#parts]
      .filter(({ fromMs }) => fromMs > this.#part.fromMs)
      .sort((one, other) => one.fromMs - other.fromMs)
    this.#position = undefined
  }

  /** Moves on to the next item. True when the item has to be charged. */
  advanceTo(item: ReplayItem): boolean {
    this.#position = positionOf(item, this.#position)
    for (let [next] = this.#ahead; next !== undefined && next.fromMs <= item.atMs; [next] = this.#ahead) {
      this.#part.last = next.last
      this.#parts.delete(next)
      this.#ahead.shift()
    }
    return this.#isNew
  }

  /** Counts the item as charged. */
  add(): void {
    if (this.#isNew) this.#part.last = this.#position
  }

  get #isNew(): boolean {
    const { last } = this.#part
    return this.#position !== undefined && (last === undefined || isAfter(this.#position, last))
  }

  #partAt(atMs: number): Part | undefined {
    return [...this.#parts].find(({ fromMs, last }) => fromMs <= atMs && last !== undefined && last.atMs >= atMs)
  }
}

function positionOf({ of, row, atMs }: ReplayItem, before: Position | undefined): Position {
  const marketId = of.market.id
  if (row !== undefined) return { atMs, marketId, order: Number.POSITIVE_INFINITY }
  const isAnotherTrade = before?.atMs === atMs && before.marketId === marketId
  return { atMs, marketId, order: isAnotherTrade ? before.order + 1 : 0 }
}

function isAfter(one: Position, other: Position): boolean {
  if (one.atMs !== other.atMs) return one.atMs > other.atMs
  if (one.marketId !== other.marketId) return one.marketId > other.marketId
  return one.order > other.order
}
