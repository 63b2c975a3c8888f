/** A price and its size, in the units of the market. */
export interface Step {
  readonly price: number
  readonly size: number
}

/** The changes from `before` to `after`, best price first; size 0 removes a level. */
export function changesBetween(before: readonly Step[], after: readonly Step[], side: 'bids' | 'asks'): Step[] {
  const changes: Step[] = []
  const isBetter =
    side === 'bids' ? (one: number, other: number) => one > other : (one: number, other: number) => one < other
  let [left, right] = [0, 0]
  while (left < before.length || right < after.length) {
    const [old, now] = [before[left], after[right]]
    if (now === undefined || (old !== undefined && isBetter(old.price, now.price))) {
      if (old !== undefined) changes.push({ price: old.price, size: 0 })
      left++
    } else if (old === undefined || isBetter(now.price, old.price)) {
      changes.push({ price: now.price, size: now.size })
      right++
    } else {
      if (old.size !== now.size) changes.push({ price: now.price, size: now.size })
      left++
      right++
    }
  }
  return changes
}
