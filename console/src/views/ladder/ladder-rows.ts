type Levels = readonly (readonly [price: number, size: number])[]

/** Prices are whole numbers of these, so that sums and steps are exact. */
const UNITS = 1_000_000

export interface LadderRow {
  readonly side: 'bid' | 'ask'
  readonly size: number
  /** All sizes from the best price to this one. */
  readonly total: number
}

export interface LadderBook {
  readonly bids: Levels
  readonly asks: Levels
}

/** Number of the step of a price. A bid counts for the step below it and an ask for the one above, so that no price looks better than it is. */
export function stepOf(price: number, step: number, side: 'bid' | 'ask'): number {
  const share = Math.round(price * UNITS) / Math.round(step * UNITS)
  return side === 'bid' ? Math.floor(share) : Math.ceil(share)
}

/** The rows of a ladder by the number of their step. */
export function ladderRows({ bids, asks }: LadderBook, step: number): Map<number, LadderRow> {
  const rows = new Map<number, LadderRow>()
  for (const [side, levels] of [
    ['ask', asks],
    ['bid', bids],
  ] as const) {
    let total = 0
    for (const [price, size] of levels) {
      total += size
      const number = stepOf(price, step, side)
      const before = rows.get(number)
      const sum = before?.side === side ? before.size + size : size
      rows.set(number, { side, size: sum, total })
    }
  }
  return rows
}

/** Number of the step in the middle of the best prices; undefined for an empty book. */
export function middleStep({ bids, asks }: LadderBook, step: number): number | undefined {
  const bid = bids[0]?.[0]
  const ask = asks[0]?.[0]
  if (bid === undefined && ask === undefined) return undefined
  return Math.round(((bid ?? ask ?? 0) + (ask ?? bid ?? 0)) / 2 / step)
}

/** Whether a best price is outside of the rows from `top` down. */
export function leavesRows(
  { bids, asks }: LadderBook,
  step: number,
  { top, count }: { top: number; count: number },
): boolean {
  const bid = bids[0]?.[0]
  const ask = asks[0]?.[0]
  const isBelow = bid !== undefined && stepOf(bid, step, 'bid') <= top - count
  const isAbove = ask !== undefined && stepOf(ask, step, 'ask') > top
  return isBelow || isAbove
}
