export type Comparison = '<=' | '>=' | '<' | '>' | '='

/** A limit for one measured value, and whether this run met it. */
export interface Bound {
  readonly name: string
  readonly value: number
  /** The limit as text: `<= 0`, `>= 99.5 %`. */
  readonly bound: string
  readonly ok: boolean
}

/** NaN never meets a limit. */
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
