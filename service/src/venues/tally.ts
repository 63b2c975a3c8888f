/** How often something happened, with the first examples. */
export interface Tally {
  readonly reason: string
  readonly count: number
  readonly examples: readonly string[]
}

const MOST_EXAMPLES = 5

/** Counts by reason, for figures that an operator may want to look into. */
export class Tallies {
  readonly #tallies = new Map<string, { count: number; examples: string[] }>()

  add(reason: string, example: string): void {
    const tally = this.#tallies.get(reason) ?? { count: 0, examples: [] }
    this.#tallies.set(reason, tally)
    tally.count++
    if (tally.examples.length < MOST_EXAMPLES) tally.examples.push(example)
  }

  list(): Tally[] {
    return [...this.#tallies].map(([reason, tally]) => ({ reason, ...tally }))
  }
}
