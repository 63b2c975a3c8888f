import type { Assumption, Finding, Verdict } from './assumption.ts'

interface Entry {
  confirmed: number
  contradicted: number
  note: string
  example: string | undefined
  counterexample: string | undefined
}

const LONGEST_EXAMPLE = 240

/** Counts what a run observed about each assumption, and judges it. */
export class Ledger<Id extends string> {
  readonly #assumptions: Readonly<Record<Id, Assumption>>
  readonly #entries = new Map<Id, Entry>()

  constructor(assumptions: Readonly<Record<Id, Assumption>>) {
    this.#assumptions = assumptions
  }

  /** One observation; the example is a frame or an answer that shows it. */
  observe(id: Id, isSo: boolean, example?: string): void {
    const entry = this.#entryOf(id)
    if (isSo) {
      entry.confirmed++
      entry.example ??= example
    } else {
      entry.contradicted++
      entry.counterexample ??= example
    }
  }

  /** Many observations at once. */
  count(id: Id, confirmed: number, contradicted: number): void {
    const entry = this.#entryOf(id)
    entry.confirmed += confirmed
    entry.contradicted += contradicted
  }

  /** Figures beside the counts; the last note counts. */
  note(id: Id, text: string): void {
    this.#entryOf(id).note = text
  }

  verdictOf(id: Id): Verdict {
    const { confirmed, contradicted } = this.#entryOf(id)
    const { mostAgainst = 0 } = this.#assumptions[id]
    if (confirmed === 0) return contradicted > 0 ? 'contradicted' : 'not seen'
    const expected = (confirmed + contradicted) * mostAgainst
    // In a short run, chance alone gives a few more than the share; three standard deviations are no chance.
    return contradicted > expected + 3 * Math.sqrt(expected) ? 'contradicted' : 'confirmed'
  }

  findings(): Finding[] {
    return (Object.keys(this.#assumptions) as Id[]).map((id) => this.#findingOf(id))
  }

  #findingOf(id: Id): Finding {
    const { says, isRelied } = this.#assumptions[id]
    const { confirmed, contradicted, example, counterexample } = this.#entryOf(id)
    const verdict = this.verdictOf(id)
    const shown = verdict === 'contradicted' ? counterexample : example
    return {
      id,
      says,
      isRelied,
      verdict,
      observations: confirmed + contradicted,
      contradictions: contradicted,
      evidence: this.#evidenceOf(id, verdict),
      ...(shown !== undefined && { example: shortened(shown) }),
    }
  }

  #evidenceOf(id: Id, verdict: Verdict): string {
    const { counts, mostAgainst = 0, seldom } = this.#assumptions[id]
    const { confirmed, contradicted, note } = this.#entryOf(id)
    const seen = `${confirmed} of ${confirmed + contradicted} ${counts}`
    const limit = mostAgainst > 0 && contradicted > 0 ? `; ${mostAgainst * 100} % may differ` : ''
    if (verdict === 'not seen') return [`no ${counts}`, seldom, note].filter(Boolean).join('; ')
    return `${seen}${limit}${note === '' ? '' : `; ${note}`}`
  }

  #entryOf(id: Id): Entry {
    const known = this.#entries.get(id)
    if (known !== undefined) return known
    const entry: Entry = { confirmed: 0, contradicted: 0, note: '', example: undefined, counterexample: undefined }
    this.#entries.set(id, entry)
    return entry
  }
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= LONGEST_EXAMPLE ? line : `${line.slice(0, LONGEST_EXAMPLE)}…`
}
