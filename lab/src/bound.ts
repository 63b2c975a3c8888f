export type Comparison = '<=' | '>=' | '<' | '>' | '='

/** A promise about one measured number, and whether this run kept it. */
export interface Bound {
  readonly name: string
  readonly value: number
  /** For people: `<= 0`, `>= 99.5 %`. */
  readonly bound: string
  readonly ok: boolean
}

/** A value that is not a number keeps no promise. */
export function bound(name: string, value: number, comparison: Comparison, limit: number, unit = ''): Bound {
  return { name, value, bound: `${comparison} ${limit} ${unit}`.trimEnd(), ok: holds(value, comparison, limit) }
}

function holds(value: number, comparison: Comparison, limit: number): boolean {
  switch (comparison) {
    case '<=':
      return value <= limit
    case '>=':
      return value >= limit
    case '<':
      return value < limit
    case '>':
      return value > limit
    case '=':
      return value === limit
  }
}
