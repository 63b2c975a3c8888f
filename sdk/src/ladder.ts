export type Level = readonly [price: number, size: number]

/** One side of a book, best price first. */
export class Ladder {
  readonly #isBid: boolean
  #levels: Level[] = []

  constructor(isBid: boolean) {
    this.#isBid = isBid
  }

  get levels(): readonly Level[] {
    return this.#levels
  }

  get best(): Level | undefined {
    return this.#levels[0]
  }

  replace(levels: readonly Level[]): void {
    this.#levels = [...levels]
  }

  /** Size 0 removes the level. */
  set(price: number, size: number): void {
    const at = this.#indexOf(price)
    const isThere = this.#levels[at]?.[0] === price
    if (size > 0) this.#levels.splice(at, isThere ? 1 : 0, [price, size])
    else if (isThere) this.#levels.splice(at, 1)
  }

  /** Index of the level with that price, or where to insert it. */
  #indexOf(price: number): number {
    let from = 0
    let to = this.#levels.length
    while (from < to) {
      const middle = (from + to) >> 1
      const other = this.#levels[middle]?.[0] ?? 0
      const comesBefore = this.#isBid ? other > price : other < price
      if (comesBefore) from = middle + 1
      else to = middle
    }
    return from
  }
}
