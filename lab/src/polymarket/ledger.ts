import { type Counts, type Mismatch, noCounts, type ProofKind } from './tally.ts'

const PROBLEMS_TOLD = 100

/** Results of all tokens; the tally is read from it. */
export interface Ledger {
  readonly mismatches: Mismatch[]
  readonly proofs: Record<ProofKind, number>
  readonly perMarket: Map<string, Counts>
  /** `timestamp:hash` of the proved batches, by token. */
  readonly provedKeys: Map<string, string[]>
  readonly problems: string[]
  problemCount: number
  wrongTops: number
  ignored: number
}

export function createLedger(): Ledger {
  return {
    mismatches: [],
    proofs: { stated: 0, oldValue: 0, touchedLevel: 0, tradeEvent: 0, search: 0 },
    perMarket: new Map(),
    provedKeys: new Map(),
    problems: [],
    problemCount: 0,
    wrongTops: 0,
    ignored: 0,
  }
}

export function countsOf(ledger: Ledger, market: string): Counts {
  const counts = ledger.perMarket.get(market) ?? noCounts()
  ledger.perMarket.set(market, counts)
  return counts
}

export function tellProblem(ledger: Ledger, problem: string): void {
  ledger.problemCount += 1
  if (ledger.problems.length < PROBLEMS_TOLD) ledger.problems.push(problem)
}
