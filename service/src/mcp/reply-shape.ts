import { plainText, VENUE_TEXT } from './untrusted-text.ts'

export interface ShapeRules {
  /** Levels of a ladder, from the best price on. */
  readonly depth: number
  /** Members that a tool has no use for. */
  readonly omit: readonly string[]
  /** They are what was asked for, and not a word about it. */
  readonly areGapsRows: boolean
}

export const LADDERS: ReadonlySet<string> = new Set(['bids', 'asks'])
export const UNTRUSTED = 'untrusted_text'
export const GAP_HINT = 'list_gaps has all of them'
const GAPS_SHOWN = 3

/**
 * A reply as an agent gets it: ladders cut, gaps counted, words of venues apart from everything else. What it makes
 * of a value, `shapeSchema` makes of its schema.
 */
export class ReplyShape {
  readonly #rules: ShapeRules
  #levelsLeftOut = 0

  constructor(rules: ShapeRules) {
    this.#rules = rules
  }

  /** Of everything that was shaped so far. */
  get levelsLeftOut(): number {
    return this.#levelsLeftOut
  }

  of(value: unknown): unknown {
    if (typeof value === 'string') return plainText(value)
    if (Array.isArray(value)) return value.map((each) => this.of(each))
    return typeof value === 'object' && value !== null ? this.#object(value) : value
  }

  #object(value: object): Record<string, unknown> {
    const { omit, areGapsRows } = this.#rules
    const shaped: Record<string, unknown> = {}
    const venueText: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined || omit.includes(name)) continue
      if (VENUE_TEXT.has(name)) venueText[name] = this.of(member)
      else if (LADDERS.has(name) && Array.isArray(member)) shaped[name] = this.#ladder(member)
      else if (name === 'gaps' && Array.isArray(member) && !areGapsRows) shaped[name] = this.#gaps(member)
      else shaped[name] = this.of(member)
    }
    return Object.keys(venueText).length === 0 ? shaped : { ...shaped, [UNTRUSTED]: venueText }
  }

  #ladder(levels: readonly unknown[]): readonly unknown[] {
    const shown = levels.slice(0, this.#rules.depth)
    this.#levelsLeftOut += levels.length - shown.length
    return shown
  }

  #gaps(gaps: readonly unknown[]): Record<string, unknown> {
    return { count: gaps.length, first: this.of(gaps.slice(0, GAPS_SHOWN)), hint: GAP_HINT }
  }
}
