import { plainText, VENUE_TEXT } from './untrusted-text.ts'

export interface ShapeRules {
  /** Levels per ladder, best price first. */
  readonly depth: number
  /** Members that are left out. */
  readonly omit: readonly string[]
  /** The gaps are the rows of the reply, so they are not summarised. */
  readonly areGapsRows: boolean
}

const LADDERS: ReadonlySet<string> = new Set(['bids', 'asks'])
const UNTRUSTED = 'untrusted_text'
const GAP_HINT = 'list_gaps returns all of them'
const GAPS_SHOWN = 3

/** Shortens a reply for agents: cuts ladders, summarises gaps and separates untrusted text. */
export class ReplyShape {
  readonly #rules: ShapeRules
  #levelsLeftOut = 0

  constructor(rules: ShapeRules) {
    this.#rules = rules
  }

  /** Sum over all values so far. */
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
